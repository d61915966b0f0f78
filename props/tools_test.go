package props_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// An observant is an actor with fields that belong to the test.
type observant struct {
	t     *props.T
	rapid *rapid.T
	gen   *rapid.Generator[int]
}

func (*observant) Receive(*pulse.Ctx, any) {}

// stating is a strategy of plain order that compares states.
type stating struct{ pulse.Strategy }

func (stating) Needs() pulse.Needs { return pulse.Needs{States: true} }

// TestTools checks that values of the test's own are not part of a state, in systems
// with options and without.
func TestTools(t *testing.T) {
	for name, system := range map[string]func(*props.T) *pulse.System{
		"plain":   (*props.T).System,
		"options": func(t *props.T) *pulse.System { return t.SystemWith(pulse.Options{Orphans: true}) },
	} {
		t.Run(name, func(t *testing.T) {
			var before, after uint64
			var text string
			r := props.NewRunner("tools", func(t *props.T) {
				sys := system(t)
				sys.Spawn("a", &observant{t, &rapid.T{}, rapid.Int()})
				before, text = sys.State(), sys.StateText()
				t.Logf("something that changes t")
				props.Draw(t, rapid.Int(), "n")
				after = sys.State()
				sys.Run()
			})
			defer r.Close()
			for range 2 {
				if res := r.Run(props.Plan{Strategy: stating{strategy.Plain()}}); res.Failure != nil || before != after || strings.Contains(text, "history") {
					t.Errorf("%v, and states %#x and %#x:%s", res.Failure, before, after, text)
				}
			}
		})
	}
}
