package fuzz

import (
	"cmp"
	"fmt"
	"maps"
	"math"

	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
)

// An explorer runs the property with the current input. Several go on at the
// same time. Not every call of Run is a run of the search, so what a run came
// to is counted when Done says that it was one.
type explorer struct {
	all     *exploring
	runner  *props.Runner
	plan    props.Plan
	last    props.Result
	skipped int
	before  int    // how many it had skipped of the inputs that are done with
	skips   string // the last reason given
	keeps   bool   // the property had something that remembers
}

// Run runs the property once.
func (w *explorer) Run(s pulse.Strategy) explore.Run {
	w.plan.Strategy = s
	w.last = w.runner.Run(w.plan)
	res := &w.last
	if text := drawsDiffer(res.Inputs, w.plan.Inputs); text != "" {
		res.Failure = &pulse.Failure{Kind: pulse.KindMisuse, Step: -1, Text: text}
	}
	w.keeps = w.keeps || res.Remembers
	return explore.Run{System: res.System, Failure: res.Failure}
}

// Done counts a run of the search.
func (w *explorer) Done(run explore.Run) {
	x := w.all
	x.mu.Lock()
	defer x.mu.Unlock()
	if !run.Cut {
		x.ended++
	}
	switch {
	case run.Failure != nil && x.settings.workers > 1:
		x.keepFinding(w, place{x.verdict.Inputs, run.Subtree, run.Index})
	case run.Failure != nil:
		x.keepFinding(w, place{input: x.verdict.Inputs, index: x.ended})
	case w.last.Skipped:
		w.skipped++
		if n := len(w.last.Logs); n > 0 {
			w.skips = w.last.Logs[n-1]
		}
	}
}

// Again forgets what came of the input so far.
func (w *explorer) Again() {
	w.skipped = w.before
	w.all.again()
}

// again forgets what came of the input so far. Package explore begins a search
// again when it finds that its reduction is not one for the program.
func (x *exploring) again() {
	x.ended = x.before
	maps.DeleteFunc(x.found, func(_ string, f *finding) bool { return f.place.input == x.verdict.Inputs })
}

// afterAll is the place of a run that did not come to its end.
func (x *exploring) afterAll() place { return place{input: x.verdict.Inputs, subtree: math.MaxInt} }

// noteLast looks at the run in which the program was seen not to repeat itself:
// it may have failed as well.
func (x *exploring) noteLast(v *explore.Result) {
	for _, w := range x.workers {
		f := w.last.Failure
		if f == nil || f.Kind == pulse.KindNondeterminism || v.Failures[f.Signature()] > 0 {
			continue
		}
		v.Failures[f.Signature()] = 1
		x.keepFinding(w, x.afterAll())
	}
}

// drawsDiffer says how the draws of a run differ from what was drawn when its
// input was chosen, "" when they do not.
func drawsDiffer(run, chosen []choice.Input) string {
	const why = "what a property draws must follow from its earlier draws alone"
	for i := range min(len(run), len(chosen)) {
		if run[i].Label != chosen[i].Label {
			return fmt.Sprintf("draw %d is %q, and was %q in the run before: %s", i, run[i].Label, chosen[i].Label, why)
		}
	}
	if len(run) != len(chosen) {
		return fmt.Sprintf("there are %s, and were %d in the run before: %s", plural(len(run), "draw"), len(chosen), why)
	}
	return ""
}

// A place says which of the runs that failed comes first, whatever the workers
// were doing at the same time. With one worker runs come one after the other.
type place struct{ input, subtree, index int }

func (p place) compare(q place) int {
	return cmp.Or(cmp.Compare(p.input, q.input), cmp.Compare(p.subtree, q.subtree), cmp.Compare(p.index, q.index))
}

// keepFinding keeps the first failure of each signature.
func (x *exploring) keepFinding(w *explorer, at place) {
	signature := w.last.Failure.Signature()
	if old := x.found[signature]; old != nil && old.place.compare(at) <= 0 {
		return
	}
	f := newFinding(x.t.Name(), "explore", x.seed, &w.last)
	f.index, f.place = max(0, x.ended-1), at
	x.found[signature] = f
}
