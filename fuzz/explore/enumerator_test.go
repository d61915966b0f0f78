package explore_test

import (
	"fmt"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/trace"
)

// The enumerator runs a program in all orders, and with all answers to all questions. It runs each from its start: that
// is slow, but simple enough to be trusted.

// orders is the result of running a program in all orders.
type orders struct {
	runs       int
	deliveries int // the nodes of the tree of all runs; a run adds those that it does not share with the run before
	classes    map[uint64]class
	passing    map[uint64]int // passing runs, by class and time of their end
	// failing counts the failing runs by failure only: a failing run ends early, so its class depends on
	// chance.
	failing map[string]int
	// torn counts the classes whose runs had different results. If there is one, the class omits something that
	// matters.
	torn int
}

// A class is a set of runs in which each actor goes through the same
// steps.
type class struct {
	runs    int
	outcome string // the failure of the runs; empty if they passed
}

// skipped is the outcome of a skipped run, which neither passed nor failed.
const skipped = "skipped"

// distinct returns the number of classes.
func (n *orders) distinct() int { return len(n.classes) }

// A digit is one decision of a run: the answer, the number of possible answers, and the step in which it was
// asked.
type digit struct{ value, of, step int }

// An enumerator is a strategy that makes different decisions in each run until it has made all. It can be reused for
// another program.
type enumerator struct {
	sys    *pulse.System
	digits []digit
	at     int
	after  func(*pulse.System) // called after each run, unless nil
	drives bool                // set if the programs call Run themselves, so that the enumerator must not
}

func (e *enumerator) close() {
	if e.sys != nil {
		e.sys.Close()
	}
}

func (e *enumerator) Begin(uint64)                    { e.at = 0 }
func (e *enumerator) Pick(enabled *pulse.Enabled) int { return e.decide(enabled.Len()) }
func (e *enumerator) Choose(_ choice.Kind, n int) int { return e.decide(n) }

func (e *enumerator) decide(n int) int {
	if e.at == len(e.digits) {
		e.digits = append(e.digits, digit{0, n, e.sys.Steps()})
	}
	d := &e.digits[e.at]
	if d.of != n {
		panic(fmt.Sprintf("the program does not repeat itself: decision %d had %d answers and now has %d", e.at, d.of, n))
	}
	e.at++
	return d.value
}

// next moves to the next order. It returns the step at which the next order differs from the last. ok is false if there
// is no next order.
func (e *enumerator) next() (step int, ok bool) {
	for n := len(e.digits) - 1; n >= 0; n-- {
		d := &e.digits[n]
		if d.value++; d.value < d.of {
			return d.step, true
		}
		e.digits = e.digits[:n]
	}
	return 0, false
}

// enumerate runs a program in all orders. If there are more orders than limit, ok is false, and the result has the
// orders that were run before that.
func enumerate(o pulse.Options, build func(*pulse.System) func() error, limit int) (all orders, ok bool) {
	e := &enumerator{}
	defer e.close()
	return e.enumerate(o, build, limit)
}

func (e *enumerator) enumerate(o pulse.Options, build func(*pulse.System) func() error, limit int) (orders, bool) {
	e.configure(o)
	all := orders{classes: map[uint64]class{}, passing: map[uint64]int{}, failing: map[string]int{}}
	for from, more := 0, true; more; from, more = e.next() {
		if all.runs == limit {
			return all, false
		}
		if all.runs > 0 {
			e.sys.Reset(0)
		}
		outcome := e.run(build)
		key := classOf(e.sys)
		all.add(key, outcome)
		all.tell(withEnd(key, e.sys), outcome)
		all.deliveries += e.sys.Steps() - from
		if e.after != nil {
			e.after(e.sys)
		}
	}
	return all, true
}

// configure prepares the system for the first run of a program.
func (e *enumerator) configure(o pulse.Options) {
	o.Strategy, o.Record = e, true
	e.digits = e.digits[:0]
	if e.sys == nil {
		e.sys = pulse.New(o)
		return
	}
	e.sys.Configure(o)
}

// run runs the program once and returns the text of its failure.
func (e *enumerator) run(build func(*pulse.System) func() error) string {
	check := build(e.sys)
	if !e.drives {
		e.sys.Run()
	}
	if f := e.sys.Failure(); f != nil {
		if f == skips {
			return skipped
		}
		return f.Signature()
	}
	if check == nil {
		return ""
	}
	err := check()
	if f := e.sys.Failure(); f != nil { // it has asked
		return f.Signature()
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

// add counts a run.
func (n *orders) add(key uint64, outcome string) {
	n.runs++
	c, seen := n.classes[key]
	if seen && c.outcome != outcome {
		n.torn++
		return
	}
	n.classes[key] = class{c.runs + 1, outcome}
}

// tell counts the result of a run, even if other runs of its class had another result: observers see more than the
// class.
func (n *orders) tell(key uint64, outcome string) {
	switch outcome {
	case "":
		n.passing[key]++
	case skipped:
	default:
		n.failing[outcome]++
	}
}

// classOf returns a number for what every actor goes through in a run: its steps in their
// order, their times, and its logs. The order of steps of different actors has no influence on
// it.
func classOf(sys *pulse.System) uint64 {
	t := sys.Trace()
	var room [16]uint64 // room for most programs; as the array is small, it stays on the stack
	hashes := append(room[:0], make([]uint64, len(t.Actors))...)
	notes := t.Notes
	o := sys.Options()
	early := o.EarlyTimers != 0 && o.Faults.Drop+o.Faults.Duplicate+o.Faults.Delay+o.Faults.Crash+o.Faults.Partition == 0
	for i := range t.Steps {
		s := &t.Steps[i]
		if s.Kind == trace.Partition || s.Kind == trace.Heal {
			continue // actors notice a partition only by the messages that they receive
		}
		h := &hashes[s.Actor]
		*h = scramble(*h ^ s.ID)
		if when := uint64(s.Time) << 4; early { // with early timers and no faults, actors notice the time only by what they log
			*h = scramble(*h ^ uint64(s.Kind))
		} else {
			*h = scramble(*h ^ when ^ uint64(s.Kind))
		}
		for len(notes) > 0 && notes[0].Step <= int32(i) {
			*h = scrambleText(*h, notes[0], int32(i))
			notes = notes[1:]
		}
	}
	sum := uint64(0)
	for i := range t.Actors {
		if hashes[i] != 0 { // only actors that took a step count
			sum += scramble(hashes[i] ^ scramble(t.Actors[i].ID))
		}
	}
	return sum
}

// withEnd adds the end time of a run to its class. The test can read that time by System.Now. If a
// message that nobody receives arrives last, the end time is left out: package explore does not preserve
// it.
func withEnd(class uint64, sys *pulse.System) uint64 {
	for _, d := range sys.Trace().Sends {
		if d.Fate == trace.Orphaned || d.Fate == trace.Dropped {
			return class
		}
	}
	return scramble(class ^ uint64(sys.Now()))
}

// scrambleText adds a note to a hash, if the note belongs to this step.
func scrambleText(h uint64, n trace.Note, step int32) uint64 {
	if n.Step != step {
		return h
	}
	for i := range len(n.Text) {
		h = scramble(h ^ uint64(n.Text[i]))
	}
	return scramble(h)
}

// scramble is the finish of splitmix64: each bit of x changes half of the bits
// of the result.
func scramble(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
