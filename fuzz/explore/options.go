package explore

import (
	"fmt"
	"strings"
	"sync/atomic"
	"time"
)

// Options are how a program is explored. The zero value runs every distinct
// order once, without bounds, and stops at the first failure.
type Options struct {
	Method

	// Seed is what all random decisions follow from.
	Seed uint64
	// Runs and Time end the search; zero means never.
	Runs int
	Time time.Duration
	// Stop ends the search when it is closed.
	Stop <-chan struct{}
	// KeepOn goes on after a failure and counts failures by signature.
	KeepOn bool
	// Record has the runs recorded even if nothing else here needs it.
	Record bool

	// Progress is told how far the search is: once every Every, which is a
	// second when it is zero, and once more at the end. It may be called on
	// the goroutine of any worker, but by one at a time.
	Progress func(Progress)
	Every    time.Duration
	// Estimate has Result.Estimate made even if there is no Progress. It takes
	// runs of its own that are not counted: 100, or one for about a hundred of
	// the search if that is more, but 2,000 at most. No estimate is made with bounds on
	// depth, delays or preemptions, with state comparison, and with PersistentSets, DCUTE
	// and GoodSiblings without Sleep.
	Estimate bool

	// File is where the rest of a search is kept when Runs, Time or Stop ends
	// it, and every 30 seconds in case the process is killed. If there is such
	// a file, the search goes on from it and its result counts on; Runs and
	// Time are then about what is added. A search that came to its end, or to
	// a failure, removes the file.
	//
	// Name is of what is explored. A file is gone on from only by a search that
	// has the same.
	//
	// A changed program is noticed when its messages show the change; else
	// remove the file. Two searches must not have one file.
	File      string
	Name      string
	keepEvery time.Duration // in place of 30 seconds, in tests

	// late is set when Time is over; nil where there is no Time. An alarm sets it: how
	// many runs there are between two looks at the clock is chosen by how long those
	// before have taken, and later ones may take a thousand times as long.
	late *atomic.Bool

	probeAfter int // see Ongoing.ProbeAfter
	// splitsAll has several workers divide subtrees after each run, in tests.
	splitsAll bool
	// heedsMeetings: SourceSets turns round what steps have to do with the life of an
	// actor, or with the test, as those do that note events in a history. It does so only
	// of a program that has shown that this matters: every process that ends changes a
	// life, mostly without anybody to see it.
	heedsMeetings bool
	// divides: partitions are made, because the program has shown that somebody may
	// notice them, which a search with sleep sets else leaves out. It is so from the
	// beginning in searches that leave out nothing.
	divides bool
}

// isLate reports whether Time is over.
func (o *Options) isLate() bool { return o.late != nil && o.late.Load() }

// picksCrashes reports whether crashes are picked as messages are, and partitions left
// out, where the program's options allow it.
func (o *Options) picksCrashes() bool {
	return o.sleeps() && !o.compares() && !o.bounded() && !o.divides
}

// check returns an error that lists what cannot go together.
func (o *Options) check(workers int) error {
	var r refusals
	r.refuse(o.Reduction >= reductions, fmt.Sprintf("there is no reduction %d", o.Reduction))
	r.refuse(o.Ordering >= orderings, fmt.Sprintf("there is no ordering %d", o.Ordering))
	r.refuse(o.Runs < 0, fmt.Sprintf("Runs is %d: give it a number from 1 on, or zero for no bound", o.Runs))
	r.refuse(o.Time < 0, fmt.Sprintf("Time is %v: give it a time, or zero for no bound", o.Time))
	r.refuse(o.Depth < 0, fmt.Sprintf("Depth is %d: give it a number from 1 on, or zero for all steps", o.Depth))
	r.refuse(o.States > Checked, fmt.Sprintf("there is no way %d to compare states", o.States))
	r.refuse(workers < 1, "a search needs a worker, which runs the program")
	r.checkMethod(&o.Method)
	r.checkWorkers(&o.Method, workers)
	if o.File != "" {
		r.checkFile(&o.Method, workers)
	}
	if len(r) == 0 {
		return nil
	}
	return fmt.Errorf("explore: %s", strings.Join(r, "; "))
}

// refusals are the reasons why a search cannot be made.
type refusals []string

func (r *refusals) refuse(is bool, reason string) {
	if is {
		*r = append(*r, reason)
	}
}

func (r *refusals) checkMethod(m *Method) {
	r.refuse(m.bounded() && m.reduces(), "a bound on delays or preemptions needs the reduction Everything without Sleep: "+
		"of orders that do the same a reduction keeps one, which may be beyond the bound when another is not")
	r.refuse(m.bounded() && m.compares(), "a bound on delays or preemptions cannot go with state comparison: "+
		"a state may be reached again with more of the bound left")
	r.refuse(m.DelayBound > 0 && m.PreemptionBound > 0, "delays and preemptions cannot be bounded together")
	r.refuse(m.Reduction == Optimal && m.compares(), "state comparison cuts runs short, and Optimal learns from whole runs: "+
		"use SourceSets, or Everything with Sleep")
	r.refuse(m.RandomBranch && m.reduces(), "a random branch needs the reduction Everything without Sleep: "+
		"what a reduction leaves out follows from what was run before, depth-first")
	r.refuse(m.RandomBranch && (m.bounded() || m.compares()), "a random branch cannot go with bounds or state comparison")
	r.refuse(m.BigSteps && !m.compares(), "BigSteps is about state comparison: without it, places where there is no choice are never looked at")
}

func (r *refusals) checkWorkers(m *Method, workers int) {
	r.refuse(workers > 1 && m.compares(), "state comparison needs one worker: the others do not know what one has seen")
	r.refuse(workers > 1 && m.RandomBranch, "a random branch is drawn from all that are open, by one worker")
}

func (r *refusals) checkFile(m *Method, workers int) {
	r.refuse(workers > 1, "a search that is kept in a file needs one worker")
	r.refuse(m.compares(), "a search that compares states cannot be kept in a file: it would have to hold all states")
	r.refuse(m.RandomBranch, "a search by random branches cannot be kept in a file: it would have to hold all open branches")
	r.refuse(m.bounded(), "a search with a bound on delays or preemptions cannot be kept in a file: "+
		"begin it again with the bound that it had come to")
}
