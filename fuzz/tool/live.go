package tool

import (
	"context"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/jostle-go/jostle/fuzz/internal/campaign"
	"github.com/jostle-go/jostle/fuzz/internal/screen"
)

// A live is how a campaign goes, on a terminal. Findings and notes are printed above it.
type live struct {
	screen screen.Screen
	print  printer // of what goes above

	mu     sync.Mutex // guards what follows
	view   screen.View
	closed bool
}

// everySecond is how often the live screen is told how far the campaign is.
const everySecond = time.Second

// newLive returns the live screen for a call, nil if that is to be lines: it is
// no terminal, or one that cannot do it, or nobody looks at it.
func newLive(call *Call, getenv func(string) string) *live {
	to, size := call.display()
	if to == nil || !allowed(getenv, runtime.GOOS) {
		return nil
	}
	l := &live{}
	l.screen.Out, l.screen.Color = to, getenv("NO_COLOR") == ""
	l.screen.Size = size
	return l
}

// allowed reports whether the environment lets a screen be drawn that somebody looks at.
func allowed(getenv func(string) string, system string) bool {
	ci := getenv("CI")
	return (ci == "" || ci == "false") && obeys(getenv, system)
}

// obeys reports whether terminals are known to obey escapes. Of those of Windows it is
// known of the ones that set WT_SESSION.
func obeys(getenv func(string) string, system string) bool {
	return getenv("TERM") != "dumb" && (system != "windows" || getenv("WT_SESSION") != "")
}

// tell shows an event.
func (l *live) tell(e campaign.Event) {
	if e.Kind == campaign.Found || e.Kind == campaign.Noted {
		var b strings.Builder
		l.print.w = &b
		l.print.tell(e)
		l.screen.Print(b.String())
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.view.Tell(e)
	l.draw()
}

// draw draws what is known. The caller holds the lock.
func (l *live) draw() { l.screen.Draw(l.view.Lines(l.screen.Size())) }

// watch shows that the campaign is to end once a context is done, until it is stopped.
func (l *live) watch(ctx context.Context) (stop func() bool) {
	return context.AfterFunc(ctx, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.view.Ending = true; !l.closed {
			l.draw()
		}
	})
}

// close leaves the terminal to what is printed at the end.
func (l *live) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	l.screen.Close()
}
