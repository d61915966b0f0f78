package coverage

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"
)

// A modeled is one order, used as a key of the model in TestSightings.
type modeled struct {
	spot
	order uint64
}

// TestSightings performs random operations on a past and on a model, and compares the two. The
// model is a map with an entry for each order. Half of the operations use one of twelve keys
// (spots), so that these keys get several entries. The other operations use one of 1,000 keys, so
// that the table grows, and removing a key moves others.
func TestSightings(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	p, model, most := &past{}, map[modeled]runs{}, 0
	for n := range 20_000 {
		at := spot{int32(r.IntN(2)), int32(r.IntN(3)), int32(r.IntN(2))}
		if r.IntN(2) == 0 {
			at = spot{int32(r.IntN(10)), int32(r.IntN(10)), int32(r.IntN(10))}
		}
		id, op := uint64(1+r.IntN(5)), r.IntN(3)
		chosen, known, many := r.Uint64()&r.Uint64()&r.Uint64()&r.Uint64(), uint64(0), uint64(0)
		if op == 0 {
			chosen = math.MaxUint64 // forget all orders of the spot, so that the spot becomes empty
		}
		for rest := chosen; rest != 0; rest &= rest - 1 {
			if _, had := model[modeled{at, rest & -rest}]; had {
				known |= rest & -rest
			}
		}
		switch {
		case op == 0:
			p.forget(at, known)
			remove(model, at, known)
		case known != 0:
			for rest := known; rest != 0; rest &= rest - 1 {
				key := modeled{at, rest & -rest}
				by, ok := model[key].add(id)
				if model[key] = by; !ok {
					many |= key.order
				}
			}
			remove(model, at, many)
			if got := p.repeat(at, known, id); got != many {
				t.Fatalf("operation %d: three runs have %x, want %x", n, got, many)
			}
		}
		if first := chosen &^ known; op != 0 && first != 0 {
			p.add(at, first, runs{first: id})
			for ; first != 0; first &= first - 1 {
				model[modeled{at, first & -first}] = runs{first: id}
			}
		}
		most = max(most, p.rare.used)
		if n%500 == 0 {
			compare(t, p, model)
		}
	}
	if compare(t, p, model); most < 300 || len(model) < 300 {
		t.Errorf("at most %d spots at a time, %d orders at last: the table hardly grows", most, len(model))
	}
}

func remove(model map[modeled]runs, at spot, orders uint64) {
	for ; orders != 0; orders &= orders - 1 {
		delete(model, modeled{at, orders & -orders})
	}
}

// compare checks that a past agrees with its model.
func compare(t *testing.T, p *past, model map[modeled]runs) {
	t.Helper()
	held, spots, entries, orders := map[uint64]int32{}, map[spot]bool{}, 0, 0
	for key, by := range model {
		if got := p.rare.of(key.spot, key.order); got != by {
			t.Fatalf("%+v: runs %v, want %v", key, got, by)
		}
		if spots[key.spot] = true; by.second == 0 {
			held[by.first]++
		}
	}
	for _, s := range p.rare.all() {
		entries++
		orders += bits.OnesCount64(s.orders)
		if s.orders == 0 {
			t.Fatal("an entry has no order")
		}
	}
	if orders != len(model) || p.rare.orders != orders || p.rare.used != len(spots) || len(p.held) != len(held) {
		t.Fatalf("%d orders, counted as %d, of %d spots; want %d of %d", orders, p.rare.orders, p.rare.used, len(model), len(spots))
	}
	for id, n := range held {
		if p.held[id] != n {
			t.Fatalf("only run %d has %d orders, want %d", id, p.held[id], n)
		}
	}
	free := 0
	for i := p.rare.free; i != 0; i = p.rare.list[i].next {
		free++
	}
	if want := max(1, len(p.rare.list)) - 1; entries+free != want && want > 0 {
		t.Fatalf("%d entries and %d free ones, want %d", entries, free, want)
	}
}
