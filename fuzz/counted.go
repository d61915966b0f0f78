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

// program is the property with the current input, as one worker runs it. Not
// every call is a run of the search: package explore also makes some for its
// estimate, and with several workers it makes some twice. So what a run came to
// is counted when it says that the run was one.
func (x *exploring) program(w *explorer) explore.Program {
	plan := props.Plan{Inputs: x.inputs.drawn}
	return func(s pulse.Strategy) explore.Run {
		plan.Strategy = s
		w.last = w.runner.Run(plan)
		res := &w.last
		if text := drawsDiffer(res.Inputs, plan.Inputs); text != "" {
			res.Failure = &pulse.Failure{Kind: pulse.KindMisuse, Step: -1, Text: text}
		}
		w.keeps = w.keeps || res.Remembers
		x.own(w)
		return explore.Run{System: res.System, Failure: res.Failure}
	}
}

// own notes whose system it is that a worker has run.
func (x *exploring) own(w *explorer) {
	if w.last.System == nil || w.last.System == w.system {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	w.system = w.last.System
	x.owner[w.system] = w
}

// done looks at a run of the search that came to its end, or failed before.
func (x *exploring) done(run explore.Run) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if run.Try != x.try {
		x.try = run.Try
		x.again()
	}
	if !run.Cut {
		x.ended++
	}
	w := x.owner[run.System]
	if w == nil { // without a system there is one order, and no other worker
		w = x.workers[0]
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

// again forgets what came of the input so far. Package explore begins a search
// again when it finds that its reduction is not for the program.
func (x *exploring) again() {
	x.ended = x.before
	for _, w := range x.workers {
		w.skipped = w.before
	}
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
