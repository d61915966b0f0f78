package explore

import (
	"slices"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/trace"
)

// The optimal search is TruSt (Kokologiannakis et al., POPL 2022), brought to
// actors as in Must (Enea et al., OOPSLA 2024), with one change that makes it
// simpler: whether a step was chosen by default is noted when it is chosen,
// and not found out again later.
//
// A run follows a frame to its end and goes on by default: any actor that has
// messages, any of them. Then it is varied from its end to its beginning. A
// step can receive another message that its actor had; or, when a later step
// has sent its actor a message that it could have had, that one: a revisit.
// The revisit keeps what happened before the sending and drops what else came
// after, and it is made only if all that is dropped, and the step itself, was
// chosen by default. So everything that is not by default stays as it is in
// all that follows from a frame, and each distinct order is come to in one way:
//
//   - Each: take a distinct order, and follow it from the start. Where the
//     default differs from it at an actor, the message that it has there was
//     either there to be chosen instead, or is sent later; then what the
//     sending needs is made to happen first, in the same way, and all else by
//     default, which the revisit drops again.
//   - Once: a decision against the default cannot be taken back below, and one
//     for it can only be by the revisit that the order calls for.
//
// A frame has at least one decision against the default more than the frame
// that it came from, so there are never more frames than a run has steps.

// An optimal goes through the tree of the optimal search.
type optimal struct {
	*search
	follower frameFollower
	reviser  reviser
	frames   []*frame // the first depth are in use: each came from the one before
	depth    int
	unwanted unwanted
	shared   int // how many steps the next run has in common with the last
	// handsOver keeps new frames for workers instead of going into them.
	handsOver bool
	handed    []frameRoot
	// estimates: it is known what can be varied of a run that ends the search too.
	estimates bool
}

// A frameRoot is where a subtree of the optimal search begins: a frame, of
// whose run so many steps were counted.
type frameRoot struct {
	frame  *frame
	shared int
}

func newOptimal(s *search) *optimal {
	o := &optimal{search: s, follower: frameFollower{chooser: postponer{s.chooser()}, divides: s.options.divides}, unwanted: unwanted{}}
	o.startAt(frameRoot{&frame{}, 0})
	return o
}

// startAt has the search go through what follows from a frame.
func (o *optimal) startAt(r frameRoot) { o.resume([]*frame{r.frame}, r.shared) }

// resume has the search go on with frames, of which the last is to be run.
func (o *optimal) resume(frames []*frame, shared int) {
	o.frames, o.depth, o.shared = append(o.frames[:0], frames...), len(frames), shared
}

// explore runs the top frame and varies it until nothing is left. It reports
// whether the tree is done.
func (o *optimal) explore() (finished bool) {
	if o.unwanted.has(o.top().question) { // it was found out after the frame was made
		return true
	}
	if !o.runTop() {
		return false
	}
	for o.depth > 0 {
		if o.nextRun() && (o.isOver() || !o.runTop()) {
			return false
		}
	}
	return true
}

func (o *optimal) top() *frame { return o.frames[o.depth-1] }

// push puts a frame on the stack.
func (o *optimal) push() *frame {
	if o.depth == len(o.frames) {
		o.frames = append(o.frames, &frame{})
	}
	o.depth++
	return o.top()
}

// nextRun varies the last step of the top frame or, when nothing of that is
// left, drops the step or the frame. It reports whether there is a run to be
// made.
func (o *optimal) nextRun() bool {
	f := o.top()
	if !f.cutFixed() {
		o.depth--
		return false
	}
	i := len(f.steps) - 1
	if o.handsOver {
		o.handAlts(f, i)
	}
	r, ok := f.popRevisit()
	switch {
	case ok && o.unwanted.has(r.question):
		return false
	case ok && o.handsOver:
		o.handRevisit(f, i, r)
		return false
	case ok:
		o.push().revisit(f, i, r)
		o.shared = int(r.step)
		return true
	case f.vary():
		o.shared = i
		return true
	}
	f.cut(i)
	return false
}

// handRevisit makes a frame for a worker.
func (o *optimal) handRevisit(f *frame, i int, r revisit) {
	g := &frame{}
	g.revisit(f, i, r)
	o.handed = append(o.handed, frameRoot{g, int(r.step)})
}

// handAlts makes a frame for a worker of each other message of the last step.
func (o *optimal) handAlts(f *frame, i int) {
	for _, a := range f.altsOf(i) {
		g := &frame{}
		g.replace(f, i, a)
		o.handed = append(o.handed, frameRoot{g, i})
	}
	begin, _, _ := f.ends(i - 1)
	f.alts = f.alts[:begin]
	f.steps[i].alts = begin
}

// runTop runs the top frame and finds what it can be varied to. It reports
// whether the search goes on.
func (o *optimal) runTop() bool {
	w, f := &o.follower, o.top()
	w.begin(f)
	run := o.worker.Run(w)
	repeats := w.repeats(&run, run.steps() >= len(f.steps))
	switch {
	case w.askedBetween:
		o.over = handover{SourceSets, true, whyStrikes}
		return false
	case !repeats:
		o.tally.result.Nondeterminism = w.difference
		return false
	case w.ending == endedAsleep:
		o.noteUnwanted(f, &run)
		o.depth--
	case !o.goesOnAfter(&run) && !o.estimates: // it is the last: nothing need be learned from it, however long it is
	case !o.revise(&run):
		return false
	}
	if o.count(run, w.ending, o.shared) {
		return false
	}
	return !o.isRepeated(&run, w.ending) || o.repeat(&run, o.runAgain)
}

// noteUnwanted learns from a run that was wasted: the process that its frame
// revisits last did not want the message.
func (o *optimal) noteUnwanted(f *frame, run *Run) {
	if f.question == 0 {
		return
	}
	o.unwanted.add(f.question)
	sends, id := run.System.Trace().Sends, f.steps[len(f.steps)-1].id
	for m := range sends {
		if d := &sends[m]; o.follower.enabled.IDOf(d) == id {
			o.habits.refuse(d.To)
		}
	}
}

// runAgain runs the top frame, which was run last.
func (o *optimal) runAgain() Run {
	w, f := &o.follower, o.top()
	steps := len(f.steps)
	w.begin(f)
	again := o.worker.Run(w)
	if !w.repeats(&again, again.steps() >= steps && len(f.steps) == steps) {
		o.tally.result.Nondeterminism = w.difference
	}
	return again
}

// revise finds the revisits of a run. It reports whether the optimal search can
// go through the program.
func (o *optimal) revise(run *Run) bool {
	if run.System == nil || run.System.Steps() == 0 {
		return true
	}
	f, t := o.top(), run.System.Trace()
	f.addSettled(len(t.Steps))
	switch {
	case run.isObserved():
		o.over = handover{Everything, false, whyObserved}
	case o.mayShowPartitions(run.System):
		o.over = handover{SourceSets, true, whyPartitions}
	case mayPassEarly(run.System):
		o.over = handover{SourceSets, true, whyStrikes}
	case o.goesOnAfter(run) && run.brokeOff():
		o.over = handover{SourceSets, true, whyBrokeOff}
	default:
		o.reviser.enabled = o.follower.enabled
		o.over = o.reviser.revise(f, t, o.shared, max(o.shared, f.base))
	}
	return !o.mustBeginAgain()
}

// mayPassEarly reports whether time may pass early in a run like that of a system,
// with its steps in another order: whether something was set that comes with time.
// In this order it may have been set when nothing else was left, so that there was
// no question.
func mayPassEarly(s *pulse.System) bool {
	return s.Options().EarlyTimers != 0 && setsTime(s)
}

// setsTime reports whether something was set in a run that comes with time.
func setsTime(s *pulse.System) bool {
	t := s.Trace()
	return s.Options().Faults.Delay > 0 || len(t.Strikes) > 0 ||
		slices.ContainsFunc(t.Sends, func(d trace.Send) bool { return d.Kind.IsTimer() })
}
