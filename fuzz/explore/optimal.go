package explore

import (
	"slices"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/trace"
)

// The optimal search is TruSt (Kokologiannakis et al., POPL 2022), adapted to actors as
// in Must (Enea et al., OOPSLA 2024), with one simplification: it records whether a step
// was chosen by default, and need not recompute that later.
//
// A run follows a frame to its end and continues by default: it takes any message of any
// actor. Then the run is varied from its end to its beginning. A step can receive another
// message that its actor had. Or a later step has sent a message that the step could have
// received instead: a revisit. A revisit keeps what happened before the send and drops
// everything else after the revisited step. It is made only if that step and all dropped
// steps were chosen by default. So decisions against the default persist in everything
// that follows from a frame, and each distinct order is reached in exactly one way:
//
//   - At least once: take a distinct order, and follow it from the start. If the default
//     differs from it at an actor, the order's message was either available instead, or
//     is sent later. In the second case the steps that the send needs happen first, in
//     the same way. All else happens by default, and the revisit drops it again.
//   - At most once: nothing below a decision against the default can undo it. Only the
//     revisit that the order requires can undo a decision for the default.
//
// A frame has at least one more decision against the default than its parent frame, so
// there are never more frames than steps of a run.

// An optimal explores the tree of the optimal search.
type optimal struct {
	*search
	follower frameFollower
	reviser  reviser
	frames   []*frame // the first depth are in use: each came from the one before
	depth    int
	unwanted unwanted
	shared   int // how many steps the next run shares with the last
	// handsOver keeps new frames for workers instead of exploring them.
	handsOver bool
	handed    []frameRoot
	// estimates finds the variations even of a run that ends the search.
	estimates bool
}

// A frameRoot is the root of a subtree of the optimal search: a frame, with the number
// of steps of its run that were counted already.
type frameRoot struct {
	frame  *frame
	shared int
}

func newOptimal(s *search) *optimal {
	o := &optimal{search: s, follower: frameFollower{chooser: postponer{s.chooser()}, divides: s.options.divides}, unwanted: unwanted{}}
	o.startAt(frameRoot{&frame{}, 0})
	return o
}

// startAt makes the search explore what follows from a frame.
func (o *optimal) startAt(r frameRoot) { o.resume([]*frame{r.frame}, r.shared) }

// resume makes the search continue with frames, of which the last is to be run.
func (o *optimal) resume(frames []*frame, shared int) {
	o.frames, o.depth, o.shared = append(o.frames[:0], frames...), len(frames), shared
}

// explore runs the top frame and varies it until nothing is left. It reports whether the
// tree is done.
func (o *optimal) explore() (finished bool) {
	if o.unwanted.has(o.top().question) { // the answer came after the frame was made
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

// nextRun varies the last step of the top frame. If nothing is left, it drops the step or
// the frame. It reports whether there is a run to make.
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

// handAlts makes a frame for a worker for each other message of the last step.
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

// runTop runs the top frame and finds its variations. It reports whether the search
// continues.
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
	case !o.goesOnAfter(&run) && !o.estimates: // the last run needs no variations, however long it is
	case !o.revise(&run):
		return false
	}
	if o.count(run, w.ending, o.shared) {
		return false
	}
	return !o.isRepeated(&run, w.ending) || o.repeat(&run, o.runAgain)
}

// noteUnwanted learns from a wasted run: the process of its frame's last revisit did not
// want the message.
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

// runAgain repeats the run of the top frame.
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

// revise finds the revisits of a run. It reports whether the optimal search supports the
// program.
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

// mayPassEarly reports whether time may pass early in a run like this one with its steps
// in another order: whether the run set a timer or another timed event. In this order it
// may have been set when nothing else was left, so that there was no question.
func mayPassEarly(s *pulse.System) bool {
	return s.Options().EarlyTimers != 0 && setsTime(s)
}

// setsTime reports whether a run set a timer or another timed event.
func setsTime(s *pulse.System) bool {
	t := s.Trace()
	return s.Options().Faults.Delay > 0 || len(t.Strikes) > 0 ||
		slices.ContainsFunc(t.Sends, func(d trace.Send) bool { return d.Kind.IsTimer() })
}
