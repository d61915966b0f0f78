package orders_test

import (
	"slices"
	"testing"

	"github.com/jostle-go/jostle/fuzz/subjects/orders"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
)

// every is a strategy that counts through all picks like an odometer:
// each run makes other picks, until all combinations are done.
type every struct {
	digits []digit
	at     int
}

// A digit is one pick of the run: its index, and how many were possible.
type digit struct{ pick, of int }

func (e *every) Begin(uint64) { e.at = 0 }

func (e *every) Pick(enabled *pulse.Enabled) int {
	if e.at == len(e.digits) {
		e.digits = append(e.digits, digit{0, enabled.Len()})
	}
	e.at++
	return e.digits[e.at-1].pick
}

func (e *every) Choose(choice.Kind, int) int { return 0 }

// next moves on to the next order. It returns false if no order is left.
func (e *every) next() bool {
	for n := len(e.digits) - 1; n >= 0; n-- {
		d := &e.digits[n]
		if d.pick++; d.pick < d.of {
			return true
		}
		e.digits = e.digits[:n]
	}
	return false
}

// counts has the numbers of orders of a program.
type counts struct {
	all      int64 // more than an int may hold
	distinct int   // orders that differ in what some actor receives
}

// enumerate runs a program in all orders, or in the first ones up to limit.
func enumerate(t *testing.T, p orders.Program, limit int64) (n counts) {
	t.Helper()
	e := &every{}
	o := p.Options
	o.Strategy, o.Record = e, true
	sys := pulse.New(o)
	defer sys.Close()
	seen := map[uint64]bool{}
	for more := true; more && n.all < limit; more = e.next() {
		if err := run(sys, p); err != nil {
			t.Fatalf("%s, order %d: %v", p.Name, n.all, err)
		}
		n.all++
		seen[receipts(sys)] = true
	}
	n.distinct = len(seen)
	return n
}

func run(sys *pulse.System, p orders.Program) error {
	sys.Reset(0)
	check := p.Build(sys)
	sys.Run()
	if f := sys.Failure(); f != nil {
		return f
	}
	return check()
}

// receipts returns a hash of what each actor has received, in order.
func receipts(sys *pulse.System) uint64 {
	tr := sys.Trace()
	of := make([]uint64, len(tr.Actors))
	for actor := range of {
		of[actor] = tr.Actors[actor].ID
	}
	for _, step := range tr.Steps {
		h := &of[step.Actor]
		*h = (*h ^ step.ID) * 0x9e3779b97f4a7c15
		*h ^= *h >> 29
	}
	sum := uint64(0)
	for _, h := range of {
		sum += h * h
	}
	return sum
}

// TestOrders checks the exact counts of all small programs. Tests of reductions
// use the distinct counts; reductions share no code with this enumeration.
func TestOrders(t *testing.T) {
	want := []struct {
		name string
		counts
	}{
		{"fib(3)", counts{6, 2}},
		{"fib(4)", counts{168, 4}},
		{"quicksort(3)", counts{168, 4}},
		{"quicksort(4)", counts{11088, 8}},
		{"mergesort(3)", counts{168, 4}},
		{"spinsort(3)", counts{18, 12}},
		{"spinsort(4)", counts{1152, 288}},
		{"pipesort(2)", counts{6, 2}},
		{"pipesort(3)", counts{288, 12}},
		{"leader(2)", counts{9, 4}},
		{"leader(3)", counts{377, 17}},
		{"shortpath(A)", counts{3504, 40}},
		{"chameneos(2,2)", counts{240, 8}},
		{"chameneos(2,3)", counts{1440, 16}},
		{"chameneos(3,1)", counts{3360, 36}},
		{"philosophers(2)", counts{464, 8}},
		{"store(1,1,1,3)", counts{462, 5}},
		{"store(1,1,2,2)", counts{150, 4}},
		{"store(2,1,1,3)", counts{6930, 18}},
		{"store(1,1,2,3)", counts{10800, 15}},
		{"phils(2,1)", counts{8, 3}},
		{"phils(2,2)", counts{118, 13}},
		{"phils(2,3)", counts{1886, 63}},
		{"pairs(2,4)", counts{70, 1}},
		{"pairs(3,3)", counts{1680, 1}},
		{"pingpong(4)", counts{32, 16}},
		{"pingpong(8)", counts{512, 256}},
	}
	all := orders.All()
	if len(all) != len(want) {
		t.Errorf("there are %d programs, %d in the table", len(all), len(want))
	}
	for i, p := range all {
		got := enumerate(t, p, 25_000)
		if i >= len(want) || p.Name != want[i].name || got != want[i].counts {
			t.Errorf("{%q, counts{%d, %d}},", p.Name, got.all, got.distinct)
		}
	}
}

// TestPingPong checks the numbers of orders by a formula. Each round has one race, which doubles
// the number. At the end, two independent deliveries double only the number of all orders.
func TestPingPong(t *testing.T) {
	for n := 1; n <= 10; n++ {
		want := counts{all: 2 << n, distinct: 1 << n}
		if got := enumerate(t, orders.PingPong(n), 2*want.all); got != want {
			t.Errorf("pingpong(%d): %+v, want %+v", n, got, want)
		}
	}
}

// TestPairs checks the number of all orders of k pairs with m messages each, which is (km)! /
// (m!)^k.
func TestPairs(t *testing.T) {
	for _, c := range []struct{ k, m int }{{1, 5}, {2, 1}, {2, 3}, {2, 6}, {3, 1}, {3, 2}, {4, 1}, {4, 2}} {
		want := counts{all: factorial(c.k * c.m), distinct: 1}
		for range c.k {
			want.all /= factorial(c.m)
		}
		if got := enumerate(t, orders.Pairs(c.k, c.m), 2*want.all); got != want {
			t.Errorf("pairs(%d,%d): %+v, want %+v", c.k, c.m, got, want)
		}
	}
}

func factorial(n int) int64 {
	f := int64(1)
	for i := int64(2); i <= int64(n); i++ {
		f *= i
	}
	return f
}

// A prefix is the beginning of an order. It represents all beginnings in which every
// actor has received the same.
type prefix struct {
	picks  []int
	of     int   // the number of possible next picks; 0 at the end of the program
	orders int64 // how many orders it represents
}

// follower is a strategy that makes the picks of a prefix and then ends the run.
type follower struct {
	prefix
	at int
}

func (f *follower) Begin(uint64) { f.at = 0 }

func (f *follower) Pick(enabled *pulse.Enabled) int {
	if f.at == len(f.picks) {
		f.of = enabled.Len()
		return pulse.Quit
	}
	f.at++
	return f.picks[f.at-1]
}

func (f *follower) Choose(choice.Kind, int) int { return 0 }

// join returns the same counts as enumerate, but continues only once from prefixes in
// which every actor has received the same. It takes memory instead of time.
func join(t *testing.T, p orders.Program) (n counts) {
	t.Helper()
	f := &follower{}
	o := p.Options
	o.Strategy, o.Record = f, true
	sys := pulse.New(o)
	defer sys.Close()
	var bySteps []map[uint64]*prefix // in order of length, so that shorter prefixes come first
	reach := func(picks []int, orders int64) {
		f.prefix = prefix{picks: picks, orders: orders}
		if err := run(sys, p); err != nil && f.of == 0 {
			t.Fatalf("%s, picks %v: %v", p.Name, picks, err)
		}
		for len(bySteps) <= sys.Steps() {
			bySteps = append(bySteps, map[uint64]*prefix{})
		}
		if known := bySteps[sys.Steps()][receipts(sys)]; known != nil {
			known.orders += orders
			return
		}
		found := f.prefix
		bySteps[sys.Steps()][receipts(sys)] = &found
	}
	reach(nil, 1)
	for steps := 0; steps < len(bySteps); steps++ {
		for _, from := range bySteps[steps] {
			if from.of == 0 {
				n.all += from.orders
				n.distinct++
			}
			for pick := range from.of {
				reach(append(slices.Clone(from.picks), pick), from.orders)
			}
		}
	}
	return n
}

// TestJoin compares join with enumerate where both are possible, and checks the
// counts of programs that only join can count.
func TestJoin(t *testing.T) {
	for _, p := range orders.All() {
		if got, want := join(t, p), enumerate(t, p, 25_000); got != want {
			t.Errorf("%s: %+v, want %+v", p.Name, got, want)
		}
	}
	want := map[string]counts{
		"chameneos(3,2)":  {141_120, 216},
		"fib(5)":          {8_072_064, 16},
		"leader(4)":       {101_126, 77},
		"pipesort(4)":     {143_280, 288},
		"quicksort(6)":    {252_806_400, 32},
		"mergesort(6)":    {5_214_553_344, 32},
		"shortpath(B)":    {3_359_528, 290},
		"philosophers(3)": {12_883_908, 48},
		"store(1,2,2,3)":  {28_769, 29},
		"store(2,2,2,3)":  {140_140, 24},
		"phils(3,1)":      {2_787_542, 1938},
		"pairs(4,6)":      {2_308_743_493_056, 1},
		"pingpong(10)":    {2048, 1024},
	}
	for _, p := range orders.Large() {
		w, ok := want[p.Name]
		if !ok {
			continue // spinsort(5) and pingpong(15) would take long
		}
		if got := join(t, p); got != w {
			t.Errorf("%s: %+v, want %+v", p.Name, got, w)
		}
		delete(want, p.Name)
	}
	if len(want) > 0 {
		t.Errorf("not listed: %v", want)
	}
}

// TestLarge runs the first orders and plain order of each large program. It
// cannot count them, but their checks must hold.
func TestLarge(t *testing.T) {
	names := map[string]bool{}
	for _, p := range append(orders.All(), orders.Large()...) {
		if names[p.Name] {
			t.Errorf("there are two programs %s", p.Name)
		}
		names[p.Name] = true
	}
	for _, p := range orders.Large() {
		if got := enumerate(t, p, 200); got.all != 200 {
			t.Errorf("%s has only %d orders", p.Name, got.all)
		}
		sys := pulse.New(p.Options)
		if err := run(sys, p); err != nil {
			t.Errorf("%s in plain order: %v", p.Name, err)
		}
		sys.Close()
	}
}
