package props

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// TestWayIntoRapid fails when numbersOf no longer finds the field of a rapid.T that
// holds the numbers. Draws then cost ten times as much, and numbersOf must be adapted.
func TestWayIntoRapid(t *testing.T) {
	var g generators
	g.open()
	if g.numbers == nil {
		t.Error("rapid.T does not read its numbers where numbersOf looks")
	}
}

// TestThroughMakeFuzz draws from rapid in both ways: directly, and by MakeFuzz. Both must draw and
// reject the same values, and leave the same number of words.
func TestThroughMakeFuzz(t *testing.T) {
	var direct, through generators
	through.opened = true // the field numbers stays nil, as if rapid.T had no such field
	gens := map[string]*rapid.Generator[any]{
		"int":      rapid.Int().AsAny(),
		"string":   rapid.String().AsAny(),
		"slice":    rapid.SliceOf(rapid.IntRange(0, 99)).AsAny(),
		"filtered": rapid.IntRange(0, 99).Filter(func(n int) bool { return n > 90 }).AsAny(),
		"custom": rapid.Custom(func(rt *rapid.T) int {
			if n := rapid.IntRange(0, 9).Draw(rt, "n"); n > 1 {
				rt.SkipNow()
			}
			return rapid.Int().Draw(rt, "m")
		}).AsAny(),
		"panics": rapid.Custom(func(rt *rapid.T) int {
			if n := rapid.IntRange(0, 9).Draw(rt, "n"); n > 4 {
				panic(n)
			}
			return 0
		}).AsAny(),
	}
	ends := map[string]int{}
	for name, gen := range gens {
		for seed := range uint64(200) {
			w := words{state: seed}
			numbers := w.list(nil, 1+int(seed)%20)
			a, b := drawn(&direct, numbers, gen), drawn(&through, numbers, gen)
			if a != b {
				t.Fatalf("%s, seed %d: %s; through MakeFuzz: %s", name, seed, a, b)
			}
			ends[a[:5]]++
		}
	}
	if len(ends) < 3 {
		t.Errorf("not every way for a draw to end was seen: %v", ends)
	}
}

// drawn draws a value, and returns the value or the panic as text.
func drawn(g *generators, numbers []uint64, gen *rapid.Generator[any]) (end string) {
	defer func() {
		if v := recover(); v != nil {
			end = fmt.Sprintf("panic: %v", v)
		}
	}()
	var v any
	left, ok := g.call(numbers, func(rt *rapid.T) { v = gen.Draw(rt, "v") })
	if !ok {
		return fmt.Sprintf("reject, %d left", left)
	}
	return fmt.Sprintf("value %#v", v)
}
