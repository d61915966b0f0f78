package shrink

import (
	"context"
	"math"
	"slices"

	"github.com/jostle-go/jostle/pulse/choice"
)

// A Subject runs cases. The outcome of a case must depend only on the case.
type Subject interface {
	// Run runs a case.
	Run(c Case) Outcome
	// Search performs about the given number of runs with the inputs, in different orders. It
	// returns some runs that fail with the signature. None of them has more messages from outside
	// or more steps than near, a failing run that may have different inputs. Search may use near to
	// find failing orders sooner. It also returns the number of runs that it made, and whether it
	// ran all orders. It calls other for each run that it does not return. It makes no further run
	// when ctx is done.
	Search(ctx context.Context, inputs []choice.Input, signature string, near *Outcome, runs int, other func(Outcome)) (found []Outcome, made int, all bool)
	// Afresh makes up to the given number of runs with random draws in random orders, and returns a few
	// runs that fail with the signature. Calls with different numbers `call` make different runs. It
	// also returns the number of runs that it made. It calls other for each run that it does not
	// return. It makes no further run when ctx is done.
	Afresh(ctx context.Context, call int, signature string, runs int, other func(Outcome)) (found []Outcome, made int)
	// Parts runs a case. It returns the known parts of the draws of the case (see Part).
	Parts(c Case) []Part
}

// Options are the settings of Shrink. With the zero value only the context limits Shrink.
type Options struct {
	// Runs limits the number of runs; zero is no limit.
	Runs int
	// Progress, if not nil, is called after each run except those in Subject.Search. It
	// does not affect the result.
	Progress func(Progress)
}

// A Progress describes the progress of Shrink.
type Progress struct {
	Runs  int // number of runs so far
	From  int // the number of steps of the run that Shrink was given
	Steps int // the number of steps of the smallest run so far
}

// A Result is the result of Shrink.
type Result struct {
	// Best is the smallest run.
	Best Outcome
	// Runs is the number of runs that were made.
	Runs int
	// Taken counts the runs that were smaller than all runs before.
	Taken int
	// Done is set if no pass can make the case smaller. If Done is not set, a limit has ended
	// Shrink.
	Done bool
	// Others has the first run of each failure other than the given one, in the order in which the
	// failures occurred.
	Others []Outcome
}

// The effort of a search is the maximum number of orders of a program that are run to find an order
// that fails.
const (
	fullEffort   = 300
	littleEffort = 25
)

// A level is a group of passes. It is tried when the levels before it no longer make the case
// smaller. The first levels search programs with little effort, because most failing programs fail
// soon, and because a smaller program is cheaper to search.
type level struct {
	passes []func(*shrinker)
	effort int
	// again is set to repeat the level if it has made only the draws or answers smaller. If again
	// is not set, the next level follows.
	again bool
	// unless reports that the level would hardly make the case smaller, and is skipped. It is nil
	// if the level is never skipped.
	unless func(*shrinker) bool
}

// The level with afresh comes early. Other failing runs often lead to the smallest run, and if several of them lead to
// runs of one size, settled returns true and expensive levels are skipped.
var levels = [...]level{
	{[]func(*shrinker){later, order, draws, answers}, littleEffort, true, nil},
	{[]func(*shrinker){nearest, elsewhere, fewer, rearranged}, littleEffort, false, nil},
	{[]func(*shrinker){wander}, littleEffort, false, nil},
	{[]func(*shrinker){afresh}, fullEffort, false, nil},
	{[]func(*shrinker){simpler}, littleEffort, false, settled},
	{[]func(*shrinker){simpler}, fullEffort / 3, false, nil},
	{[]func(*shrinker){perturb}, littleEffort, false, settledOrder},
	{[]func(*shrinker){nearest, elsewhere}, fullEffort, false, settledOrder},
	{[]func(*shrinker){rearrangedBases, inserted}, fullEffort, false, settled},
	{[]func(*shrinker){draws, exchanges, rearranged}, littleEffort, true, nil},
	{[]func(*shrinker){doubted}, fullEffort / 3, false, settled},
	{[]func(*shrinker){united}, littleEffort, false, nil},
	{[]func(*shrinker){wander}, fullEffort, false, settled},
}

// Shrink makes a failing case as small as it can. The outcome found must be the result of running
// found.Case. The result of Shrink depends only on the subject, the case and Options.Runs, unless
// ctx ends Shrink.
func Shrink(ctx context.Context, s Subject, found Outcome, o Options) Result {
	x := newShrinker(ctx, s, found, o)
	for i := 0; i < len(levels); i++ {
		if levels[i].unless != nil && levels[i].unless(x) {
			continue
		}
		shrunk, taken := x.shrunk, x.Taken
		switch x.round(&levels[i]); {
		case x.over():
		case x.shrunk > shrunk:
			i = -1 // restart with the first level
		case x.Taken > taken && levels[i].again:
			i--
		}
	}
	natural(x)
	x.Done = !x.over()
	return x.Result
}

// A shrinker is the state of one call to Shrink.
type shrinker struct {
	Result
	subject Subject
	ctx     context.Context
	options Options
	from    int // the number of steps of the run that Shrink was given
	effort  int // the effort of the current level
	shrunk  int // the number of times that a new best run had fewer messages from outside, steps or constraints

	tried    map[string]int    // maps the inputKey of draws to the effort with which seek tried the draws
	searched map[string]int    // maps a program to the effort with which it was searched
	around   map[string]int    // maps the program of a best run to the effort with which elsewhere searched it
	met      map[string]bool   // the signatures of the failures so far
	parts    map[string][]Part // maps the inputKey of draws to their parts

	unmoved map[string]bool // the runs of which later could move no delivery to the end, by Outcome.deliveries
	plunged map[string]int  // maps a program to the effort with which simpler searched it
	fallen  map[string]bool // the programs from which a descent has changed the draws
	afresh  int             // the number of calls to Subject.Afresh
	alike   int             // the number of descents of afresh that led to a run with as many messages from outside and steps as the best run
	wanders uint64          // the number of calls to wander

	bases  []Outcome // the failing runs as large as the best run; wander starts from them
	doubts []doubt
}

func newShrinker(ctx context.Context, s Subject, found Outcome, o Options) *shrinker {
	x := &shrinker{subject: s, ctx: ctx, options: o, tried: map[string]int{}, searched: map[string]int{}, around: map[string]int{},
		unmoved: map[string]bool{}, plunged: map[string]int{}, fallen: map[string]bool{},
		parts: map[string][]Part{}, met: map[string]bool{found.Signature: true}}
	x.Best, x.from = found.Clone(), found.Steps
	return x
}

// noMore is recorded as the effort for a program that must not be searched again.
const noMore = math.MaxInt

// round runs each pass of level l once.
func (x *shrinker) round(l *level) {
	x.effort = l.effort
	for _, pass := range l.passes {
		if !x.over() {
			pass(x)
		}
	}
}

// over reports whether shrinking must end, because the limit of runs is reached or the context is
// done.
func (x *shrinker) over() bool {
	return x.options.Runs > 0 && x.Runs >= x.options.Runs || x.ctx.Err() != nil
}

// within returns runs, or the number of runs that the limit still allows if that is smaller.
func (x *shrinker) within(runs int) int {
	if x.options.Runs > 0 {
		return min(runs, x.options.Runs-x.Runs)
	}
	return runs
}

// limit limits the runs to the given number of further runs, until the returned function is called.
func (x *shrinker) limit(runs int) (restore func()) {
	was := x.options.Runs
	x.options.Runs = x.Runs + x.within(runs)
	return func() { x.options.Runs = was }
}

// run runs a case, and reports whether the run failed with the same signature as the best run.
func (x *shrinker) run(c Case) (out Outcome, alike bool) {
	x.Runs++
	out = x.subject.Run(c)
	if x.options.Progress != nil {
		x.options.Progress(Progress{x.Runs, x.from, x.Best.Steps})
	}
	if alike = out.Signature == x.Best.Signature; !alike {
		x.meet(out)
	}
	return out, alike
}

// try runs a case, and reports whether the run became the best run.
func (x *shrinker) try(c Case) bool {
	if x.over() {
		return false
	}
	out, alike := x.run(c)
	return alike && x.take(out)
}

// seek runs a case with the given draws, and reports whether it found a new best run. If the run
// does not become the best run, seek searches for a failing order. It omits the search if the draws
// are not smaller than the best draws, unless larger is set.
func (x *shrinker) seek(inputs []choice.Input, larger bool) bool {
	key := inputKey(inputs)
	if x.over() || x.tried[key] >= x.effort {
		return false
	}
	x.tried[key] = x.effort
	out, alike := x.run(Case{inputs, x.Best.Case.Schedule})
	if alike && x.take(out) {
		return true
	}
	if alike {
		x.base(&out)
	}
	if out.Void || out.External > x.Best.External || !larger && compareInputs(out.Case.Inputs, x.Best.Case.Inputs) >= 0 {
		return false
	}
	program := out.program()
	if program == x.Best.program() || x.searched[program] >= x.effort {
		return false
	}
	first := x.searched[program] == 0
	d := doubt{choice.CloneInputs(out.Case.Inputs), program, out.External}
	taken := x.lookInto(&d)
	if !taken && first && d.external < x.Best.External && x.searched[program] < noMore {
		x.doubts = append(x.doubts, d)
	}
	return taken
}

// A doubt is a program that may still fail. It has fewer messages from outside than the best
// program. Only some of its orders were run, and no run failed.
type doubt struct {
	inputs   []choice.Input
	program  string
	external int
}

// lookInto searches the program of a doubt for a failing order, and reports whether it found a new
// best run.
func (x *shrinker) lookInto(d *doubt) bool {
	taken, all := x.search(d.inputs, x.effort)
	if x.searched[d.program] = x.effort; all && !taken {
		x.searched[d.program] = noMore
	}
	return taken
}

// mostDoubted is the maximum number of programs that the function doubted searches again.
const mostDoubted = 16

// doubted searches the programs in x.doubts again, with more effort. It begins with the programs
// that have the most messages from outside, because such programs fail more often.
func doubted(x *shrinker) {
	slices.SortStableFunc(x.doubts, func(a, b doubt) int { return b.external - a.external })
	for i, made := 0, 0; i < len(x.doubts) && made < mostDoubted && !x.over(); i++ {
		d := &x.doubts[i]
		if d.external >= x.Best.External || x.searched[d.program] >= x.effort {
			continue
		}
		if made++; x.lookInto(d) {
			return
		}
	}
}

// search searches for a failing order of the given draws. It reports whether it found a new best
// run, and whether all orders were run. It removes constraints from several found runs, because it
// cannot know in advance which run will need the fewest constraints.
func (x *shrinker) search(inputs []choice.Input, runs int) (taken, all bool) {
	if x.over() {
		return false, false
	}
	runs = x.within(runs)
	near := x.Best
	found, made, all := x.subject.Search(x.ctx, inputs, x.Best.Signature, &near, runs, x.meet)
	x.Runs += made
	for i := range found {
		if !taken || found[i].External == x.Best.External && found[i].Steps == x.Best.Steps {
			x.reduce(&found[i])
		}
		x.base(&found[i])
		taken = x.take(found[i]) || taken
	}
	return taken, all
}

// take replaces the best run by the run out if out is smaller. It reports whether out is smaller.
// Both runs must have the same failure.
func (x *shrinker) take(out Outcome) bool {
	if out.Compare(&x.Best) >= 0 {
		return false
	}
	if out.size() != x.Best.size() {
		x.shrunk++
		if out.External != x.Best.External || out.Steps != x.Best.Steps {
			x.alike = 0
		}
		x.bases = nil
	}
	x.Best = x.anchored(out.Clone())
	x.Taken++
	return true
}

// anchored replaces constraints in which a step waits for a step that does not occur in the run, so
// that users see only steps that exist. The waiting step then waits for its predecessor in the run,
// or for the last step of the run if it does not occur either. If the run would change, anchored
// returns out unchanged.
func (x *shrinker) anchored(out Outcome) Outcome {
	c, loose := out.Case.Clone(), false
	for i := range c.Schedule.Before {
		b := &c.Schedule.Before[i]
		at := slices.Index(out.Taken, b.Second)
		if at < 0 {
			at = len(out.Taken)
		}
		if at > 0 && !slices.Contains(out.Taken, b.First) {
			b.First, loose = out.Taken[at-1], true
		}
	}
	if !loose || x.over() {
		return out
	}
	if same, alike := x.run(c); alike && slices.Equal(same.Taken, out.Taken) && same.Compare(&out) == 0 {
		return same.Clone()
	}
	return out
}

// meet adds a run to x.Others if the run has a failure that did not occur before.
func (x *shrinker) meet(out Outcome) {
	if out.Signature == "" || x.met[out.Signature] {
		return
	}
	x.met[out.Signature] = true
	x.Others = append(x.Others, out.Clone())
}
