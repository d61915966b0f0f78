package shrink

import (
	"context"
	"math"
	"slices"

	"github.com/jostle-go/jostle/pulse/choice"
)

// A Subject runs cases. The outcome of a case must depend on the case alone.
type Subject interface {
	// Run runs a case.
	Run(c Case) Outcome
	// Search looks for orders in which the inputs fail with the signature, in about
	// the given number of runs. It returns some that have no more messages from
	// outside and no more steps than near. It also returns how many runs it made,
	// and whether all orders were run. The run near failed, with these inputs or
	// others, perhaps in a similar order. Search passes all other runs to other.
	Search(inputs []choice.Input, signature string, near *Outcome, runs int, other func(Outcome)) (found []Outcome, made int, all bool)
	// Parts runs a case, and returns the parts of its draws, as far as they are
	// known.
	Parts(c Case) []Part
}

// Options bound how long Shrink may take. The zero value sets no bound but the
// context's.
type Options struct {
	// Runs is how many runs may be made; zero is no bound.
	Runs int
	// Progress, if not nil, is called after each run except those of a search. It
	// does not affect the result.
	Progress func(Progress)
}

// A Progress says how far Shrink is.
type Progress struct {
	Runs        int // made so far
	From, Steps int // of the run that was found, and of the best one now
}

// A Result is the result of Shrink.
type Result struct {
	// Best is the smallest run.
	Best Outcome
	// Runs is how many runs were made. Taken is how many of them were smaller than
	// all before.
	Runs, Taken int
	// Done reports that no pass can make the case smaller. If not, the budget was
	// used up.
	Done bool
	// Others has the first run of each other failure, in the order in which they
	// were met.
	Others []Outcome
}

// The effort of a search is how many orders of other draws may be run to find one
// that fails.
const (
	fullEffort   = 300
	littleEffort = 25
)

// A level is tried when no level before it finds anything smaller. Each program is
// first searched with little effort: most that fail at all do so soon, and a smaller
// program costs less to search.
type level struct {
	passes []func(*shrinker)
	effort int
	// again repeats the level while it makes only draws or answers smaller. Without
	// it, that is left to later levels.
	again bool
}

var levels = [...]level{
	{[]func(*shrinker){later, order, draws, answers}, littleEffort, true},
	{[]func(*shrinker){nearest, elsewhere, fewer, rearranged}, littleEffort, false},
	{[]func(*shrinker){wander}, littleEffort, false},
	{[]func(*shrinker){draws, nearest, elsewhere, fewer, wander, rearrangedBases}, fullEffort, false},
	{[]func(*shrinker){draws, exchanges, rearranged, wander}, littleEffort, true},
	{[]func(*shrinker){doubted}, fullEffort / 3, false},
	{[]func(*shrinker){united}, littleEffort, false},
}

// Shrink returns the smallest case that it can make of a failing one. Found must be
// the outcome of running found.Case. The result depends only on the subject, the case
// and the bound on runs.
func Shrink(ctx context.Context, s Subject, found Outcome, o Options) Result {
	x := newShrinker(ctx, s, found, o)
	for i := 0; i < len(levels); i++ {
		shrunk, taken := x.shrunk, x.Taken
		switch x.round(&levels[i]); {
		case x.over():
		case x.shrunk > shrunk:
			i = -1 // restart with the first level
		case x.Taken > taken && levels[i].again:
			i--
		}
	}
	x.Done = !x.over()
	return x.Result
}

// A shrinker is one call of Shrink.
type shrinker struct {
	Result
	subject Subject
	ctx     context.Context
	options Options
	from    int // steps of the run that was found
	effort  int // how many runs a search may take
	shrunk  int // how many best runs were smaller in more than their draws and answers

	// tried has the effort with which draws were tried, by inputKey. searched and
	// around are by program: the effort with which it was searched, and with which
	// other orders of it were searched while it was the best one.
	tried, searched, around map[string]int
	met                     map[string]bool   // the signatures of the failures so far
	parts                   map[string][]Part // by inputKey

	bases  []Outcome // runs as large as the best one, for wander to start from
	doubts []doubt
}

func newShrinker(ctx context.Context, s Subject, found Outcome, o Options) *shrinker {
	x := &shrinker{subject: s, ctx: ctx, options: o, tried: map[string]int{}, searched: map[string]int{}, around: map[string]int{},
		parts: map[string][]Part{}, met: map[string]bool{found.Signature: true}}
	x.Best, x.from = found.Clone(), found.Steps
	return x
}

// noMore is an effort that no search exceeds.
const noMore = math.MaxInt

// round runs each pass of a level once.
func (x *shrinker) round(l *level) {
	x.effort = l.effort
	for _, pass := range l.passes {
		if !x.over() {
			pass(x)
		}
	}
}

// over reports whether the budget is used up.
func (x *shrinker) over() bool {
	return x.options.Runs > 0 && x.Runs >= x.options.Runs || x.ctx.Err() != nil
}

// within returns the number of runs, or how many are left if those are fewer.
func (x *shrinker) within(runs int) int {
	if x.options.Runs > 0 {
		return min(runs, x.options.Runs-x.Runs)
	}
	return runs
}

// run runs a case, and reports whether it failed with the same signature.
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

// try runs a case, and reports whether it became the best one.
func (x *shrinker) try(c Case) bool {
	if x.over() {
		return false
	}
	out, alike := x.run(c)
	return alike && x.take(out)
}

// seek looks for a failing order of other draws, and reports whether it found a new
// best run. It searches draws that are not smaller only if larger is set.
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

// A doubt is a program with fewer messages from outside than the best one. Only some
// of its orders were run, and none of them failed.
type doubt struct {
	inputs   []choice.Input
	program  string
	external int
}

// lookInto searches a program, and reports whether it found a new best run.
func (x *shrinker) lookInto(d *doubt) bool {
	taken, all := x.search(d.inputs, x.effort)
	if x.searched[d.program] = x.effort; all && !taken {
		x.searched[d.program] = noMore
	}
	return taken
}

// mostDoubted is how many programs doubted searches again.
const mostDoubted = 16

// doubted searches the doubts again, with more effort. Programs with more messages
// from outside come first: they fail more often.
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

// search looks for a failing order of draws. It reports whether it found a new best
// run, and whether all orders were run. It reduces several of the runs that it found:
// which of them ends with the fewest constraints is not known before.
func (x *shrinker) search(inputs []choice.Input, runs int) (taken, all bool) {
	if x.over() {
		return false, false
	}
	runs = x.within(runs)
	near := x.Best
	found, made, all := x.subject.Search(inputs, x.Best.Signature, &near, runs, x.meet)
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

// take makes a run with the same failure the best one, if it is smaller.
func (x *shrinker) take(out Outcome) bool {
	if out.Compare(&x.Best) >= 0 {
		return false
	}
	if out.size() != x.Best.size() {
		x.shrunk++
		x.bases = nil
	}
	x.Best = x.anchored(out.Clone())
	x.Taken++
	return true
}

// anchored replaces steps that never come in the constraints of a run. A message that
// waits for one then waits for the step before it, or for the last one, if that gives
// the same run. People then see only steps that exist.
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

// meet records another failure.
func (x *shrinker) meet(out Outcome) {
	if out.Signature == "" || x.met[out.Signature] {
		return
	}
	x.met[out.Signature] = true
	x.Others = append(x.Others, out.Clone())
}
