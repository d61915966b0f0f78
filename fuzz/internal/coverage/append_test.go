package coverage_test

import (
	"reflect"
	"testing"

	"github.com/jostle-go/jostle/fuzz/internal/coverage"
)

// TestAppend checks that the appended parts of a search equal the whole search. They have one
// source, the same runs and orders, and the same chance of new orders.
func TestAppend(t *testing.T) {
	for prog := range uint64(20) {
		all := traces(program{seed: prog, objects: prog%4 == 3}, 12)
		whole, parts := &coverage.Orders{Source: 7}, &coverage.Orders{Source: 7}
		var part *coverage.Orders
		for i, tr := range all {
			run := coverage.Run{ID: uint64(i) + 1, Unguided: i%3 > 0}
			whole.Add(tr, run)
			if i%4 == 0 {
				part = &coverage.Orders{Source: 9} // the same source as another part, but other runs
			}
			part.Add(tr, run)
			if i%4 == 3 {
				parts.Append(part)
			}
		}
		if parts.Runs() != 12 || parts.Chance() != whole.Chance() || parts.Seen() != whole.Seen() {
			t.Errorf("program %d: %d runs, %d seen, %v; want 12, %d, %v", prog, parts.Runs(), parts.Seen(), parts.Chance(),
				whole.Seen(), whole.Chance())
		}
		if curves := parts.Curves(); len(curves) != 1 || curves[0][len(curves[0])-1].Runs != 12 {
			t.Errorf("program %d: the curves are %v, want one up to 12 runs", prog, curves)
		}
	}
}

// TestAddSeen checks that the orders of other runs are added without the runs. If one of these runs
// has an order, the order no longer counts as one that a single run of the search has.
func TestAddSeen(t *testing.T) {
	for prog := range uint64(20) {
		all := traces(program{seed: prog, objects: prog%4 == 3}, 12)
		search, other, merged := &coverage.Orders{Source: 7}, &coverage.Orders{Source: 9}, &coverage.Orders{}
		for i, tr := range all {
			if i < 6 {
				search.Add(tr, coverage.Run{Unguided: true})
			} else {
				other.Add(tr, coverage.Run{})
			}
		}
		merged.Merge(search)
		merged.Merge(other)
		before := search.Curves()
		search.AddSeen(other)
		if got, want := search.Count(), merged.Count(); got != want || search.Chance() != merged.Chance() {
			t.Errorf("program %d: %+v and %v, want %+v and %v", prog, got, search.Chance(), want, merged.Chance())
		}
		if search.Runs() != 6 || !reflect.DeepEqual(search.Curves(), before) {
			t.Errorf("program %d: %d runs, and the curves %v; want 6, and %v", prog, search.Runs(), search.Curves(), before)
		}
	}
}

// TestAppendIsBounded: when the memory is used up, runs are counted, and the chance is
// not underestimated.
func TestAppendIsBounded(t *testing.T) {
	o := &coverage.Orders{Bytes: 1}
	for seed, tr := range traces(program{seed: 3}, 5) {
		part := &coverage.Orders{}
		part.Add(tr, coverage.Run{ID: uint64(seed) + 1, Unguided: true})
		o.Append(part)
	}
	if first := o.Seen(); first == 0 || o.Runs() != 5 || o.Chance().Alone < 4 {
		t.Errorf("%d orders, %d runs, %v", first, o.Runs(), o.Chance())
	}
	o.Append(o)
	if o.Append(nil); o.Runs() != 5 {
		t.Errorf("%d runs after none were appended", o.Runs())
	}
}
