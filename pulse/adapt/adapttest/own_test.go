package adapttest

import (
	"testing"

	"github.com/jostle-go/jostle/fuzz/explore"
)

// TestPrograms checks the number of distinct orders of each program. For senders, pi
// and philosophers it is the known number of the programs with these names. pingpong
// has two orders in each of its four rounds. In family, the reports of two children
// reach each of three parents in either order. In askers, two pairs of questions reach
// the server in one of six orders, and an asker receives the other's hello before or
// after its own questions. It is impossible that both askers receive it before.
func TestPrograms(t *testing.T) {
	want := map[string]int{"senders": 90, "pingpong": 16, "pi": 6, "family": 8, "philosophers": 48, "askers": 18}
	for _, p := range programs() {
		x := explorer{program: p, runtime: newOwn}
		x.judge = func(st *stage, where string) bool {
			f := st.judge()
			if f.rule != "" {
				t.Errorf("%s: %v", p.name, f)
			}
			return f.rule == ""
		}
		r, _ := x.explore(explore.Options{})
		if !r.Complete || r.Distinct != want[p.name] || len(x.seen) != want[p.name] {
			t.Errorf("%s: %d distinct orders and %d outcomes, want %d; %+v", p.name, r.Distinct, len(x.seen), want[p.name], r)
		}
		if r.Reduction != explore.Optimal {
			t.Errorf("%s: with %v: %s", p.name, r.Reduction, r.Because)
		}
		all := explorer{program: p, runtime: newOwn}
		every, _ := all.explore(explore.Options{Runs: 1000, Method: explore.Method{Reduction: explore.Everything, CountDistinct: true}})
		if out := without(all.seen, x.seen); out != "" || every.Complete && every.Distinct != r.Distinct {
			t.Errorf("%s: all orders have %d distinct ones of %d, and with %v there is none with %s", p.name, every.Distinct, r.Distinct, r.Reduction, out)
		}
	}
}

// TestOwn checks that the reference runtime breaks no rule itself.
func TestOwn(t *testing.T) {
	if err := (Adapter{New: newOwn}).Test(); err != nil {
		t.Error(err)
	}
}
