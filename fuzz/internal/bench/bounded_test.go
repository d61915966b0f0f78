package bench

import (
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/jostle-go/jostle/pulse"
)

// bounding is an independent implementation of delay bounding: tasks wait in a
// row; while delays are left the first may go to the end; a task that is taken
// puts the tasks that it leads to at the end.
func bounding(queue []int, next map[int][]int, delays int, taken string, found map[string]bool) {
	if len(queue) == 0 {
		found[taken] = true
		return
	}
	head, rest := queue[0], queue[1:]
	bounding(append(slices.Clone(rest), next[head]...), next, delays, taken+string(rune('a'+head)), found)
	if delays > 0 && len(rest) > 0 {
		bounding(append(slices.Clone(rest), head), next, delays-1, taken, found)
	}
}

// TestBoundedReachesWhatItSays checks that with at most d delays exactly those
// orders come that take at most d, each with chance 1/(k+1)^d at least.
func TestBoundedReachesWhatItSays(t *testing.T) {
	const steps, tries = 6, 10_000
	next := map[int][]int{0: {4}, 2: {5, 6}}
	before := 0
	for delays := range 4 {
		want, got := map[string]bool{}, map[string]int{}
		bounding([]int{0, 1, 2, 3}, next, delays, "", want)
		sys := pulse.New(pulse.Options{Strategy: boundedBy(delays, steps)})
		for seed := range uint64(tries) {
			got[tasks(t, sys, seed, next)]++
		}
		sys.Close()
		mean := tries / math.Pow(steps+1, float64(delays))
		for order := range got {
			if !want[order] {
				t.Errorf("%d delays give the order %s", delays, order)
			}
		}
		for order := range want {
			if float64(got[order]) < mean-5*math.Sqrt(mean) {
				t.Errorf("%d delays give the order %s %d times in %d", delays, order, got[order], tries)
			}
		}
		if len(want) <= before {
			t.Errorf("%d delays give %d orders, one less gave %d: the test shows nothing", delays, len(want), before)
		}
		before = len(want)
	}
}

// tasks runs a program of actors that receive one message each; actor i then
// sends to the actors that next lists for it.
func tasks(t *testing.T, sys *pulse.System, seed uint64, next map[int][]int) (order string) {
	t.Helper()
	sys.Reset(seed)
	refs := make([]pulse.Ref, 7)
	for i := range refs {
		refs[i] = sys.Spawn("actor", pulse.Func(func(ctx *pulse.Ctx, _ any) {
			order += string(rune('a' + i))
			for _, to := range next[i] {
				ctx.Send(refs[to], i)
			}
		}))
	}
	for i := range 4 {
		sys.Send(refs[i], i)
	}
	if sys.Run(); sys.Failure() != nil {
		t.Fatal(sys.Failure())
	}
	return order
}

// TestBoundedGoesBehindTheQueue checks that a delayed message goes behind all that
// wait, also those that others of their channel keep from being picked.
func TestBoundedGoesBehindTheQueue(t *testing.T) {
	sys := pulse.New(pulse.Options{Strategy: boundedBy(1, 3)})
	defer sys.Close()
	seen := map[string]bool{}
	for seed := range uint64(200) {
		sys.Reset(seed)
		order := ""
		sink := sys.Spawn("sink", pulse.Func(func(_ *pulse.Ctx, msg any) { order += msg.(string) }))
		for _, lane := range []string{"0", "1"} {
			sys.Send(sys.Spawn("source", pulse.Func(func(ctx *pulse.Ctx, _ any) {
				order += lane
				ctx.Send(sink, lane)
				ctx.Send(sink, lane)
			})), "go")
		}
		sys.Run()
		seen[order] = true
	}
	want := map[string]bool{
		"010011": true, // plain order: both sources, then what they sent
		"101100": true, // the first source behind the second
		"000111": true, // the second source behind what the first has sent
		"011100": true, // a message behind those of the other source
	}
	if !maps.Equal(seen, want) {
		t.Errorf("got the orders %v, expected %v", seen, want)
	}
}
