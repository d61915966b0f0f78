package shrink_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/shrink"
)

// permutations returns all orders of the numbers from 1 to n.
func permutations(n int) (all [][]uint64) {
	if n == 0 {
		return [][]uint64{nil}
	}
	for _, p := range permutations(n - 1) {
		for i := 0; i <= len(p); i++ {
			all = append(all, slices.Insert(slices.Clone(p), i, uint64(n)))
		}
	}
	return all
}

// ordersOf returns all orders of n messages to one actor. The function fails says which of them
// failed.
func ordersOf(n int, fails func(before func(a, b uint64) bool) bool) (orders []shrink.Order) {
	for _, p := range permutations(n) {
		before := func(a, b uint64) bool { return slices.Index(p, a) < slices.Index(p, b) }
		orders = append(orders, shrink.Order{Failed: fails(before), Received: []shrink.Received{{Actor: 1, Steps: p}}})
	}
	return orders
}

// holds reports whether a condition holds in an order, by its definition.
func holds(c shrink.Condition, o shrink.Order) bool {
	for _, term := range c.Terms {
		all := true
		for _, b := range term {
			one := false
			for _, r := range o.Received {
				first, second := slices.Index(r.Steps, b.First), slices.Index(r.Steps, b.Second)
				one = one || first >= 0 && (second < 0 || first < second)
			}
			all = all && one
		}
		if all {
			return true
		}
	}
	return false
}

func TestConditions(t *testing.T) {
	for _, c := range []struct {
		name  string
		n     int
		fails func(before func(a, b uint64) bool) bool
		like  []choice.Constraint
		want  string
	}{
		{"one", 4, func(before func(a, b uint64) bool) bool { return before(3, 1) }, nil, "[[{3 1}]]"},
		{"two", 4, func(before func(a, b uint64) bool) bool { return before(3, 1) && before(1, 4) }, nil, "[[{1 4} {3 1}]]"},
		{"either", 4, func(before func(a, b uint64) bool) bool { return before(3, 1) || before(4, 2) }, nil, "[[{3 1}] [{4 2}]]"},
		{"never", 3, func(func(a, b uint64) bool) bool { return false }, nil, "no"},
		{"an even permutation", 4, func(before func(a, b uint64) bool) bool {
			n := 0
			for a := uint64(1); a <= 4; a++ {
				for b := a + 1; b <= 4; b++ {
					if before(b, a) {
						n++
					}
				}
			}
			return n%2 == 0
		}, nil, "no"},
	} {
		got, ok := shrink.ConditionOf(ordersOf(c.n, c.fails), c.like)
		text := fmt.Sprint(got.Terms)
		if !ok {
			text = "no"
		}
		if text != c.want {
			t.Errorf("%s: %s, want %s", c.name, text, c.want)
		}
	}
}

// TestConditionsOfGoroutines: a condition on goroutines names no step that only failing orders have, such as the clock
// ticks 2 and 9, for which a failing test waits. In runs of actors, which share no objects, a condition may name them.
func TestConditionsOfGoroutines(t *testing.T) {
	order := func(failed bool, ticks []uint64, steps ...uint64) shrink.Order {
		return shrink.Order{Failed: failed, Received: []shrink.Received{{Actor: 1, Steps: ticks}}, Steps: steps, Shared: [][]uint64{steps}}
	}
	both := []shrink.Order{order(true, []uint64{1, 2, 9}, 3, 4), order(false, []uint64{1}, 4, 3)}
	if c, ok := shrink.ConditionOf(both, nil); !ok || fmt.Sprint(c.Terms) != "[[{3 4}]]" {
		t.Errorf("%v, %v", c, ok)
	}
	alike := []shrink.Order{order(true, []uint64{1, 2, 9}, 3, 4), order(false, []uint64{1}, 3, 4)}
	if c, ok := shrink.ConditionOf(alike, nil); ok {
		t.Errorf("only ticks differ: %v", c)
	}
	for i := range alike {
		alike[i].Shared = nil
	}
	if c, ok := shrink.ConditionOf(alike, nil); !ok || fmt.Sprint(c.Terms) != "[[{2 9}]]" {
		t.Errorf("of actors: %v, %v", c, ok)
	}
}

// TestConditionsAreExact checks, for random sets of orders, that a condition holds in exactly the orders that failed.
// It also checks that a conjunction is as short as the shortest one, found by trying all. A message may be missing from
// some orders.
func TestConditionsAreExact(t *testing.T) {
	seeds, found, short := 1000, 0, 0
	if os.Getenv("JOSTLE_NIGHTLY") != "" {
		seeds = 3000
	}
	for seed := range uint64(seeds) {
		d := rand.New(rand.NewPCG(seed, 3))
		hidden := hiddenTerms(d)
		orders := ordersOf(4, func(before func(a, b uint64) bool) bool {
			return slices.ContainsFunc(hidden, func(term []choice.Constraint) bool {
				return !slices.ContainsFunc(term, func(c choice.Constraint) bool { return !before(c.First, c.Second) })
			})
		})
		orders = slices.DeleteFunc(orders, func(shrink.Order) bool { return d.IntN(3) == 0 })
		for i := range orders {
			if d.IntN(4) == 0 { // a failing run ends early, so messages may be missing
				r := &orders[i].Received[0]
				r.Steps = r.Steps[:2+d.IntN(3)]
			}
		}
		c, ok := shrink.ConditionOf(orders, nil)
		if !ok {
			continue
		}
		found++
		for _, o := range orders {
			if holds(c, o) != o.Failed {
				t.Fatalf("seed %d: %v is %t in %v", seed, c.Terms, !o.Failed, o)
			}
		}
		if want := shortestConjunction(orders); want > 0 {
			short++
			if len(c.Terms) != 1 || len(c.Terms[0]) != want {
				t.Fatalf("seed %d: %v, where %d constraints together will do", seed, c.Terms, want)
			}
		}
	}
	if found < seeds/2 || short < seeds*8/30 {
		t.Errorf("%d of %d had a condition, %d a conjunction", found, seeds, short)
	}
}

// hiddenTerms draws the orders of four messages in which a program fails.
func hiddenTerms(d *rand.Rand) (terms [][]choice.Constraint) {
	for range 1 + d.IntN(2) {
		var term []choice.Constraint
		for range 1 + d.IntN(2) {
			first := 1 + d.Uint64N(4)
			term = append(term, choice.Constraint{First: first, Second: 1 + (first+d.Uint64N(3))%4})
		}
		terms = append(terms, term)
	}
	return terms
}

// shortestConjunction returns the length of the shortest conjunction that holds in exactly the
// orders that failed. It tries all conjunctions of at most four constraints, and returns 0 if there
// is none.
func shortestConjunction(orders []shrink.Order) int {
	var all []choice.Constraint
	for a := uint64(1); a <= 4; a++ {
		for b := uint64(1); b <= 4; b++ {
			if a != b {
				all = append(all, choice.Constraint{First: a, Second: b})
			}
		}
	}
	failed := slices.ContainsFunc(orders, func(o shrink.Order) bool { return o.Failed })
	for n := 1; n <= 4 && failed; n++ {
		if anyOf(all, nil, n, orders) {
			return n
		}
	}
	return 0
}

func anyOf(all, term []choice.Constraint, n int, orders []shrink.Order) bool {
	if n == 0 {
		c := shrink.Condition{Terms: [][]choice.Constraint{term}}
		return !slices.ContainsFunc(orders, func(o shrink.Order) bool { return holds(c, o) != o.Failed })
	}
	for i := range all {
		if anyOf(all[i+1:], append(slices.Clip(term), all[i]), n-1, orders) {
			return true
		}
	}
	return false
}
