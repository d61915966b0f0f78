package shrink

import (
	"context"
	"slices"

	"github.com/jostle-go/jostle/pulse/choice"
)

// A Subject runs cases. What comes of a case must follow from the case alone.
type Subject interface {
	// Run runs a case.
	Run(c Case) Outcome
	// Search looks for orders in which some draws fail with a signature, in about so
	// many runs. It returns some of those that have no more messages from outside and
	// no more steps than the near run, and how many runs it made. The near run failed,
	// with other draws, and maybe in a like order. It tells other of all other runs.
	Search(inputs []choice.Input, signature string, near *Outcome, runs int, other func(Outcome)) (found []Outcome, made int)
}

// Options bound how long Shrink may take. The zero value is no bound but the context's.
type Options struct {
	// Runs is how many runs may be made.
	Runs int
	// RunsPerInput is how many orders of other draws may be run to find one that
	// fails; zero means 300.
	RunsPerInput int
	// Progress is told of each smaller case. It may be nil.
	Progress func(best *Outcome, runs int)
}

// A Result is what came of Shrink.
type Result struct {
	// Best is the smallest run.
	Best Outcome
	// Runs is how many runs were made, Taken how many of them were smaller than all
	// before.
	Runs, Taken int
	// Done reports that no pass can make the case smaller. Else the budget was used up.
	Done bool
	// Others has the first run of each other failure that was met, in the order in
	// which they were met.
	Others []Outcome
}

const usualRunsPerInput = 300

// Shrink returns the smallest case that it can make of a failing one. Found must be
// what Subject.Run comes to with found.Case. The result follows from the subject, the
// case and the bound on runs.
func Shrink(ctx context.Context, s Subject, found Outcome, o Options) Result {
	if o.RunsPerInput == 0 {
		o.RunsPerInput = usualRunsPerInput
	}
	x := &shrinker{subject: s, ctx: ctx, options: o, tried: map[string]bool{}, met: map[string]bool{found.Signature: true}}
	x.Best = found
	for x.round() {
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
	tried   map[string]bool // draws that were searched without finding anything smaller, by inputKey
	met     map[string]bool // the signatures of failures
}

// round makes each pass once, and reports whether one of them made the case smaller
// and there is time for another round.
func (x *shrinker) round() bool {
	taken := x.Taken
	for _, pass := range []func(*shrinker){draws, order, answers, elsewhere} {
		if x.over() {
			return false
		}
		pass(x)
	}
	return x.Taken > taken && !x.over()
}

// over reports whether the budget is used up.
func (x *shrinker) over() bool {
	return x.options.Runs > 0 && x.Runs >= x.options.Runs || x.ctx.Err() != nil
}

// try runs a case, and reports whether it is the best one now.
func (x *shrinker) try(c Case) bool {
	if x.over() {
		return false
	}
	x.Runs++
	out := x.subject.Run(c)
	if out.Signature != x.Best.Signature {
		x.meet(out)
		return false
	}
	return x.take(out)
}

// seek looks for a failing order of other draws, and reports whether it found a run
// that is the best one now.
func (x *shrinker) seek(inputs []choice.Input) bool {
	key := inputKey(inputs)
	if x.tried[key] {
		return false
	}
	x.tried[key] = true
	return x.search(inputs, x.options.RunsPerInput)
}

// search looks for a failing order of draws, and reports whether it found a run that
// is the best one now.
func (x *shrinker) search(inputs []choice.Input, runs int) bool {
	if x.over() {
		return false
	}
	if x.options.Runs > 0 {
		runs = min(runs, x.options.Runs-x.Runs)
	}
	near := x.Best
	found, made := x.subject.Search(inputs, x.Best.Signature, &near, runs, x.meet)
	x.Runs += made
	taken := false
	for i := range found {
		if !taken && found[i].Compare(&near) >= 0 && !x.over() {
			x.reduce(&found[i])
		}
		taken = x.take(found[i]) || taken
	}
	return taken
}

// reduce leaves out constraints of a run that is not the best one, as order does.
func (x *shrinker) reduce(out *Outcome) {
	for size := len(out.Case.Schedule.Before); size > 0; size /= 2 {
		for at := 0; at < len(out.Case.Schedule.Before) && !x.over(); {
			c := out.Case.Clone()
			c.Schedule.Before = slices.Delete(c.Schedule.Before, at, min(at+size, len(c.Schedule.Before)))
			x.Runs++
			if less := x.subject.Run(c); less.Signature == out.Signature && less.Compare(out) < 0 {
				*out = less
				out.Case = less.Case.Clone()
			} else {
				at += size
			}
		}
	}
}

// take takes a run that fails alike, if it is smaller.
func (x *shrinker) take(out Outcome) bool {
	if out.Compare(&x.Best) >= 0 {
		return false
	}
	x.Best = out
	x.Best.Case = out.Case.Clone()
	x.Taken++
	if x.options.Progress != nil {
		x.options.Progress(&x.Best, x.Runs)
	}
	return true
}

// meet notes another failure.
func (x *shrinker) meet(out Outcome) {
	if out.Signature == "" || x.met[out.Signature] {
		return
	}
	x.met[out.Signature] = true
	out.Case = out.Case.Clone()
	x.Others = append(x.Others, out)
}
