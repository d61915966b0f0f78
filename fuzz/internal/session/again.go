package session

import (
	"context"
	"errors"
	"slices"

	"github.com/jostle-go/jostle/fuzz/finding"
	"github.com/jostle-go/jostle/fuzz/internal/record"
	"github.com/jostle-go/jostle/fuzz/search"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/strategy"
	"github.com/jostle-go/jostle/pulse/trace"
)

// again reruns the batch in which a process died. If q.Stop is nil, it reports each decision
// before the decision takes effect, so that the command knows the last one. Otherwise it ends
// the run before the decision q.Stop, and returns a case of the run that includes this
// decision.
func (s *Session) again(ctx context.Context, q *Request, r *Reply) error {
	o := s.options(q)
	size := o.BatchSize()
	o.First, o.Runs = q.First, (q.First+1)*size
	if q.Runs > 0 {
		o.Runs = min(o.Runs, q.Runs)
	}
	t := &teller{stop: q.Stop, say: func(d Decision) { s.say(Event{Decide: &d}) }}
	if q.Stop != nil {
		o.Runs = q.Stop.Run + 1
	}
	o.Planned = func(index int, p *props.Plan) {
		if q.Stop == nil || index == q.Stop.Run {
			if p.Strategy == nil { // a nil strategy picks the oldest message
				p.Strategy = strategy.Plain()
			}
			*t = teller{Strategy: p.Strategy, needs: pulse.NeedsOf(p.Strategy), stop: t.stop, say: t.say, run: index}
			p.Strategy = t
		}
	}
	res := search.Sample(ctx, s.Property, o)
	r.Tally = res.Tally
	if q.Stop != nil && res.Finding != nil && res.Index == q.Stop.Run {
		r.Findings = []record.Record{stopped(q, &res)}
		r.shown.add(res.Finding.Trace)
	}
	return nil
}

// stopped returns the record of a run that was ended before the decision with which a process
// died. The case of the record includes that decision.
func stopped(q *Request, res *search.Result) record.Record {
	f := res.Finding
	f.Differs = "" // the confirming replays were not stopped, so they differ from the stopped run
	f.Explain("", nil)
	c := f.Case
	c.Signature, c.Hash, c.Record.Plain, c.Doubtful = q.Signature, 0, true, false
	c.Comment = append([]string{q.Headline}, c.Comment[1:]...)
	if d := q.Stop; d.Delivery != 0 {
		c.Record.Deliveries = append(slices.Clone(c.Record.Deliveries), d.Delivery)
	} else if len(d.Choice) == 3 {
		c.Record.Choices = append(slices.Clone(c.Record.Choices), choice.Choice{Kind: choice.Kind(d.Choice[0]), N: d.Choice[1], Value: d.Choice[2]})
	}
	of := finding.Finding{Case: c}
	return record.Record{Case: of.Whole(), Exact: c.Signature, Chart: f.Chart(), Rows: f.Rows, Run: res.Index + 1, Worth: true}
}

var errStopped = errors.New("the run ends before the decision with which a process died")

// A teller is a strategy that makes the decisions of the embedded strategy, and reports each
// decision before it takes effect.
type teller struct {
	pulse.Strategy
	needs pulse.Needs    // the needs of the embedded strategy
	run   int            // the number of the run
	made  int            // the number of decisions in this run so far
	stop  *Decision      // the decision before which the run ends; nil for none
	say   func(Decision) // receives the decisions if the field stop is nil
	ended bool           // set if the run was ended before the decision in the field stop
}

// Needs asks for a call at every step, and for IDs.
func (t *teller) Needs() pulse.Needs {
	n := t.needs
	n.Single, n.Record = true, true
	return n
}

// Pick returns the decision of the embedded strategy.
func (t *teller) Pick(e *pulse.Enabled) int {
	k := 0
	if e.Len() > 1 || e.Strikes() > 0 || t.needs.Single {
		k = t.Strategy.Pick(e)
	}
	if k < 0 || k >= e.Len() {
		return k
	}
	if t.tell(Decision{Delivery: e.ID(k)}) {
		return pulse.Quit
	}
	return k
}

// Choose returns the answer of the embedded strategy.
func (t *teller) Choose(k choice.Kind, n int) int {
	v := t.Strategy.Choose(k, n)
	if t.tell(Decision{Choice: []uint32{uint32(k), uint32(n), uint32(v)}}) {
		return pulse.Quit
	}
	return v
}

// tell reports a decision to t.say if t.stop is nil. stop reports whether the run must end
// before the decision.
func (t *teller) tell(d Decision) (stop bool) {
	d.Run, d.Number = t.run, t.made
	t.made++
	if t.stop == nil {
		t.say(d)
		return false
	}
	t.ended = t.ended || d.Number == t.stop.Number
	return t.ended
}

// End calls End of the embedded strategy.
func (t *teller) End(tr *trace.Trace) {
	if e, ok := t.Strategy.(pulse.Ender); ok {
		e.End(tr)
	}
}

// Err returns errStopped if the run was ended before the decision stop, else the error of the
// embedded strategy.
func (t *teller) Err() error {
	if t.ended {
		return errStopped
	}
	if j, ok := t.Strategy.(pulse.Judge); ok {
		return j.Err()
	}
	return nil
}
