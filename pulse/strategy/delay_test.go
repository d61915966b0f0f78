package strategy_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// explore is an independent implementation of delay bounding: tasks wait in a
// row; while delays are left the first may go to the end; a task that is taken
// puts the tasks that it leads to at the end.
func explore(queue []int, next map[int][]int, delays int, taken string, found map[string]bool) {
	if len(queue) == 0 {
		found[taken] = true
		return
	}
	head, rest := queue[0], queue[1:]
	explore(append(slices.Clone(rest), next[head]...), next, delays, taken+string(rune('a'+head)), found)
	if delays > 0 && len(rest) > 0 {
		explore(append(slices.Clone(rest), head), next, delays-1, taken, found)
	}
}

// TestDelayReachesWhatItSays checks that with at most d delays exactly those
// orders come that take at most d, each with chance 1/(k+1)^d at least.
func TestDelayReachesWhatItSays(t *testing.T) {
	next := map[int][]int{0: {4}, 2: {5, 6}}
	before := 0
	for delays := range 4 {
		want := map[string]bool{}
		explore([]int{0, 1, 2, 3}, next, delays, "", want)
		const steps = 6
		got := map[string]int{}
		sys := pulse.New(pulse.Options{Strategy: strategy.DelayBounded(strategy.DelayBoundedOptions{Delays: delays, Steps: steps})})
		tries := runs(10_000)
		for seed := range tries {
			got[delayed(t, sys, uint64(seed), next)]++
		}
		sys.Close()
		chance := 1.0
		for range delays {
			chance /= steps + 1
		}
		for order := range got {
			if !want[order] {
				t.Errorf("%d delays give the order %s", delays, order)
			}
		}
		for order := range want {
			if atMost(got[order], tries, chance) < errorChance {
				t.Errorf("%d delays give the order %s %d times in %d", delays, order, got[order], tries)
			}
		}
		if len(want) <= before {
			t.Errorf("%d delays give %d orders, one less gave %d: the test shows nothing", delays, len(want), before)
		}
		before = len(want)
		t.Logf("%d delays: all of %d orders and no other", delays, len(want))
	}
}

// delayed runs a program of actors that receive one message each; actor i then
// sends to the actors that next lists for it.
func delayed(t *testing.T, sys *pulse.System, seed uint64, next map[int][]int) (order string) {
	t.Helper()
	sys.Reset(seed)
	refs := make([]pulse.Ref, 7)
	for i := range refs {
		refs[i] = sys.Spawn("actor", pulse.Func(func(ctx *pulse.Ctx, _ any) {
			order += string(rune('a' + i))
			for _, to := range next[i] {
				ctx.Send(refs[to], kick{})
			}
		}))
	}
	for i := range 4 {
		sys.Send(refs[i], kick{})
	}
	sys.Run()
	must(t, sys.Failure())
	return order
}

// TestDelayGoesBehindTheQueue checks that a delayed message goes behind all
// that wait, also those that others of their channel keep from being picked.
func TestDelayGoesBehindTheQueue(t *testing.T) {
	p := &lanes{w: 2, l: 2}
	sys := pulse.New(pulse.Options{Strategy: strategy.DelayBounded(strategy.DelayBoundedOptions{Delays: 1, Steps: 3})})
	defer sys.Close()
	seen := map[string]bool{}
	for seed := range 200 {
		must(t, p.run(sys, uint64(seed)))
		seen[string(p.steps)] = true
	}
	want := map[string]bool{
		"010011": true, // plain order: both kicks, then the marks
		"101100": true, // the first kick behind the second
		"000111": true, // the second kick behind both marks of the other lane
		"011100": true, // a mark behind those of the other lane
	}
	if !maps.Equal(seen, want) {
		t.Errorf("got the orders %v, expected %v", seen, want)
	}
}
