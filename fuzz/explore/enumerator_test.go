package explore_test

import (
	"fmt"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/trace"
)

// The enumerator runs a program in all orders, and with all answers to all
// questions, each from its start: slow, and so plain that it can be trusted.

// orders is what comes of running a program in all orders.
type orders struct {
	runs       int
	deliveries int // in the tree that the runs are the paths of, each from where it leaves the last
	classes    map[uint64]class
	passing    map[uint64]int // how many runs that passed fell in each class, and ended at one time
	// failing counts by what the runs failed with only: a run that fails ends
	// there, and what else had happened by then is chance.
	failing map[string]int
	// torn are classes in which not all runs had the same result: then a class is
	// less than all that matters.
	torn int
}

// A class is what the runs have in common in which each actor goes through the
// same.
type class struct {
	runs    int
	outcome string // what they failed with; empty when they passed
}

// skipped is the outcome of a run that was skipped: it neither passed nor failed.
const skipped = "skipped"

// distinct is how many classes there are.
func (n *orders) distinct() int { return len(n.classes) }

// A digit is one decision of a run, a question's number of answers and when it
// was asked.
type digit struct{ value, of, step int }

// An enumerator is a strategy that makes other decisions in each run until it
// has made all. It can be used for one program after another.
type enumerator struct {
	sys    *pulse.System
	digits []digit
	at     int
	after  func(*pulse.System) // called after each run, unless nil
	drives bool                // the programs call Run themselves, if at all
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

// next moves to the next order. It returns the step after which it differs
// from the last; ok is false when that was the last.
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

// enumerate runs a program in all orders. It is not ok when there are more than
// limit; then the orders are those of the runs up to there.
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

// configure makes the system ready for the first run of a program.
func (e *enumerator) configure(o pulse.Options) {
	o.Strategy, o.Record = e, true
	e.digits = e.digits[:0]
	if e.sys == nil {
		e.sys = pulse.New(o)
		return
	}
	e.sys.Configure(o)
}

// run runs the program once and says what it failed with.
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

// tell counts what came of a run, also where another run of its class came to
// something else: observers see more than the class.
func (n *orders) tell(key uint64, outcome string) {
	switch outcome {
	case "":
		n.passing[key]++
	case skipped:
	default:
		n.failing[outcome]++
	}
}

// classOf is a number for what each actor goes through in a run: the steps that
// it takes, one after another, when, and what it logs in them. Which of two
// steps of two actors came first does not enter it.
func classOf(sys *pulse.System) uint64 {
	t := sys.Trace()
	var room [16]uint64 // of most programs, on the stack
	hashes := append(room[:0], make([]uint64, len(t.Actors))...)
	notes := t.Notes
	o := sys.Options()
	early := o.EarlyTimers != 0 && o.Faults.Drop+o.Faults.Duplicate+o.Faults.Delay+o.Faults.Crash+o.Faults.Partition == 0
	for i := range t.Steps {
		s := &t.Steps[i]
		if s.Kind == trace.Partition || s.Kind == trace.Heal {
			continue // no actor notices it but by what it receives
		}
		h := &hashes[s.Actor]
		*h = scramble(*h ^ s.ID)
		if when := uint64(s.Time) << 4; early { // an actor notices when only by what it logs
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
		if hashes[i] != 0 { // it took a step
			sum += scramble(hashes[i] ^ scramble(t.Actors[i].ID))
		}
	}
	return sum
}

// withEnd adds to a class when its run ended: the test can see that in System.Now, also
// where no actor notices when its steps came. A run may end with the arrival of a message
// that nobody receives: when that is is not kept, as the package says.
func withEnd(class uint64, sys *pulse.System) uint64 {
	for _, d := range sys.Trace().Sends {
		if d.Fate == trace.Orphaned || d.Fate == trace.Dropped {
			return class
		}
	}
	return scramble(class ^ uint64(sys.Now()))
}

// scrambleText adds a note to a hash, if it is of this step.
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
