package search

import (
	"math"
	"slices"

	"github.com/jostle-go/jostle/fuzz/internal/guide"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// A forced plans runs that begin with given steps, in a given order. It is the run-time
// scheduler of the paper Bitá (Tasharofi et al., ASE 2013): see strategy.Ordered.
type forced struct {
	schedule choice.Schedule
	ordered  *strategy.Orderer
}

// plan makes a run begin with the steps of order o. answers are the choices of the run from
// which o was made. All other decisions are generated from the plan's seed.
func (f *forced) plan(p *props.Plan, o guide.Order, answers []choice.Choice) {
	if f.ordered == nil {
		f.ordered = strategy.Ordered(&f.schedule)
	}
	s := &f.schedule
	s.Seed, s.Choices = p.StrategySeed|1, answers // the seed must not be zero, which would deliver the oldest message first
	s.Priorities, s.Before = s.Priorities[:0], s.Before[:0]
	for i, id := range o.Steps {
		s.Priorities = append(s.Priorities, choice.Priority{ID: id, P: math.MaxUint64 - uint64(i)})
		if i > 0 {
			s.Before = append(s.Before, choice.Constraint{First: o.Steps[i-1], Second: id})
		}
	}
	p.Strategy = f.ordered
}

// A source holds the inputs and the choices of a run from which orders are made.
type source struct {
	inputs  []choice.Input
	answers []choice.Choice
	early   int
}

func sourceOf(res *props.Result) source {
	return source{choice.CloneInputs(res.Inputs), slices.Clone(res.System.Record().Choices), res.EarlyTimers}
}

func (s *source) plan(p *props.Plan) { p.Inputs, p.EarlyTimers = s.inputs, s.early }

// usable reports whether orders can be made from a run.
func usable(res *props.Result) bool {
	return res.Failure == nil && !res.Skipped && res.Rejected == "" && res.System != nil
}

// mostForced is the maximum number of orders that bita makes from one run. In the Bitá
// paper, three orders suffice for 10 of the 12 bugs. With 8 or 24 orders, bugs that few
// inputs show took more runs in our measurements.
const mostForced = 3

// bita is the arm that follows the Bitá paper. It performs a base run, generates orders
// from the base run by the criteria PR, PMR and PCR (see guide.Criterion), and performs a
// run with each order. Then it performs the next base run, and so on. The first base run
// delivers the oldest message first, and all other base runs are random. No guide.Goal (a
// receive pair to reach) is tried twice.
type bita struct {
	forced
	goals  guide.Goals
	reader guide.Reader
	base   *guide.Base       // the base run; nil if no more orders will be made from it
	rest   []guide.Criterion // the remaining criteria for choosing receive pairs; the generator uses the first one
	by     guide.Generator   // the generator of orders
	begun  bool              // set if the generator makes orders from the base run
	from   source            // the inputs and choices of the base run
	based  bool              // set if the last run was a base run
	bases  int               // the number of base runs (runs that are not made from another run) so far
	made   int               // the number of orders made from the base run
}

// renew resets b to the state of a new bita, after the given number of base runs.
func (b *bita) renew(bases int) {
	b.goals.Reset()
	b.base, b.begun, b.based, b.bases, b.made = nil, false, false, bases, 0
}

// Plan plans a run with the next order, or a base run if there is no order.
func (b *bita) Plan(p *props.Plan) {
	if o, ok := b.next(); ok {
		b.based = false
		b.made++
		b.from.plan(p)
		b.plan(p, o, b.from.answers)
		return
	}
	if b.begun {
		b.by.Save()
	}
	b.based, p.Strategy, b.made, b.base, b.begun = true, nil, 0, nil, false
	if b.bases++; b.bases > 1 {
		p.Strategy = strategy.Random()
	}
}

// next returns the next order made from the base run. ok is false if there is none.
func (b *bita) next() (o guide.Order, ok bool) {
	for b.base != nil && b.made < mostForced {
		if !b.begun {
			b.by.Begin(b.base, b.rest[0], &b.goals)
			b.begun = true
		}
		if o, ok = b.by.Next(); ok {
			return o, true
		}
		b.begun = false
		if b.rest = b.rest[1:]; len(b.rest) == 0 {
			b.base = nil
		}
	}
	return o, false
}

// Learn prepares orders if the last run was a base run.
func (b *bita) Learn(res *props.Result) {
	if !b.based || !usable(res) {
		return
	}
	b.from = sourceOf(res)
	b.base, b.rest = b.reader.Base(res.System.Trace()), guide.Criteria()
}
