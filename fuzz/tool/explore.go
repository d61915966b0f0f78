package tool

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jostle-go/jostle/fuzz/internal/campaign"
	"github.com/jostle-go/jostle/fuzz/internal/record"
	"github.com/jostle-go/jostle/fuzz/internal/session"
	"github.com/jostle-go/jostle/fuzz/internal/words"
	"github.com/jostle-go/jostle/fuzz/internal/worker"
)

// An explorer holds the flags of the command explore.
type explorer struct {
	chooser
	each time.Duration
	runs int
	seed uint64
}

// newExplore returns the command that runs every order.
func newExplore() *Command {
	e := &explorer{}
	cmd := &Command{
		Use:   "explore [packages]",
		Short: "Run every distinct order of each property",
		Long: `Explore runs every distinct order of the messages of each property, for every combination
of the values that it draws with props.OneOf, and prints whether all orders were run. The
saved cases of a property run first. If a saved case fails, no orders are run.`,
		Example: "  jostle explore ./bank --property neverOverdrawn --for 10m",
		Run: func(call *Call, args []string) error {
			if e.each <= 0 || e.runs < 0 || e.seed == 0 {
				return errors.New("set --for to a time such as 10s, --runs to 0 or more, and --seed to a number of at least 1")
			}
			subjects, done, err := e.find(call, args)
			defer done()
			if err != nil {
				return err
			}
			failures := 0
			p := &printer{w: call.Out}
			for _, s := range distinct(subjects) {
				n, err := e.explore(call.Context, s, p)
				if err != nil {
					return fmt.Errorf("%s: %w", s.String(), err)
				}
				failures += n
			}
			if failures > 0 {
				return errFailed
			}
			return nil
		},
	}
	e.flags(cmd)
	f := cmd.Flags()
	f.DurationVar(&e.each, "for", 10*time.Second, "the time limit for each property")
	f.IntVar(&e.runs, "runs", 0, "the limit of runs for each property; 0 is no limit")
	f.Uint64Var(&e.seed, "seed", 1, "the seed of all random draws")
	return cmd
}

// explore runs every order of one property, prints the result, and returns the number of failures.
func (e *explorer) explore(ctx context.Context, s campaign.Subject, p *printer) (failures int, err error) {
	bounds, err := e.bounds()
	if err != nil {
		return 0, err
	}
	proc, err := campaign.Start(ctx, s, bounds)
	if err != nil {
		return 0, err
	}
	r, err := e.run(ctx, proc)
	var death *worker.Death
	if errors.As(err, &death) && !death.Outside() {
		fmt.Fprintf(p.w, "FAIL  %s: the process ended: %v\n", s.String(), death)
		return 1, nil
	}
	if err != nil {
		return 0, err
	}
	for _, note := range r.Notes {
		fmt.Fprintf(p.w, "note: %s: %s\n", s.String(), note)
	}
	for i := range r.Findings {
		if f := &r.Findings[i]; f.Known {
			p.printFinding(s.String(), &campaign.Finding{Record: *f, Times: 1})
		} else {
			p.printFinding(s.String(), keep(ctx, proc, s, f, e.each))
		}
	}
	proc.Stop()
	verdict := "ok  "
	if failures = len(r.Findings) + len(r.Problems); failures > 0 {
		verdict = "FAIL"
	}
	fmt.Fprintf(p.w, "%s  %s: %s\n", verdict, s.String(), r.Text)
	for _, text := range r.Problems {
		fmt.Fprintf(p.w, "        %s\n", text)
	}
	return failures, nil
}

// run runs the saved cases and, if all of them pass, every order. It returns one reply for the
// saved cases and the orders.
func (e *explorer) run(ctx context.Context, proc *worker.Process) (*session.Reply, error) {
	saved, err := proc.Do(ctx, session.Request{Do: session.Saved, Seed: e.seed})
	if err != nil || len(saved.Findings) > 0 {
		if err == nil {
			saved.Text = words.Count(len(saved.Findings), "saved case") + " failed: no order was run"
		}
		return saved, err
	}
	r, err := proc.Do(ctx, session.Request{Do: session.Explore, Seed: e.seed, Runs: e.runs, Time: e.each})
	if err == nil {
		r.Notes, r.Problems = append(saved.Notes, r.Notes...), append(saved.Problems, r.Problems...)
	}
	return r, err
}

// keep saves the case of a finding. Then it shrinks the finding and replaces the saved case.
func keep(ctx context.Context, p *worker.Process, s campaign.Subject, told *record.Record, limit time.Duration) *campaign.Finding {
	f := &campaign.Finding{Record: *told, Times: 1}
	if f.Fresh = f.Save(s.Cases()); f.Path == "" {
		return f
	}
	r, err := p.Do(ctx, session.Request{Do: session.Shrink, Case: f.Case, File: f.Path, Fresh: f.Fresh, Keep: true, Where: f.Where,
		Time: limit})
	if err == nil {
		f.Record = r.Findings[0]
	}
	return f
}
