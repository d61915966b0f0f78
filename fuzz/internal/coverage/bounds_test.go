package coverage_test

import (
	"testing"

	"github.com/jostle-go/jostle/fuzz/internal/coverage"
	"github.com/jostle-go/jostle/fuzz/subjects/load"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/strategy"
	"github.com/jostle-go/jostle/pulse/trace"
)

type other struct{}

// Above the limit of steps, coverage no longer distinguishes further steps of the same
// type. Two such types give one order; steps that it distinguishes give all orders.
func TestStepsBeyondTheBound(t *testing.T) {
	sys := pulse.New(pulse.Options{Record: true})
	defer sys.Close()
	sink := sys.Spawn("sink", pulse.Func(func(*pulse.Ctx, any) {}))
	for range 5 {
		sys.Send(sink, hop{})
	}
	for range 5 {
		sys.Send(sink, other{})
	}
	sys.Run()
	for _, c := range []struct{ steps, seen, folded int }{
		{0, 45, 0},  // 10 steps
		{10, 45, 0}, // just enough
		{2, 6, 8},   // the steps have 3 numbers: the first two hops, all other hops, and all messages of type other
		{1, 3, 9},
		{7, 28, 3}, // the steps have 8 numbers: five hops, two messages of type other, and the rest of these
	} {
		o := &coverage.Orders{Steps: c.steps}
		o.Add(sys.Trace(), coverage.Run{Unguided: true})
		if got := o.Seen(); got != c.seen || o.Folded() != c.folded {
			t.Errorf("%d steps: %d orders, %d folded; want %d, %d", c.steps, got, o.Folded(), c.seen, c.folded)
		}
		o.Add(sys.Trace(), coverage.Run{Unguided: true})
		if again := o.Seen(); again != c.seen || o.Folded() != 2*c.folded {
			t.Errorf("%d steps: the same run again makes it %d orders, %d folded", c.steps, again, o.Folded())
		}
	}
}

// fresh returns the trace of a run in which nothing
// was seen before: n actors with m receives each.
func fresh(from uint64, n, m int) *trace.Trace {
	t := &trace.Trace{Actors: []trace.Actor{{Label: "test"}}}
	for i := range n {
		t.Actors = append(t.Actors, trace.Actor{ID: from + uint64(i)<<32, Label: "a" + itoa(from) + "." + itoa(uint64(i)), Type: "a"})
		for j := range m {
			id := from + uint64(i)<<32 + uint64(j) + 1
			t.Steps = append(t.Steps, trace.Step{ID: id, Send: int32(len(t.Sends)), Actor: int32(i) + 1, Prev: trace.None})
			t.Sends = append(t.Sends, trace.Send{Body: other{}, ID: id, To: int32(i) + 1, Step: trace.None})
		}
	}
	return t
}

// A program whose runs are all new stays within the memory limit, and so does a
// run of a million steps. Orders that are merged are kept even above the limit.
func TestMemoryIsBounded(t *testing.T) {
	for _, c := range []struct {
		name string
		add  func(o *coverage.Orders)
	}{
		{"many runs", func(o *coverage.Orders) {
			for i := range uint64(300) {
				o.Add(fresh(i<<44, 20, 20), coverage.Run{Unguided: true})
			}
		}},
		{"many actors", func(o *coverage.Orders) { o.Add(fresh(0, 50_000, 2), coverage.Run{Unguided: true}) }},
		{"many steps", func(o *coverage.Orders) { o.Add(fresh(0, 2, 200_000), coverage.Run{Unguided: true}) }},
	} {
		o := &coverage.Orders{Bytes: 1 << 20}
		c.add(o)
		// Rows grow by doubling, so the last one may take up to twice the limit.
		if got := o.Memory(); got > 2<<20 {
			t.Errorf("%s: %d bytes", c.name, got)
		}
		if o.Folded() == 0 {
			t.Errorf("%s: all was told apart", c.name)
		}
		o.Merge(written(5))
		if got, want := part(o, "writer"), part(written(5), "writer"); got != want {
			t.Errorf("%s: %+v of what was merged is left, want %+v", c.name, got, want)
		}
	}
}

// When the memory for rows is used up, Orders no longer records which reversed orders are possible.
func TestFullLearnsNoMore(t *testing.T) {
	runs := traces(program{seed: 3}, 8)
	for _, bytes := range []int{0, 1} {
		o := &coverage.Orders{Unjudged: true}
		for _, tr := range runs {
			o.Add(tr, coverage.Run{})
		}
		o.Unjudged, o.Bytes = false, bytes
		before := o.Memory()
		for _, tr := range runs { // every sixteenth run is checked for open and impossible orders
			o.Add(tr, coverage.Run{})
		}
		if grew, learned := o.Memory() > before, o.Count().Open+o.Count().Impossible > 0; grew != (bytes == 0) || learned != grew {
			t.Errorf("%d bytes: took more %t, learned something %t", bytes, grew, learned)
		}
	}
}

// Once an Orders has seen everything, Add allocates nothing.
func TestAddAllocatesNothing(t *testing.T) {
	sys := pulse.New(pulse.Options{Strategy: strategy.Random(), Record: true})
	defer sys.Close()
	o, l := &coverage.Orders{Source: 1}, load.Ring(5, 3, 5)
	seed := uint64(0)
	run := func() {
		seed++
		sys.Reset(seed % 8)
		l.Build(sys)
		sys.Run()
		o.Add(sys.Trace(), coverage.Run{Unguided: true})
	}
	for range 100 {
		run()
	}
	if n := testing.AllocsPerRun(64, run); n != 0 {
		t.Fatalf("%v allocations a run", n)
	}
}

// If all orders were run, an order that none of them has is impossible.
func TestWhole(t *testing.T) {
	o := &coverage.Orders{}
	for _, s := range []string{"abc", "bac"} {
		o.Add(scripted(s), coverage.Run{})
	}
	if got := o.Count(); got != (coverage.Count{Seen: 4, Covered: 1, Open: 2}) {
		t.Errorf("%+v", got)
	}
	o.Whole()
	if got := o.Count(); got != (coverage.Count{Seen: 4, Covered: 1, Impossible: 2}) || len(o.Open()) > 0 {
		t.Errorf("whole: %+v", got)
	}
	o.Add(scripted("abc"), coverage.Run{})
	if got := o.Count().Impossible; got != 2 {
		t.Errorf("with what was known: %d", got)
	}
	o.Add(scripted("acb"), coverage.Run{})
	if got := o.Count(); got != (coverage.Count{Seen: 5, Covered: 2, Open: 1}) {
		t.Errorf("with something new: %+v", got)
	}
}
