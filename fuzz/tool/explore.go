package tool

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jostle-go/jostle/fuzz/internal/campaign"
	"github.com/jostle-go/jostle/fuzz/internal/desk"
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
			d, done, err := e.compiled(call, args, 1)
			defer done()
			if err != nil {
				return err
			}
			failures := 0
			p := &printer{w: call.Out, folders: foldersOf(d.Subjects())}
			for i, s := range d.Subjects() {
				n, err := e.explore(call.Context, d, i, p)
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
func (e *explorer) explore(ctx context.Context, d *desk.Desk, property int, p *printer) (failures int, err error) {
	s := &d.Subjects()[property]
	r, err := e.run(func(q session.Request) (*session.Reply, error) { return d.Do(ctx, property, q) })
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
		f := &campaign.Finding{Record: r.Findings[i], Times: 1}
		if !f.Known {
			f.Fresh = d.Keep(ctx, property, &f.Record, e.each)
		}
		p.printFinding(s.String(), f)
	}
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
func (e *explorer) run(do func(session.Request) (*session.Reply, error)) (*session.Reply, error) {
	saved, err := do(session.Request{Do: session.Saved, Seed: e.seed})
	if err != nil || len(saved.Findings) > 0 {
		if err == nil {
			saved.Text = words.Count(len(saved.Findings), "saved case") + " failed: no order was run"
		}
		return saved, err
	}
	r, err := do(session.Request{Do: session.Explore, Seed: e.seed, Runs: e.runs, Time: e.each})
	if err == nil {
		r.Notes, r.Problems = append(saved.Notes, r.Notes...), append(saved.Problems, r.Problems...)
	}
	return r, err
}
