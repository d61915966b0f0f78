package session

import (
	"testing"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
)

// A stayer is a strategy that can crash actors and never does. It counts how often it is
// asked when no message can be delivered.
type stayer struct{ rests int }

func (*stayer) Needs() pulse.Needs          { return pulse.Needs{Strikes: true} }
func (*stayer) Begin(uint64)                {}
func (*stayer) Choose(choice.Kind, int) int { return 0 }
func (s *stayer) Pick(e *pulse.Enabled) int {
	if e.Len() == 0 {
		s.rests++
		return pulse.Hold
	}
	return e.Oldest()
}

// TestTellerAsksForStrikes: a teller reports the decisions of another strategy. It
// lets that strategy decide about crashes, even if no message can be delivered.
func TestTellerAsksForStrikes(t *testing.T) {
	s := &stayer{}
	by := &teller{Strategy: s, needs: s.Needs(), say: func(Decision) {}}
	sys := pulse.New(pulse.Options{Record: true, Strategy: by, Faults: pulse.Faults{Crash: 1}})
	defer sys.Close()
	sys.Send(sys.Spawn("actor", pulse.Func(func(*pulse.Ctx, any) {})), 1)
	if sys.Run(); len(sys.Trace().Steps) != 1 || s.rests != 1 {
		t.Errorf("%d steps, and asked %d times at rest; want one of each", len(sys.Trace().Steps), s.rests)
	}
}
