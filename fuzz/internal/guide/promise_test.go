package guide_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/corpus/golden"
	"github.com/jostle-go/jostle/fuzz/internal/guide"
	"github.com/jostle-go/jostle/fuzz/subjects"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/strategy"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A tally counts the results of the orders made.
type tally struct {
	programs, orders int
	stops            map[string]int // orders that could not be followed, by reason
	changed          int            // orders that did not reach their goal: other steps than in the base changed handlers
	faulty           int            // orders that failed: the network duplicated other messages than in the base
	missed           int            // orders that did not reach their goal, for another reason
	promised         int            // PR and PCR goals of all orders made from one base
	left             int            // promised goals that no order reached
	turnable         int            // PR and PCR goals of pairs that are reversible according to the trace
	forgotten        int            // turnable goals that were not promised
	explored         int            // programs whose orders were all explored
	shown, possible  int            // in the explored programs, PR goals that made orders reached, and that any order reaches
	beyond           int            // goals that a made order reached, but none of all orders
}

// exact reports whether the results agree with what the Bitá paper proves.
func (c *tally) exact() bool {
	return len(c.stops)+c.missed+c.left+c.forgotten+c.beyond == 0 && c.orders > 0
}

func (c *tally) String() string {
	return fmt.Sprintf("%d runs, %d orders, stopped %v, without goal %d, other handlers %d, other copies %d; %d goals, not achieved %d; %d can be turned, forgotten %d; %d explored, %d of %d shown, beyond %d",
		c.programs, c.orders, c.stops, c.missed, c.changed, c.faulty, c.promised, c.left, c.turnable, c.forgotten, c.explored, c.shown, c.possible, c.beyond)
}

// A trial is one run of a program, from which orders are made.
type trial struct {
	*tally
	*rig
	copies   string          // the duplicated messages of the base
	wrong    bool            // an earlier order failed because of other duplicated messages
	changes  map[uint64]bool // which steps of the base change handlers
	turnable map[guide.Goal]bool
	promised map[guide.Goal]bool
	seen     map[guide.Goal]bool
}

// try makes all orders of all criteria from one run, and forces each of them. It also explores all
// orders of the program, unless there are more than limit.
func (c *tally) try(t *testing.T, r *rig, seed uint64, newBase func(*trace.Trace) *guide.Base, limit int) {
	if r.run(strategy.Random(), seed) != nil {
		return
	}
	c.programs++
	x := trial{tally: c, rig: r, copies: copies(r.sys.Trace()), changes: map[uint64]bool{},
		turnable: map[guide.Goal]bool{}, promised: map[guide.Goal]bool{}, seen: map[guide.Goal]bool{}}
	b := newBase(r.sys.Trace())
	x.read()
	for _, by := range guide.Criteria() {
		goals := &recorder{list: x.promised}
		g := guide.NewGenerator(b, by, goals)
		for {
			goals.added = map[guide.Goal]bool{}
			order, ok := g.Next()
			if !ok {
				break
			}
			g.Save()
			if !goals.added[order.Goal] {
				t.Errorf("an order for %v, which was not open, or which it does not achieve", order.Goal)
			}
			x.force(order, seed)
		}
	}
	x.compare()
	if limit > 0 {
		x.explore(t, limit)
	}
}

// read adds the goals that the run has achieved, and those that its trace shows to be possible.
func (x *trial) read() {
	tr := x.sys.Trace()
	for _, by := range guide.Criteria() {
		for g := range x.goals(by) {
			x.seen[g] = true
		}
	}
	pairs := x.goals(guide.PR)
	for j, b := range tr.Steps {
		x.changes[b.ID] = b.Changed
		for i, a := range tr.Steps[:j] {
			g := guide.Goal{Criterion: guide.PR, First: a.ID, Second: b.ID}
			if pairs[g] && tr.Swappable(i, j) {
				x.turnable[g], x.turnable[g.Turned()] = true, true
				g.Criterion = guide.PCR
				x.turnable[g], x.turnable[g.Turned()] = true, true
			}
		}
	}
}

func (x *trial) force(order guide.Order, seed uint64) {
	x.orders++
	stop, stopped, _ := x.rig.force(order, seed)
	achieved := x.goals(order.Goal.Criterion)
	for g := range achieved {
		x.seen[g] = true
	}
	switch {
	case (stopped || !achieved[order.Goal]) && x.copies != copies(x.sys.Trace()):
		x.faulty++
		x.wrong = true
	case stopped:
		x.stops[stop.Why.String()]++
	case achieved[order.Goal]:
	case order.Goal.Criterion == guide.PMR && x.otherChanges():
		x.changed++
	default:
		x.missed++
	}
}

// copies lists the duplicated messages.
func copies(t *trace.Trace) string {
	var list []uint64
	for _, m := range t.Sends {
		if m.Kind == trace.Copy {
			list = append(list, m.ID)
		}
	}
	slices.Sort(list)
	return fmt.Sprint(list)
}

// otherChanges reports whether some step changes its actor's handlers either in the last
// run or in the base, but not in both.
func (x *trial) otherChanges() bool {
	for _, s := range x.sys.Trace().Steps {
		if was, ok := x.changes[s.ID]; ok && was != s.Changed {
			return true
		}
	}
	return false
}

// compare counts the promised goals that no order reached. It skips PMR goals:
// they depend on which steps change handlers, which is checked for each order.
func (x *trial) compare() {
	for g := range x.promised {
		if g.Criterion == guide.PMR {
			continue
		}
		x.tally.promised++
		if !x.seen[g] && !x.wrong {
			x.left++
		}
	}
	x.tally.turnable += len(x.turnable)
	for g := range x.turnable {
		if !x.promised[g] {
			x.forgotten++
		}
	}
}

// explore runs all orders of the program, and compares their goals with the achieved ones.
func (x *trial) explore(t *testing.T, limit int) {
	all, complete := coverable(t, x.options, x.build, limit)
	if !complete {
		return
	}
	x.explored++
	for g := range all {
		if g.Criterion == guide.PR {
			x.possible++
			if x.seen[g] {
				x.shown++
			}
		}
	}
	for g := range x.seen {
		if !all[g] {
			x.beyond++
		}
	}
}

// A recorder is a set of goals that can be listed.
type recorder struct {
	guide.Goals
	list  map[guide.Goal]bool
	added map[guide.Goal]bool // new ones
}

func (r *recorder) Add(g guide.Goal) {
	if !r.Has(g) && r.added != nil {
		r.added[g] = true
	}
	r.Goals.Add(g)
	r.list[g] = true
}

// TestPromises takes one run of each of thousands of random programs and forces every order made
// from it. Each order can be followed and reaches a goal that no earlier order reached. Together
// they reach all promised goals: both orders of every reversible pair. Two exceptions are counted.
// First, a step of another order may not change handlers as it did in the base. Then a PMR goal no
// longer exists. Second, an actor does nothing after a Kill, but trace.Swappable calls a receive
// reversible that is followed by a Kill.
func TestPromises(t *testing.T) {
	var b strings.Builder
	programs := uint64(60)
	if golden.Whole() {
		programs = 400
	}
	for _, c := range []struct {
		name string
		features
		unordered, exact bool
	}{
		{"sends", features{}, false, true},
		{"unordered", features{}, true, true},
		{"changing handlers", features{becomes: true}, false, true},
		{"children", features{becomes: true, spawns: true}, false, true},
		{"processes", features{spawns: true, processes: true}, false, true},
		{"timers", features{becomes: true, timers: true}, false, true},
		{"kills", features{becomes: true, spawns: true, kills: true}, false, false},
		{"all", features{true, true, true, true, true}, false, false},
	} {
		o := pulse.Options{}
		if c.unordered {
			o.Delivery = pulse.DeliveryUnordered
		}
		n := tally{stops: map[string]int{}}
		for seed := range programs {
			limit := 0
			if seed%4 == 0 {
				limit = 300
			}
			n.try(t, newRig(t, o, newProgram(seed, c.features).Build), seed, guide.NewBase, limit)
		}
		fmt.Fprintf(&b, "%s: %v\n", c.name, &n)
		if len(n.stops)+n.missed+n.left+n.beyond > 0 || c.exact && !n.exact() {
			t.Errorf("%s: %v", c.name, &n)
		}
	}
	if golden.Whole() {
		golden.File(t, "testdata/promises.txt", b.String())
	}
}

// Orders cannot be followed if they respect only a part of definition 5 of the Bitá paper.
func TestCarelessOrders(t *testing.T) {
	n := tally{stops: map[string]int{}}
	for seed := range uint64(100) {
		n.try(t, newRig(t, pulse.Options{}, newProgram(seed, features{}).Build), seed, guide.NewCarelessBase, 0)
	}
	if n.stops["never sent"] < 100 || n.stops["too late"]+n.stops["not taken"] == 0 {
		t.Errorf("%v", &n)
	}
}

// TestPromisesOnSubjects repeats TestPromises on the correct forms of the
// subjects. In raft-dupvote the network duplicates one message. Which one is a
// choice, not an order of steps, so other orders may duplicate another message.
func TestPromisesOnSubjects(t *testing.T) {
	var b strings.Builder
	for _, s := range subjects.Easy() {
		n := tally{stops: map[string]int{}}
		r := newRig(t, s.Options, s.Mended)
		for seed := range uint64(20) {
			n.try(t, r, seed, guide.NewBase, 0)
		}
		fmt.Fprintf(&b, "%s: %v\n", s.Name, &n)
		if len(n.stops)+n.missed+n.left > 0 || n.faulty > 0 && s.Name != "raft-dupvote" {
			t.Errorf("%s: %v", s.Name, &n)
		}
	}
	golden.File(t, "testdata/subjects.txt", b.String())
}
