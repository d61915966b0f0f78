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

// A live shows the progress of a campaign on a terminal. Findings and notes are printed above.
type live struct {
	screen screen.Screen
	print  printer // of findings and notes

	mu     sync.Mutex // guards what follows
	view   screen.View
	closed bool
}

// everySecond is how often the live screen is updated.
const everySecond = time.Second

// newLive returns the live screen for a call. It returns nil if the output is not a
// terminal, the terminal does not support it, or this is CI.
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

// allowed reports whether the environment allows a live screen.
func allowed(getenv func(string) string, system string) bool {
	ci := getenv("CI")
	return (ci == "" || ci == "false") && obeys(getenv, system)
}

// obeys reports whether the terminal is known to support escape sequences. On Windows only
// terminals that set WT_SESSION are.
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

// draw draws the view. The caller holds the lock.
func (l *live) draw() { l.screen.Draw(l.view.Lines(l.screen.Size())) }

// watch shows that the campaign is ending once ctx is done, until stop is called.
func (l *live) watch(ctx context.Context) (stop func() bool) {
	return context.AfterFunc(ctx, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.view.Ending = true; !l.closed {
			l.draw()
		}
	})
}

// close ends the live screen, so that the results can be printed.
func (l *live) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	l.screen.Close()
}
