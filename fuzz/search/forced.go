package search

import (
	"math"
	"slices"

	"github.com/jostle-go/jostle/fuzz/internal/guide"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// A forced makes runs begin with the steps of an order, in that order. It is Bitá's run-time
// scheduler: see strategy.Ordered.
type forced struct {
	schedule choice.Schedule
	ordered  *strategy.Orderer
}

// plan makes a run begin with an order, with the answers from the run that the order was
// made from. All else follows from the plan's seed.
func (f *forced) plan(p *props.Plan, o guide.Order, answers []choice.Choice) {
	if f.ordered == nil {
		f.ordered = strategy.Ordered(&f.schedule)
	}
	s := &f.schedule
	s.Seed, s.Choices = p.StrategySeed|1, answers // zero would be plain order
	s.Priorities, s.Before = s.Priorities[:0], s.Before[:0]
	for i, id := range o.Steps {
		s.Priorities = append(s.Priorities, choice.Priority{ID: id, P: math.MaxUint64 - uint64(i)})
		if i > 0 {
			s.Before = append(s.Before, choice.Constraint{First: o.Steps[i-1], Second: id})
		}
	}
	p.Strategy = f.ordered
}

// A source is all of a run but its order. Orders are made from such a run.
type source struct {
	inputs  []choice.Input
	answers []choice.Choice
	early   int
}

func sourceOf(res *props.Result) source {
	return source{choice.CloneInputs(res.Inputs), slices.Clone(res.System.Record().Choices), res.EarlyTimers}
}

// plan makes a run draw the same inputs.
func (s *source) plan(p *props.Plan) { p.Inputs, p.EarlyTimers = s.inputs, s.early }

// usable reports whether orders can be made from a run.
func usable(res *props.Result) bool {
	return res.Failure == nil && !res.Skipped && res.Rejected == "" && res.System != nil
}

// mostForced is how many orders bita makes from one run. Bitá finds 10 of its 12 bugs with
// at most three; with 8 or 24, bugs that few inputs show took longer here.
const mostForced = 3

// bita is Bitá: it makes a run in plain order, and then runs with orders that generators
// make from it, by PR, PMR and PCR; then a run in random order with new inputs, and so on.
// It tries no goal twice.
type bita struct {
	forced
	goals guide.Goals
	base  *guide.Base       // nil if no more orders are to be made from it
	rest  []guide.Criterion // the remaining criteria for orders
	by    *guide.Generator  // nil until it is needed
	from  source
	based bool // orders are made from the last run
	bases int
	made  int // orders from this base
}

// Plan forces the next order, or makes a run from which orders are made.
func (b *bita) Plan(p *props.Plan) {
	if o, ok := b.next(); ok {
		b.based = false
		b.made++
		b.from.plan(p)
		b.plan(p, o, b.from.answers)
		return
	}
	b.based, p.Strategy, b.made, b.base = true, nil, 0, nil
	if b.bases++; b.bases > 1 {
		p.Strategy = strategy.Random()
	}
}

// next returns the next order made from the base.
func (b *bita) next() (o guide.Order, ok bool) {
	for b.base != nil && b.made < mostForced {
		if b.by == nil {
			b.by = guide.NewGenerator(b.base, b.rest[0], &b.goals)
		}
		if o, ok = b.by.Next(); ok {
			return o, true
		}
		if b.by, b.rest = nil, b.rest[1:]; len(b.rest) == 0 {
			b.base = nil
		}
	}
	return o, false
}

// Learn prepares orders from a run that was not forced.
func (b *bita) Learn(res *props.Result) {
	if !b.based || !usable(res) {
		return
	}
	b.from = sourceOf(res)
	b.base, b.rest, b.by = guide.NewBase(res.System.Trace()), guide.Criteria(), nil
}
