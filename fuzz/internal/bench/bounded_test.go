package bench

import (
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/jostle-go/jostle/pulse"
)

// bounding implements delay bounding independently. Tasks wait in a
// queue. Each step takes the first, or moves it to the end, which uses
// up one delay. A taken task appends the tasks that next lists for it.
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

// TestBoundedReachesWhatItSays: with at most d delays, exactly the orders with at most
// d delays occur, each with probability at least 1/(k+1)^d (k is the number of steps).
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

// tasks runs a program whose actors receive one message
// each. Actor i then sends one to each actor of next[i].
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

// TestBoundedGoesBehindTheQueue: a delayed message goes behind all waiting
// messages, including those blocked by earlier messages of their channel.
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
		"010011": true, // plain order: both sources, then their messages
		"101100": true, // the first source goes behind the second
		"000111": true, // the second source goes behind the first source's messages
		"011100": true, // a message of one source goes behind those of the other
	}
	if !maps.Equal(seen, want) {
		t.Errorf("got the orders %v, expected %v", seen, want)
	}
}
