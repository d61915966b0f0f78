package explore

import (
	"maps"
	"slices"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A tally counts the results of the runs of a tree, or of one subtree.
type tally struct {
	result  Result
	classes map[uint64]struct{} // hashes of the distinct orders (see ClassOf); nil unless distinct orders are counted by hash
	// eachOnce reports whether, as far as known, no distinct order has run twice.
	// Then the number of distinct orders is the number of runs.
	eachOnce bool
	// If meets is set, a run with a conflict by other means than messages sets eachOnce to false.
	meets   bool
	keepOn  bool           // a copy of Options.KeepOn
	leftOut bool           // set if a bound has excluded some orders
	subtree int            // the subtree's number, from 1; 0 above all subtrees
	told    Worker         // its method Done is called after each run; nil for no call
	probed  map[string]int // the number of failed probes, by signature
}

func newTally(o *Options) tally {
	t := tally{eachOnce: o.sleeps() && !o.listsClasses(), keepOn: o.KeepOn}
	t.meets = o.Reduction == Everything || o.heedsMeetings
	t.result.Failures, t.result.Reduction, t.result.Sleep = map[string]int{}, o.Reduction, o.sleeps()
	if o.listsClasses() {
		t.classes = map[uint64]struct{}{}
	}
	return t
}

// clone returns a copy that shares no maps with t.
func (t *tally) clone() tally {
	c := *t
	c.result.Failures, c.classes, c.probed = maps.Clone(t.result.Failures), maps.Clone(t.classes), maps.Clone(t.probed)
	return c
}

// count counts a run, of which the first `shared` steps were already counted with another
// run. It reports whether the run ends the search.
func (t *tally) count(run Run, end ending, shared int) (last bool) {
	r := &t.result
	r.Steps += max(0, run.steps()-shared)
	switch end {
	case endedItself:
		run = t.show(run)
		r.Runs++
		t.countClass(&run)
		return run.Failure != nil && t.fail(run.Failure)
	case endedAsleep:
		r.Wasted++
		return false
	}
	r.Cut++
	if run.Failure == nil || run.Failure.Kind == pulse.KindNondeterminism {
		return false
	}
	run.Cut = true
	return t.fail(t.show(run).Failure)
}

// show sets Index and Subtree of a run, reports the run to the worker, and returns it.
func (t *tally) show(run Run) Run {
	run.Index, run.Subtree = t.result.Runs, t.subtree
	if t.told != nil {
		t.told.Done(run)
	}
	return run
}

// fail counts a failure, and reports whether the failure ends the search.
func (t *tally) fail(f *pulse.Failure) (last bool) {
	t.result.Failures[f.Signature()]++
	if !t.keepOn {
		t.result.Bound = BoundFailure
	}
	return !t.keepOn
}

// countClass counts the distinct order of a run. If timers may fire early, it counts
// distinct orders by hash, because two runs of one distinct order may differ in the
// position of a clock tick.
func (t *tally) countClass(run *Run) {
	switch {
	case !t.eachOnce || run.System == nil:
	case run.System.Options().EarlyTimers != 0:
		t.eachOnce, t.classes = false, map[uint64]struct{}{}
	default:
		t.eachOnce = !t.comesApart(run.System.Trace())
	}
	if t.classes != nil && run.System != nil {
		t.classes[ClassOf(run.System.Trace())] = struct{}{}
	}
	t.setDistinct()
	if !t.eachOnce && run.System == nil {
		t.result.Distinct = -1
	}
}

// mostMet is the maximum number of accesses (see trace.Touch) that comesApart compares
// pairwise.
const mostMet = 64

// comesApart reports whether the search may perform a second run of the distinct order of
// tr. In the second run, a fault may occur at a different point, or two conflicting steps
// of different actors may come in the reverse order. Optimal performs no second run of a
// distinct order.
func (t *tally) comesApart(tr *trace.Trace) bool {
	switch {
	case t.result.Reduction == Optimal:
		return false
	case slices.ContainsFunc(tr.Steps, func(st trace.Step) bool { return st.Kind != trace.Receive }):
		return true
	case !t.meets || len(tr.Touches) == 0:
		return false
	case len(tr.Touches) > mostMet:
		return true
	}
	for i, x := range tr.Touches {
		if x.What == trace.AllSteps || x.What == trace.ItsSteps {
			return true
		}
		for _, y := range tr.Touches[:i] {
			if x.Meets(y) && tr.Steps[x.Step].Actor != tr.Steps[y.Step].Actor {
				return true
			}
		}
	}
	return false
}

// setDistinct sets Result.Distinct, to -1 if unknown.
func (t *tally) setDistinct() {
	switch {
	case t.eachOnce:
		t.result.Distinct = t.result.Runs
	case t.classes != nil:
		t.result.Distinct = len(t.classes)
	default:
		t.result.Distinct = -1
	}
}

// add adds the results of a subtree.
func (t *tally) add(part *tally) {
	t.result.add(&part.result)
	if t.eachOnce && !part.eachOnce {
		if t.eachOnce = false; part.classes != nil {
			t.classes = map[uint64]struct{}{}
		}
	}
	for class := range part.classes {
		t.classes[class] = struct{}{}
	}
	for signature, n := range part.probed {
		t.probed = counted(t.probed, signature, n)
	}
	t.leftOut = t.leftOut || part.leftOut
	t.setDistinct()
}

// ClassOf returns a hash of the distinct order of a run. The hash covers the order of the
// messages that each actor received, and the choices within the actor's steps, such as
// Choose. It also covers the times of all steps or, if the trace says which steps have
// read the time, the times of these steps.
//
// The hashes are saved in files, so ClassOf must never change.
func ClassOf(t *trace.Trace) uint64 {
	if t.UsesObjects() {
		return classByObjects(t)
	}
	sum := uint64(0)
	for i := range t.Actors {
		sum += classMix(0, t.Actors[i].ID)
	}
	for i := range t.Steps {
		st := &t.Steps[i]
		before := uint64(1)
		if st.Prev >= 0 {
			before = t.Steps[st.Prev].ID
		}
		when := uint64(st.Time)
		if picksPasses(t) && !readsTime(t, int32(i)) {
			when = 0
		}
		sum += classMix(classMix(classMix(t.Actors[st.Actor].ID, before), st.ID), when)
	}
	return classMix(sum+answersClass(t), uint64(len(t.Steps)))
}

// classByObjects is ClassOf for a run whose steps did operations on objects, such as
// goroutines on channels. The hash covers the order of the operations on each object. It
// does not cover steps of actors that did such operations, because a goroutine does several
// operations in one step if no other can run.
func classByObjects(t *trace.Trace) (sum uint64) {
	paths := spawnPaths(t)
	operations, last := make([]uint64, len(t.Actors)), map[int32]uint64{}
	for _, x := range t.Touches {
		if x.What != trace.AnObject {
			continue
		}
		by := t.Steps[x.Step].Actor
		operations[by]++
		this := classMix(classMix(paths[by], operations[by]), uint64(t.Steps[x.Step].Time))
		sum += classMix(this, last[x.Actor])
		last[x.Actor] = this
	}
	answers, receipts := make([]uint64, len(t.Actors)), make([]uint64, len(t.Actors))
	for _, a := range t.Answers {
		by := trace.Test
		if a.Step >= 0 {
			by = t.Steps[a.Step].Actor
		}
		answers[by]++
		sum += classMix(classMix(paths[by], answers[by]), uint64(a.Value)<<32|uint64(a.Of))
	}
	for i := range t.Steps {
		st := &t.Steps[i]
		if operations[st.Actor] > 0 || st.Send < 0 {
			continue
		}
		receipts[st.Actor]++
		sum += classMix(classMix(classMix(paths[st.Actor], receipts[st.Actor]), paths[t.Sends[st.Send].From]), uint64(st.Time))
	}
	return classMix(sum, uint64(len(t.Actors)))
}

// spawnPaths returns for each actor a hash of its type, its parent and how many of that type
// the parent had spawned before. The hash does not depend on the step that spawned it.
func spawnPaths(t *trace.Trace) []uint64 {
	type siblings struct {
		parent int32
		kind   string
	}
	paths, before := make([]uint64, len(t.Actors)), map[siblings]uint64{}
	for i := range t.Actors {
		a, above := &t.Actors[i], uint64(1)
		if a.Parent >= 0 {
			above = paths[a.Parent]
		}
		of := siblings{a.Parent, a.Type}
		before[of]++
		paths[i] = classMix(classMix(above, hash.String(a.Type)), before[of])
	}
	return paths
}

// readsTime reports whether a step has read the time.
func readsTime(t *trace.Trace, step int32) bool {
	i, _ := slices.BinarySearchFunc(t.Touches, step, func(x trace.Touch, step int32) int { return int(x.Step - step) })
	for ; i < len(t.Touches) && t.Touches[i].Step == step; i++ {
		if t.Touches[i].What == trace.TheTime {
			return true
		}
	}
	return false
}

// answersClass returns the part of a distinct order's hash that covers the answers of
// choices. It depends on the order of answers within a step, but not on the order of
// the steps.
func answersClass(t *trace.Trace) (sum uint64) {
	for i := 0; i < len(t.Answers); {
		step, h := t.Answers[i].Step, uint64(i) // i identifies the choices of the test, because the test makes its choices in the same order in every run
		if step >= 0 {
			h = t.Steps[step].ID
		}
		for ; i < len(t.Answers) && t.Answers[i].Step == step; i++ {
			h = classMix(classMix(h, uint64(t.Answers[i].Value)), uint64(t.Answers[i].Of)<<32|uint64(t.Answers[i].Sent))
		}
		sum += h
	}
	return sum
}

// classMix mixes a word into the hash of a distinct order.
func classMix(sum, word uint64) uint64 { return hash.Mix(sum ^ word + hash.Gamma) }
