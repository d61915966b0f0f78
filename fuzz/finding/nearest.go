package finding

import (
	"context"
	"slices"

	"github.com/jostle-go/jostle/fuzz/internal/record"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/strategy"
	"github.com/jostle-go/jostle/pulse/trace"
	"github.com/jostle-go/jostle/shrink"
)

const (
	mostNear = 400 // the maximum number of runs that search for the nearest passing run
	mostFrom = 12  // the maximum number of failing runs with one swap that are searched further
)

// nearest returns the passing run that differs from a case in the fewest swaps, as far as a search
// in mostNear runs finds it; nil if it finds none. A swap is two messages that one actor receives
// in the other order. All messages keep the order of the case as far as possible.
//
// after is the state of an actor after the step that receives the same message as the given step of
// the case.
func (s *shrinking) nearest(ctx context.Context, c *shrink.Case, signature string, step int) (best *record.Passing, after []trace.Field) {
	w := &nearing{turner: turner{shrinking: s, left: turning, inputs: c, signature: signature}, trials: mostNear}
	pairs := w.begin()
	var more []pair
	for i := range pairs {
		if w.over(ctx) {
			break
		}
		w.try(&pairs[i], &more)
	}
	for i := range more {
		if w.best != nil && w.best.Swaps <= 2 || w.over(ctx) {
			break
		}
		w.try(&more[i], nil)
	}
	return w.best, w.look(step)
}

// passed is the observer of look.
type passed struct {
	changes
	state stateAt
}

func (p *passed) Stepped(s *pulse.System, step int) {
	p.changes.Stepped(s, step)
	p.state.Stepped(s, step)
}

// look reruns the best run and records the states that its steps change. It returns the state of an
// actor after a step: see nearest.
func (w *nearing) look(step int) []trace.Field {
	if w.best == nil {
		return nil
	}
	var seen passed
	seen.state.step = slices.IndexFunc(w.best.Steps, func(s record.PassingStep) bool { return s.Step == step })
	seen.state.on = step >= 0
	res := w.play(props.Plan{Inputs: padded(w.inputs.Inputs), EarlyTimers: w.early, Observer: &seen,
		Strategy: &steered{answers: w.answers, order: w.by.order, exact: w.by.exact}})
	if res.System == nil || len(res.System.Trace().Steps) != len(w.best.Steps) {
		return nil
	}
	after := seen.after(res.System.Trace(), res.System.Trace().Names())
	for i := range w.best.Steps {
		for _, line := range after(i) {
			w.best.Steps[i].After = append(w.best.Steps[i].After, visible(line))
		}
	}
	return seen.state.after
}

// A nearing searches the nearest passing run. It identifies messages by numbers: see namer.
type nearing struct {
	turner
	trials int            // the number of runs that may still be made
	steps  map[uint64]int // maps the number of a message to the step of the case that received it
	actors map[uint64]uint64
	from   int // the number of failing runs that were searched further
	best   *record.Passing
	by     pair // the swap that distinguishes the best run from the run from which it was made
}

// begin runs the case and returns the pairs of messages that can be swapped, nearest first.
func (w *nearing) begin() []pair {
	pairs := w.note()
	if w.order == nil {
		return nil
	}
	w.schedule = w.inputs.Schedule
	n := &noted{by: strategy.Ordered(&w.schedule)}
	res := w.runs(n)
	w.steps, w.actors = map[uint64]int{}, map[uint64]uint64{}
	t, id := res.System.Trace(), res.System.Host().StepID
	for i := range t.Sends {
		d := &t.Sends[i]
		number := n.numbers[id(d)]
		w.actors[number] = n.actor(d.To)
		if d.Receipt != trace.None {
			w.steps[number] = int(d.Receipt)
		}
	}
	return pairs
}

// over reports whether there is no time for more runs.
func (w *nearing) over(ctx context.Context) bool {
	return w.trials <= 0 || w.left <= 0 || ctx.Err() != nil
}

// try runs the case with a pair swapped. If the run passes and is nearer than the best one, it
// becomes the best one. If it fails, and more is not nil, try adds the pairs of neighbors that can
// be swapped next.
func (w *nearing) try(p *pair, more *[]pair) {
	w.trials--
	by := &steered{answers: w.answers, order: p.order, exact: p.exact}
	res := w.runs(by)
	switch {
	case by.lost || res.System == nil || res.Skipped:
	case res.Failure == nil:
		w.take(&res, by, p)
	case more != nil && p.apart == 1 && w.from < mostFrom && w.fails(&res):
		w.from++
		*more = append(*more, neighborsIn(&res, by)...)
	}
}

// take makes a passing run the best one if it is nearer to the case. If it is equally near, it must
// repeat a longer beginning of the case.
func (w *nearing) take(res *props.Result, by *steered, from *pair) {
	t, id := res.System.Trace(), res.System.Host().StepID
	p := &record.Passing{}
	turn := map[uint64]int{} // maps the number of a message to the step that received it
	names := t.Names()
	for i := range t.Steps {
		step := record.PassingStep{Label: visible(t.StepLabel(i)), Step: int(trace.None)}
		if st := &t.Steps[i]; st.Kind == trace.Receive {
			d := &t.Sends[st.Send]
			number := by.numbers[id(d)]
			turn[number] = i
			step.Label = visible(trace.Arrow(names.Of(d.From), d.Label(), names.Of(d.To)))
			if at, received := w.steps[number]; received {
				step.Step = at
			}
		}
		p.Steps = append(p.Steps, step)
	}
	for a, first := range w.steps {
		for b, actor := range w.actors {
			second, received := w.steps[b]
			if a == b || actor != w.actors[a] || received && second < first {
				continue
			}
			if !received {
				second = int(trace.None)
			}
			x, came := turn[a]
			if y, other := turn[b]; came && other && y < x {
				p.Swapped = append(p.Swapped, [2]int{first, second})
			}
		}
	}
	slices.SortFunc(p.Swapped, func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
	if p.Swaps = len(p.Swapped); p.Swaps > 0 && (w.best == nil || p.Swaps < w.best.Swaps || p.Swaps == w.best.Swaps && p.Swapped[0][0] > w.best.Swapped[0][0]) {
		w.best, w.by = p, *from
	}
}
