package finding

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/fuzz/internal/record"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// Fork reruns a case, but delivers another message in one of its steps: element other of
// Moment.Others. After that step, the decisions of the case are made again where they still apply.
// Fork returns the new run as a case.
func Fork(r *props.Runner, c *corpus.Case, step, other int) (*corpus.Case, error) {
	was := asRun(r, c)
	l, _, _ := walkAlong(r, &was, step, 1, strategy.ReplayOptions{Lenient: true})
	if l.forked == 0 {
		return nil, fmt.Errorf("no message could come in place of step %d", step)
	}
	if other < 0 || other >= len(l.others) {
		return nil, fmt.Errorf("step %d has %d other messages, numbered from 0: there is no number %d", step, len(l.others), other)
	}
	was.Record.Deliveries = advanced(was.Record.Deliveries, l.forked-1, l.others[other])
	res := r.Run(planOf(&was, strategy.Replay(&was.Record, strategy.ReplayOptions{Lenient: true})))
	if t := res.System; t == nil || step >= len(t.Trace().Steps) || t.Trace().Steps[step].ID != l.others[other] {
		return nil, fmt.Errorf("message %d of step %d was not deliverable in another run with the same decisions", other, step)
	}
	forked := CaseOf(Origin{c.Property, c.Test, "fork", 0}, &res)
	forked.Comment = []string{fmt.Sprintf("A run that differs from another one first in step %d.", step)}
	if res.Failure != nil {
		forked.Signature = res.Failure.Lasting()
		forked.Comment = append(forked.Comment, firstLine(res.Failure.Text))
	}
	return &forked, nil
}

// advanced returns deliveries in which id comes at index i, and not again.
func advanced(deliveries []uint64, i int, id uint64) []uint64 {
	list := append(slices.Clone(deliveries[:i]), id)
	for _, d := range deliveries[i:] {
		if d != id || d == choice.Hold {
			list = append(list, d)
		}
	}
	return list
}

// asRun replays a case and returns its run as a case. Steps are numbered as in this run, even if c has
// a schedule in place of decisions, or the program has changed.
func asRun(r *props.Runner, c *corpus.Case) corpus.Case {
	played := Replay(r, c)
	return CaseOf(Origin{c.Property, c.Test, c.Strategy, c.Seed}, &played.Result)
}

// Continuations counts the endings of n random continuations of a case from the state before a
// step. A continuer says how they are chosen. It counts fewer if the context ends, or if more than n
// continuations are lost: the property skips them, or they cannot repeat the steps before.
func Continuations(ctx context.Context, r *props.Runner, c *corpus.Case, step, n int) (*record.Endings, error) {
	was := asRun(r, c)
	by := &taped{by: strategy.Replay(&was.Record, strategy.ReplayOptions{Lenient: true})}
	r.Run(planOf(&was, by))
	at := slices.IndexFunc(by.tape, func(d taken) bool { return d.isMoment() && d.step == step })
	if at < 0 {
		return nil, fmt.Errorf("the strategy does not choose step %d: continue from another one", step)
	}
	next := continuedFrom(by.tape)
	next.first = at
	e := &record.Endings{Step: step, Failures: []record.Ending{}}
	for i := 0; e.Of < n && i < 2*n && ctx.Err() == nil; i++ {
		next.seed = hash.Seed(uint64(at), uint64(i))
		res := r.Run(props.Plan{Inputs: padded(was.Inputs), EarlyTimers: was.EarlyTimers, Strategy: &next})
		switch {
		case res.System == nil || res.Skipped || next.lost:
			e.Lost++
		case res.Failure == nil:
			e.Of++
		default:
			e.Fail(res.Failure.Signature(), visible(res.Failure.Text))
		}
	}
	slices.SortStableFunc(e.Failures, func(a, b record.Ending) int { return cmp.Compare(b.Runs, a.Runs) })
	return e, nil
}
