package trial

import (
	"math"
	"testing"

	"github.com/jostle-go/jostle/props"
)

// TestEachOrder: the chances of all runs of three words add up to one,
// and each of their orders occurs. A bound that is too low is reported.
func TestEachOrder(t *testing.T) {
	said := ""
	r := props.NewRunner(t.Name(), func(t *props.T) {
		said = ""
		sys := t.System()
		Crowd(sys, 3, func(word string) { said += word })
		sys.Run()
	})
	defer r.Close()
	orders, runs, sum := map[string]bool{}, 0, 0.0
	all := EachOrder(r, props.Plan{}, 1000, func(_ *props.Result, chance float64) {
		orders[said] = true
		runs++
		sum += chance
	})
	if !all || len(orders) != 6 || math.Abs(sum-1) > 1e-9 {
		t.Errorf("all %t: %d orders in %d runs, whose chances add up to %g", all, len(orders), runs, sum)
	}
	if EachOrder(r, props.Plan{}, runs-1, func(*props.Result, float64) {}) || !EachOrder(r, props.Plan{}, runs, func(*props.Result, float64) {}) {
		t.Errorf("%d runs are not the least bound", runs)
	}
}
