package explore

import (
	"slices"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/trace"
)

// The optimal search is TruSt (Kokologiannakis et al., POPL 2022), adapted to actors as
// in Must (Enea et al., OOPSLA 2024). As a simplification, each step records whether it
// was chosen by default, so that this need not be computed later.
//
// A run follows a frame (a prefix of decisions) to its end and continues by default. By
// default it takes any message of any actor. Then the steps of the run are varied from
// the last to the first. There are two kinds of variations. In the first, a step receives
// a different message that was deliverable to its actor. The second is a revisit: a step
// receives a message that a later step has sent. A revisit keeps the steps that happened
// before the send, and drops all other steps after the revisited step. A revisit is made
// only if the revisited step and all dropped steps were chosen by default. So decisions
// against the default persist in all variations of a frame, and each distinct order is
// reached in exactly one way:
//
//   - At least once: follow a distinct order from its start, and suppose that the default
//     takes a different message than the order at some actor. If the order's message was
//     deliverable too, the first kind of variation takes it. Otherwise the message is
//     sent later. The steps that the send needs are reached in the same way, and all
//     other steps happen by default. The revisit then drops these other steps.
//   - At most once: no variation below a decision against the default can undo that
//     decision. Only the revisit that the order requires can undo a decision for the
//     default.
//
// A frame has at least one more decision against the default than its parent frame. So
// the stack never has more frames than a run has steps.

// An optimal is the optimal search. It explores the tree of frames.
type optimal struct {
	*search
	follower frameFollower
	reviser  reviser
	frames   []*frame // the stack: frames[:depth] are in use; each frame is a variation of the previous frame
	depth    int
	unwanted unwanted
	shared   int // the number of steps that the next run shares with the last run
	// handsOver is set if new frames are collected in the field handed, to be
	// divided among several workers, instead of explored.
	handsOver bool
	handed    []frameRoot
	// estimates is set if the search only serves an estimate. Then the variations of
	// a run are computed even if the run ends the search.
	estimates bool
}

// A frameRoot is the root of a subtree of the optimal search. It is the first frame (a
// prefix of decisions) that is run in the subtree.
type frameRoot struct {
	frame  *frame
	shared int // the number of steps of the frame's run that were counted with an earlier run
}

func newOptimal(s *search) *optimal {
	o := &optimal{search: s, follower: frameFollower{chooser: postponer{s.chooser()}, divides: s.options.divides}, unwanted: unwanted{}}
	o.follower.limits = &s.limits
	o.startAt(frameRoot{&frame{}, 0})
	return o
}

// startAt makes the search explore the subtree below the frame of r.
func (o *optimal) startAt(r frameRoot) { o.resume([]*frame{r.frame}, r.shared) }

// resume makes the search continue with a stack of frames. The last frame is run next.
// Its first `shared` steps were counted with an earlier run.
func (o *optimal) resume(frames []*frame, shared int) {
	o.frames, o.depth, o.shared = append(o.frames[:0], frames...), len(frames), shared
}

// explore runs the last frame of the stack, and then all its variations. It reports
// whether the tree is done.
func (o *optimal) explore() (finished bool) {
	if o.unwanted.has(o.top().question) { // since this frame was made, the search has learned that the process refuses the message
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

// push adds a frame to the stack, and returns it. The caller must initialize it.
func (o *optimal) push() *frame {
	if o.depth == len(o.frames) {
		o.frames = append(o.frames, &frame{})
	}
	o.depth++
	return o.top()
}

// nextRun prepares the next variation of the last step of the last frame on the stack. If
// there is none, it drops the step or the frame. It reports whether the last frame must
// be run.
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

// handRevisit appends to o.handed the frame of revisit r, in which an earlier step
// receives a message sent by step i of f.
func (o *optimal) handRevisit(f *frame, i int, r revisit) {
	g := &frame{}
	g.revisit(f, i, r)
	o.handed = append(o.handed, frameRoot{g, int(r.step)})
}

// handAlts appends to o.handed one frame for each alternative message of step i, which is
// the last step of f.
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

// runTop runs the last frame of the stack and finds the variations of its steps. It
// returns false if the run ends the search.
func (o *optimal) runTop() bool {
	w, f := &o.follower, o.top()
	w.begin(f)
	run := o.worker.Run(w)
	if w.ending == endedLate { // the next search repeats the run
		o.hitsBound()
		return false
	}
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
	case !o.goesOnAfter(&run) && !o.estimates: // the search ends with this run, so skip its variations, which would take long to find
	case !o.revise(&run):
		return false
	}
	if o.count(run, w.ending, o.shared) {
		return false
	}
	return !o.isRepeated(&run, w.ending) || o.repeat(&run, o.runAgain)
}

// noteUnwanted records, after a wasted run, that the process of the frame's last step
// refused the message.
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

// runAgain repeats the run of the last frame of the stack.
func (o *optimal) runAgain() Run {
	w, f := &o.follower, o.top()
	steps := len(f.steps)
	w.begin(f)
	w.limits = nil
	again := o.worker.Run(w)
	w.limits = &o.limits
	if !w.repeats(&again, again.steps() >= steps && len(f.steps) == steps) {
		o.tally.result.Nondeterminism = w.difference
	}
	return again
}

// revise finds the revisits of a run. If the optimal search does not support the program,
// it returns false and sets o.over, which names the reduction to restart with.
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

// mayPassEarly reports whether a timer may fire early when the steps of a run come in another
// order. That is possible if early timers are allowed, and the run set a timer or another timed
// event. In the run itself a timer may have had no chance to fire early, because nothing else was
// deliverable.
func mayPassEarly(s *pulse.System) bool {
	return s.Options().EarlyTimers != 0 && setsTime(s)
}

// setsTime reports whether a run set a timer or another timed event.
func setsTime(s *pulse.System) bool {
	t := s.Trace()
	return s.Options().Faults.Delay > 0 || len(t.Strikes) > 0 ||
		slices.ContainsFunc(t.Sends, func(d trace.Send) bool { return d.Kind.IsTimer() })
}
