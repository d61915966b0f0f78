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
	// Runs bounds the number of runs, including wasted runs and probes; zero means no
	// bound.
	Runs int
	// Time bounds the duration of the search; zero means no bound.
	Time time.Duration
	// Stop ends the search when it is closed.
	Stop <-chan struct{}
	// KeepOn continues the search after a failure and counts failures by signature.
	KeepOn bool
	// Record makes every run record a trace, even if the search needs none.
	Record bool

	// Progress is called at the interval Every and once at the end. Calls may come
	// from the goroutine of any worker, but never overlap.
	Progress func(Progress)
	// Every is the interval between two calls to Progress; zero means one second.
	Every time.Duration
	// Estimate sets Result.Estimate even without Progress. Estimating takes
	// additional runs that are not counted: about 1 % of the search's runs, at least
	// 100 and at most 2,000. There is no estimate with bounds on depth, delays or
	// preemptions, with state comparison, or with PersistentSets, DCUTE and
	// GoodSiblings without Sleep.
	Estimate bool

	// File is the path of a file in which the rest of the search is saved when Runs,
	// Time or Stop ends it, and every 30 seconds in case the process is killed. If
	// the file exists, the search continues from the file. Then the Result includes
	// the earlier runs, while Runs and Time bound the new ones. A search that
	// completes or fails removes the file.
	//
	// A changed program is detected only if its messages differ. If you change the
	// program in another way, remove the file. Two searches must not share a file.
	File string
	// Name identifies the explored program. A search continues from a file only if
	// the file has the same Name.
	Name      string
	keepEvery time.Duration // the interval between two saves, in tests; 0 for 30 seconds

	// late is set by a timer when Time is over; nil without Time. The search also
	// reads the clock, but could notice the end too late, because the interval
	// between two clock reads depends on past runs, and later runs may take a
	// thousand times as long.
	late *atomic.Bool

	probeAfter int // see Ongoing.ProbeAfter
	// splitsAll makes several workers divide subtrees after each run; only set in
	// tests.
	splitsAll bool
	lessons
}

func (o *Options) isLate() bool { return o.late != nil && o.late.Load() }

// picksCrashes reports whether the search chooses crashes like messages and makes no
// partitions. The program's options may exclude crashes or partitions anyway.
func (o *Options) picksCrashes() bool {
	return o.sleeps() && !o.compares() && !o.bounded() && !o.divides
}

// check returns an error that lists all invalid options and combinations.
func (o *Options) check(workers int) error {
	var r refusals
	r.refuse(o.Reduction >= reductions, fmt.Sprintf("there is no reduction %d", o.Reduction))
	r.refuse(o.Ordering >= orderings, fmt.Sprintf("there is no ordering %d", o.Ordering))
	r.refuse(o.Runs < 0, fmt.Sprintf("Runs is %d: use a number of at least 1, or zero for no bound", o.Runs))
	r.refuse(o.Time < 0, fmt.Sprintf("Time is %v: give it a positive duration, or zero for no bound", o.Time))
	r.refuse(o.Depth < 0, fmt.Sprintf("Depth is %d: use a number of at least 1, or zero for all steps", o.Depth))
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
	r.refuse(m.bounded() && m.reduces(), "a bound on delays or preemptions needs the reduction Everything without Sleep, "+
		"because a reduction runs one of several equivalent orders, and that one may exceed the bound although another does not")
	r.refuse(m.bounded() && m.compares(), "a bound on delays or preemptions cannot be combined with state comparison, "+
		"because a run may reach a known state with more of the bound left")
	r.refuse(m.DelayBound > 0 && m.PreemptionBound > 0, "delays and preemptions cannot both be bounded")
	r.refuse(m.Reduction == Optimal && m.compares(), "state comparison stops runs early, and Optimal needs complete runs: "+
		"use SourceSets, or Everything with Sleep")
	r.refuse(m.RandomBranch && m.reduces(), "RandomBranch needs the reduction Everything without Sleep, "+
		"because reductions rely on the depth-first order of runs")
	r.refuse(m.RandomBranch && (m.bounded() || m.compares()), "RandomBranch cannot be combined with bounds or state comparison")
	r.refuse(m.BigSteps && !m.compares(), "BigSteps needs state comparison: set States, or leave BigSteps out")
}

func (r *refusals) checkWorkers(m *Method, workers int) {
	r.refuse(workers > 1 && m.compares(), "state comparison needs a single worker, because several workers would not know each other's states")
	r.refuse(workers > 1 && m.RandomBranch, "RandomBranch needs a single worker, because it draws from all unexplored branches")
}

func (r *refusals) checkFile(m *Method, workers int) {
	r.refuse(workers > 1, "a search saved in a file needs a single worker")
	r.refuse(m.compares(), "a search that compares states cannot be saved in a file, because the file would have to hold all states")
	r.refuse(m.RandomBranch, "a search by random branches cannot be saved in a file, because the file would have to hold all unexplored branches")
	r.refuse(m.bounded(), "a search with a bound on delays or preemptions cannot be saved in a file: "+
		"to continue, restart the search with the bound that it had reached")
}
