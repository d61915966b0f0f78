package coverage_test

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/jostle-go/jostle/fuzz/internal/coverage"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/pulse/trace"
)

// file returns the file form of an Orders.
func file(t *testing.T, o *coverage.Orders) []byte {
	t.Helper()
	data, err := o.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// read returns an Orders with the contents of a file.
func read(t *testing.T, data []byte) *coverage.Orders {
	t.Helper()
	o := &coverage.Orders{}
	if err := o.UnmarshalBinary(data); err != nil {
		t.Fatal(err)
	}
	return o
}

// merged returns the union of a list.
func merged(list ...*coverage.Orders) *coverage.Orders {
	o := &coverage.Orders{}
	for _, m := range list {
		o.Merge(m)
	}
	return o
}

// traces returns the traces of some runs of a program.
func traces(p program, n uint64) (list []*trace.Trace) {
	sys := system(p.seed)
	defer sys.Close()
	for seed := range n {
		p.play(sys, seed)
		list = append(list, sys.Trace().Clone())
	}
	return list
}

// The runs of a program are split among three workers, some to more than one. All orders of merging
// give the same result. The result agrees with the definitions on all runs, and stays the same when
// it is written to a file and read back.
func TestMerge(t *testing.T) {
	trial.Long(t)
	for prog := range programs() / 4 {
		rng := rand.New(rand.NewPCG(prog, 3))
		all, set := traces(program{seed: prog, rest: prog%5 == 0, objects: prog%4 == 3}, 8), map[goal]int{}
		parts := make([]*coverage.Orders, 3)
		for i := range parts {
			parts[i] = &coverage.Orders{Source: uint64(i + 1)}
		}
		used := 0
		for i, tr := range all {
			r := coverage.Run{ID: uint64(i) + 1, Unguided: rng.IntN(4) > 0}
			for _, w := range rng.Perm(3)[:rng.IntN(3)] {
				parts[w].Add(tr, r)
				used |= 1 << i
			}
		}
		for i, tr := range all {
			if used&(1<<i) != 0 {
				slow(set, tr)
			}
		}
		a, b, c := parts[0], parts[1], parts[2]
		want := file(t, merged(a, b, c))
		for what, o := range map[string]*coverage.Orders{
			"the other way":    merged(c, b, a),
			"in pairs":         merged(a, merged(b, c)),
			"in other pairs":   merged(merged(a, b), c),
			"twice":            merged(a, b, a, c, b, merged(a, b)),
			"with itself":      merged(merged(a, b, c), merged(a, b, c)),
			"from files":       merged(read(t, file(t, c)), read(t, file(t, a)), read(t, file(t, b))),
			"out of one file":  read(t, want),
			"into what counts": mergedInto(read(t, file(t, b)), a, c),
		} {
			if !bytes.Equal(file(t, o), want) {
				t.Fatalf("program %d: merged %s it is another", prog, what)
			}
		}
		if prog%7 != 0 {
			compare(t, "program "+itoa(prog), merged(a, b, c), set)
		}
	}
}

func mergedInto(o *coverage.Orders, list ...*coverage.Orders) *coverage.Orders {
	for _, m := range list {
		o.Merge(m)
	}
	return o
}

// Several workers that divide the runs of one worker have the same chance as that worker.
func TestMergedChance(t *testing.T) {
	for prog := range uint64(50) {
		all := traces(program{seed: prog}, 40)
		one := &coverage.Orders{}
		parts := []*coverage.Orders{{Source: 1}, {Source: 2}, {Source: 3}}
		for i, tr := range all {
			r := coverage.Run{ID: uint64(i) + 1, Unguided: i%3 > 0}
			one.Add(tr, r)
			parts[(i*7+i/5)%3].Add(tr, r)
		}
		if got, want := merged(parts...).Chance(), one.Chance(); got != want {
			t.Fatalf("program %d: %+v by three workers, %+v by one", prog, got, want)
		}
		if got, want := one.Chance().Alone, alone(all); got != want {
			t.Fatalf("program %d: %d runs alone, want %d", prog, got, want)
		}
	}
}

// alone counts the unguided runs with an order that no other run has. Every third run is guided.
func alone(all []*trace.Trace) (n int) {
	for i := range all {
		others, mine := map[goal]int{}, map[goal]int{}
		for j, tr := range all {
			if j != i {
				slow(others, tr)
			}
		}
		slow(mine, all[i])
		new := false
		for g := range mine {
			new = new || others[g] == 0
		}
		if new && i%3 > 0 {
			n++
		}
	}
	return n
}

// The comparison that TestMerge uses detects a merge that loses orders.
func TestMergeCanary(t *testing.T) {
	all := traces(program{seed: 2}, 4)
	a, b := &coverage.Orders{Source: 1}, &coverage.Orders{Source: 2}
	a.Add(all[0], coverage.Run{Unguided: true})
	b.Add(all[1], coverage.Run{Unguided: true})
	if bytes.Equal(file(t, a), file(t, merged(a, b))) || bytes.Equal(file(t, merged(b, a)), file(t, b)) {
		t.Error("the file of a merge is that of a part of it")
	}
	if slices.Equal(file(t, merged(a, b)), file(t, merged(a))) {
		t.Error("nothing is lost without b")
	}
}

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
