package explore

import (
	"sync/atomic"
	"time"
)

// Reductions returns all reductions, the best first.
func Reductions() []Reduction { return allOf(reductions) }

// Orderings returns Basset's eight orderings, the default first.
func Orderings() []Ordering { return allOf(orderings) }

func allOf[T ~uint8](end T) (list []T) {
	for i := range end {
		list = append(list, i)
	}
	return list
}

// KeepEvery sets how often a search writes its file.
func (o *Options) KeepEvery(d time.Duration) { o.keepEvery = d }

// LateBy makes a search believe that its time is over once late is set, and not before.
func (o *Options) LateBy(late *atomic.Bool) { o.Time, o.late = time.Hour, late }

// SplitAll makes several workers divide subtrees after each run.
func (o *Options) SplitAll() { o.splitsAll = true }

// CopyNothing makes a search rerun the program instead of restoring snapshots.
func (o *Options) CopyNothing() { o.copiesNothing = true }

// Answers explores the distinct orders of a program, in at most `most` runs. It calls tell with each answer to a
// question whether a process accepts a message.
func Answers(w Worker, most int, tell func(question uint64, wanted bool)) {
	o := newOptimal(newSearch(&Options{KeepOn: true}, w, time.Now(), false))
	for goesOn := o.runTop(); goesOn && o.depth > 0 && o.tally.result.made() < most; {
		clear(o.unwanted) // forget the answers, so that the search asks again
		if !o.nextRun() {
			continue
		}
		f, depth := o.top(), o.depth
		asks := f.question != 0 && f.steps[len(f.steps)-1].index == unknown
		if goesOn = o.runTop(); goesOn && asks {
			tell(f.question, o.depth == depth)
		}
	}
}
