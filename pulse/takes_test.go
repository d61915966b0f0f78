package pulse_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/jostle-go/jostle/pulse"
)

// Two types that the compiler makes one code for.
type (
	blank struct{}
	void  struct{}
)

func isWord(msg any) bool   { _, is := msg.(string); return is }
func isNumber(msg any) bool { _, is := msg.(int); return is }

// Which steps of a process change what it takes: those after which it waits for
// other messages than before. A wait for an answer, or for time, is no change.
func TestWhatProcessesTake(t *testing.T) {
	echo := pulse.Func(func(ctx *pulse.Ctx, _ any) { ctx.Reply("echo") })
	for _, c := range []struct {
		name string
		body func(p *pulse.Process, echo pulse.Ref)
		want string // a letter for each step: the start, then what it receives
	}{
		{"always all", func(p *pulse.Process, _ pulse.Ref) { p.Receive(); p.Receive(); p.Receive() }, "...."},
		{"all, then words", func(p *pulse.Process, _ pulse.Ref) { p.Receive(); p.ReceiveMatch(isWord); p.ReceiveMatch(isWord) }, ".C.."},
		{"words, then numbers", func(p *pulse.Process, _ pulse.Ref) { p.ReceiveMatch(isWord); p.ReceiveMatch(isNumber); p.Receive() }, ".CC."},
		{"words by two functions of one text", func(p *pulse.Process, _ pulse.Ref) {
			for i := range 3 {
				p.ReceiveMatch(func(msg any) bool { return i < 3 && isWord(msg) })
			}
		}, "...."},
		{"two types of one shape", func(p *pulse.Process, _ pulse.Ref) {
			pulse.ReceiveAs[blank](p)
			pulse.ReceiveAs[blank](p)
			pulse.ReceiveAs[void](p)
		}, "..C."},
		{"sleep", func(p *pulse.Process, _ pulse.Ref) { p.Receive(); p.Sleep(time.Second); p.Receive() }, "...."},
		{"an answer, then all", func(p *pulse.Process, echo pulse.Ref) { p.Receive(); p.Ask(echo, "?"); p.Receive() }, "...."},
		{"an answer, then words", func(p *pulse.Process, echo pulse.Ref) { p.Receive(); p.Ask(echo, "?"); p.ReceiveMatch(isWord) }, "..C."},
		{"no time", func(p *pulse.Process, _ pulse.Ref) { p.ReceiveTimeout(0); p.ReceiveTimeout(time.Hour); p.Receive() }, "...."},
	} {
		sys := pulse.New(pulse.Options{Record: true})
		e := sys.Spawn("echo", echo)
		p := sys.Go("p", func(p *pulse.Process) { c.body(p, e) })
		for _, msg := range []any{"a", "b", 1, "c", blank{}, blank{}, void{}} {
			sys.Send(p, msg)
		}
		sys.Run()
		got := ""
		for _, st := range sys.Trace().Steps {
			switch {
			case st.Actor != int32(p.Index()):
			case st.Changed:
				got += "C"
			default:
				got += "."
			}
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		if f := sys.Failure(); f != nil {
			t.Error(fmt.Sprint(c.name, ": ", f))
		}
		sys.Close()
	}
}
