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

// A live shows the progress of a campaign at the bottom of a terminal, below the printed findings
// and notes.
type live struct {
	screen screen.Screen
	print  printer // prints findings and notes

	mu     sync.Mutex // guards the following fields; draw must be called with mu held
	view   screen.View
	closed bool
}

// everySecond is the interval at which the live screen is updated.
const everySecond = time.Second

// newLive returns the live screen for a call. It returns nil if the output is not a terminal, if
// the terminal may not support escape sequences, or if the environment variable CI is set.
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

// obeys reports whether the terminal supports escape sequences, as far as known. On Windows, only
// terminals that set WT_SESSION are known to support them.
func obeys(getenv func(string) string, system string) bool {
	return getenv("TERM") != "dumb" && (system != "windows" || getenv("WT_SESSION") != "")
}

// tell prints an event that is a finding or note, and updates the screen.
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

// draw draws the view. The caller must hold mu.
func (l *live) draw() { l.screen.Draw(l.view.Lines(l.screen.Size())) }

// watch makes the screen show that the campaign is ending when ctx is done. The function stop ends
// the watch.
func (l *live) watch(ctx context.Context) (stop func() bool) {
	return context.AfterFunc(ctx, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.view.Ending = true; !l.closed {
			l.draw()
		}
	})
}

// close removes the live screen, so that the results can be printed.
func (l *live) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	l.screen.Close()
}
