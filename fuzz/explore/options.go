package explore

import (
	"fmt"
	"strings"
	"sync/atomic"
	"time"
)

// Options configure an exploration. The zero value runs every distinct order
// once, without bounds, and stops at the first failure.
type Options struct {
	Method

	// Seed determines all random decisions.
	Seed uint64
	// Runs and Time bound the search; zero means no bound.
	Runs int
	Time time.Duration
	// Stop ends the search when it is closed.
	Stop <-chan struct{}
	// KeepOn continues after a failure and counts failures by signature.
	KeepOn bool
	// Record records the runs even if the search does not need it.
	Record bool

	// Progress is called once every Every (default: one second) and once at
	// the end. Calls may come from the goroutine of any worker, but never
	// overlap.
	Progress func(Progress)
	Every    time.Duration
	// Estimate makes Result.Estimate even without Progress. The estimate makes
	// uncounted runs of its own: about 1 % of the search's, at least 100 and at
	// most 2,000. There is no estimate with bounds on depth, delays or
	// preemptions, with state comparison, or with PersistentSets, DCUTE and
	// GoodSiblings without Sleep.
	Estimate bool

	// File saves the rest of the search when Runs, Time or Stop ends it, and
	// every 30 seconds in case the process is killed. If the file exists, the
	// search continues from it: the Result includes the earlier runs, while Runs
	// and Time bound the new ones. A search that completes or fails removes the
	// file.
	//
	// Name identifies what is explored. A search continues from a file only if
	// the names are equal.
	//
	// A changed program is detected only if its messages differ; otherwise
	// remove the file. Two searches must not share a file.
	File      string
	Name      string
	keepEvery time.Duration // replaces the 30 seconds in tests

	// late is set when Time is over; nil without Time. A timer sets it, because
	// the interval between two clock reads depends on past runs, and later runs
	// may take a thousand times as long.
	late *atomic.Bool

	probeAfter int // see Ongoing.ProbeAfter
	// splitsAll makes several workers divide subtrees after each run, in tests.
	splitsAll bool
	// heedsMeetings makes SourceSets reverse conflicts on an actor's lifetime or on
	// test state (such as notes in a history). It is set only after a run showed
	// that this matters: every process that ends changes a lifetime, and mostly
	// nobody can notice.
	heedsMeetings bool
	// divides makes partitions, because the program showed that somebody may notice
	// them. Until then, searches with sleep sets make none; unreduced searches
	// always do.
	divides bool
}

// isLate reports whether Time is over.
func (o *Options) isLate() bool { return o.late != nil && o.late.Load() }

// picksCrashes reports whether the search picks crashes like messages and makes no
// partitions, if the program's options allow it.
func (o *Options) picksCrashes() bool {
	return o.sleeps() && !o.compares() && !o.bounded() && !o.divides
}

// check returns an error that lists all invalid options and combinations.
func (o *Options) check(workers int) error {
	var r refusals
	r.refuse(o.Reduction >= reductions, fmt.Sprintf("there is no reduction %d", o.Reduction))
	r.refuse(o.Ordering >= orderings, fmt.Sprintf("there is no ordering %d", o.Ordering))
	r.refuse(o.Runs < 0, fmt.Sprintf("Runs is %d: give it a number from 1 on, or zero for no bound", o.Runs))
	r.refuse(o.Time < 0, fmt.Sprintf("Time is %v: give it a positive duration, or zero for no bound", o.Time))
	r.refuse(o.Depth < 0, fmt.Sprintf("Depth is %d: give it a number from 1 on, or zero for all steps", o.Depth))
	r.refuse(o.States > Checked, fmt.Sprintf("there is no state comparison %d", o.States))
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

// refusals are the reasons why the options are invalid.
type refusals []string

func (r *refusals) refuse(is bool, reason string) {
	if is {
		*r = append(*r, reason)
	}
}

func (r *refusals) checkMethod(m *Method) {
	r.refuse(m.bounded() && m.reduces(), "a bound on delays or preemptions needs the reduction Everything without Sleep: "+
		"a reduction runs one of several equivalent orders, which may exceed the bound when another does not")
	r.refuse(m.bounded() && m.compares(), "a bound on delays or preemptions cannot be combined with state comparison: "+
		"a run may reach a known state with more of the bound left")
	r.refuse(m.DelayBound > 0 && m.PreemptionBound > 0, "delays and preemptions cannot both be bounded")
	r.refuse(m.Reduction == Optimal && m.compares(), "state comparison cuts runs short, and Optimal learns from whole runs: "+
		"use SourceSets, or Everything with Sleep")
	r.refuse(m.RandomBranch && m.reduces(), "RandomBranch needs the reduction Everything without Sleep: "+
		"reductions rely on the depth-first order of runs")
	r.refuse(m.RandomBranch && (m.bounded() || m.compares()), "RandomBranch cannot be combined with bounds or state comparison")
	r.refuse(m.BigSteps && !m.compares(), "BigSteps needs state comparison: set States, or leave BigSteps out")
}

func (r *refusals) checkWorkers(m *Method, workers int) {
	r.refuse(workers > 1 && m.compares(), "state comparison needs a single worker: several would not know each other's states")
	r.refuse(workers > 1 && m.RandomBranch, "RandomBranch needs a single worker: it draws from all open branches")
}

func (r *refusals) checkFile(m *Method, workers int) {
	r.refuse(workers > 1, "a search saved in a file needs a single worker")
	r.refuse(m.compares(), "a search that compares states cannot be saved in a file: it would have to hold all states")
	r.refuse(m.RandomBranch, "a search by random branches cannot be saved in a file: it would have to hold all open branches")
	r.refuse(m.bounded(), "a search with a bound on delays or preemptions cannot be saved in a file: "+
		"restart it with the bound that it had reached")
}
