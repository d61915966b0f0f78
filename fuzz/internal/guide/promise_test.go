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

// A tally counts what came of the orders that were made.
type tally struct {
	programs, orders int
	stops            map[string]int // orders that did not come true, by why
	changed          int            // orders without their goal, because other steps changed handlers than in the base
	faulty           int            // orders that went wrong after the network delivered other messages twice than in the base
	missed           int            // orders without their goal, for another reason
	promised         int            // goals by PR and PCR of all orders of a base together
	left             int            // of these, those that were not achieved
	turnable         int            // goals by PR and PCR of pairs that the trace says can be turned round
	forgotten        int            // of these, those that were not promised
	explored         int            // programs of which all orders were explored
	shown, possible  int            // goals by PR that the orders have shown, and that all orders have, of those
	beyond           int            // goals that the orders have shown and all orders have not
}

// exact reports whether all is as the paper proves it.
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
	copies   string          // which messages of the base came twice
	wrong    bool            // an order has gone wrong after others did
	changes  map[uint64]bool // which steps of the base change handlers
	turnable map[guide.Goal]bool
	promised map[guide.Goal]bool
	seen     map[guide.Goal]bool
}

// try makes all orders by all criteria from one run and forces each. It explores all
// orders if they are not more than limit.
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

// read reads what the run has achieved, and what it shows that others can.
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

// copies lists which messages came twice.
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

// otherChanges reports whether a step of the last run changed its actor's handlers
// and did not in the base, or the other way round.
func (x *trial) otherChanges() bool {
	for _, s := range x.sys.Trace().Steps {
		if was, ok := x.changes[s.ID]; ok && was != s.Changed {
			return true
		}
	}
	return false
}

// compare compares what was promised with what was achieved. By PMR it depends on
// which steps change handlers, which is counted for each order.
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

// explore compares what was achieved with what all orders achieve.
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
	added map[guide.Goal]bool // that were not there
}

func (r *recorder) Add(g guide.Goal) {
	if !r.Has(g) && r.added != nil {
		r.added[g] = true
	}
	r.Goals.Add(g)
	r.list[g] = true
}

// TestPromises forces every order that is made from a run of each of thousands of
// random programs. Each comes true, each achieves a goal that no order before it
// has, and together they achieve all that was promised, which is both orders of
// every pair that can be turned round. The exceptions are counted: what changes
// handlers in the base may not do so in another order, so that a goal by PMR is none
// there; and nothing of an actor comes after a Kill, of which Swappable says nothing.
func TestPromises(t *testing.T) {
	var b strings.Builder
	programs := uint64(400)
	if testing.Short() {
		programs = 60
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
	if !testing.Short() {
		golden.File(t, "testdata/promises.txt", b.String())
	}
}

// Orders that are made with less than definition 5 do not come true.
func TestCarelessOrders(t *testing.T) {
	n := tally{stops: map[string]int{}}
	for seed := range uint64(100) {
		n.try(t, newRig(t, pulse.Options{}, newProgram(seed, features{}).Build), seed, guide.NewCarelessBase, 0)
	}
	if n.stops["never sent"] < 100 || n.stops["too late"]+n.stops["not taken"] == 0 {
		t.Errorf("%v", &n)
	}
}

// TestPromisesOnSubjects does the same on the subjects, in the form without a bug.
// The network of raft-dupvote delivers a message twice, and not the same one when
// messages are sent in another order: which one is a choice, and no order of steps.
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
