package tool

import (
	"context"
	"os"
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
	screen  screen.Screen
	print   printer // prints findings and notes
	restore func()  // ends the raw mode of the keyboard

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
	l := &live{restore: func() {}}
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

// tell updates the screen. It prints an event that is a note, or a finding that the user cannot open
// by a key.
func (l *live) tell(e campaign.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e.Kind == campaign.Found && !l.view.Keys || e.Kind == campaign.Noted {
		l.show(&e)
	}
	l.view.Tell(e)
	l.draw()
}

// show prints a finding or note above the lines. The caller must hold mu.
func (l *live) show(e *campaign.Event) {
	var b strings.Builder
	l.print.w = &b
	l.print.columns, _ = l.screen.Size()
	l.print.tell(*e)
	l.screen.Print(b.String(), l.print.links(e.Subject, e.Finding))
}

// listen reads keys until the campaign ends, if there is a keyboard. The function end is called when
// the user presses the key that ends the campaign.
func (l *live) listen(call *Call, end func()) {
	keyboard := call.keyboard()
	if keyboard == nil {
		return
	}
	restore, err := call.Terminal.Raw(int(keyboard.Fd()))
	if err != nil {
		return
	}
	outs := []*screen.Output{l.screen.Out}
	if o, ok := call.Err.(*screen.Output); ok {
		outs = append(outs, o)
	}
	for _, o := range outs {
		o.SetRaw(true)
	}
	l.view.Keys = true
	l.restore = sync.OnceFunc(func() {
		restore()
		for _, o := range outs {
			o.SetRaw(false)
		}
	})
	go func() {
		var keys screen.Keys
		for b := make([]byte, 1); ; {
			if n, err := keyboard.Read(b); n == 0 || err != nil {
				return // the terminal is gone
			}
			key, ok := keyOf(&keys, b[0])
			switch {
			case !ok:
			case key == "q":
				if l.restore(); !l.over() {
					end()
				}
				return
			default:
				l.press(key)
			}
		}
	}()
}

// keyOf returns the key that byte b from the keyboard completes, if there is one.
func keyOf(keys *screen.Keys, b byte) (key string, ok bool) {
	switch {
	case b == '\r' || b == '\n':
		return screen.Enter, true
	case b == ':' || b == ' ' || '0' <= b && b <= '9' && keys.Idle():
		return "", false // in a stepper these keys begin a typed command; the live screen has none
	}
	return keys.Take(b)
}

// over reports whether the campaign has ended.
func (l *live) over() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.closed
}

// press handles a key, except the key that ends the campaign.
func (l *live) press(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	if e := l.view.Press(key); e != nil {
		l.show(e)
	}
	l.draw()
}

// interruptSelf sends this process the signal that Ctrl-C sends. While the command reads keys,
// Ctrl-C itself sends no signal. If no signal can be sent, interruptSelf calls otherwise.
func interruptSelf(otherwise func()) {
	self, err := os.FindProcess(os.Getpid())
	if err != nil || self.Signal(os.Interrupt) != nil {
		otherwise()
	}
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
	l.restore()
}
