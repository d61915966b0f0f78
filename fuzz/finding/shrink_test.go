package finding

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/corpus/golden"
	"github.com/jostle-go/jostle/fuzz/subjects"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/shrink"
)

// shrunkBy shrinks the failure that foundBy finds, in the given number of runs.
func shrunkBy(t *testing.T, property func(*props.T), seed uint64, runs int, arms ...string) Shrunk {
	t.Helper()
	p, f := foundBy(t, property, seed, arms...)
	return shrunkFrom(t, p, f, runs)
}

// shrunkOnce caches the results of shrunkSubject.
var shrunkOnce = map[string]Shrunk{}

// shrunkSubject returns the result of shrinking, in 20,000 runs, the failure of a subject that
// seed 1 finds. It shrinks each subject once for all tests. A test may change the returned
// finding, but nothing that the finding points to.
func shrunkSubject(t *testing.T, name string) Shrunk {
	t.Helper()
	out, ok := shrunkOnce[name]
	if !ok {
		s, known := subjects.ByName(name)
		if !known {
			t.Fatalf("there is no subject %s", name)
		}
		out = shrunkBy(t, s.Property(false), 1, 20_000)
		shrunkOnce[name] = out
	}
	f := *out.Finding
	out.Finding = &f
	return out
}

// shrunkFrom shrinks a finding, in the given number of runs.
func shrunkFrom(t *testing.T, p program, f *Finding, runs int) Shrunk {
	t.Helper()
	seed := f.Case.Seed
	r := p.runner()
	defer r.Close()
	out := Shrink(context.Background(), r, f, shrink.Options{Runs: runs})
	if out.Finding == nil {
		t.Fatalf("seed %d: %s cannot be run by a schedule", seed, f.Failure.Text)
	}
	if out.Finding.Replays != Tried || out.Finding.Case.Signature != f.Case.Signature {
		t.Fatalf("seed %d: shrunk to %q, replayed %d times (%s), from %q", seed, out.Finding.Case.Signature, out.Finding.Replays,
			out.Finding.Differs, f.Case.Signature)
	}
	mustBeLegal(t, p, &f.Case)
	mustBeLegal(t, p, &out.Finding.Case)
	for i, in := range out.Finding.Case.Inputs { // no input of the case has numbers that the property does not read
		if best := out.Best.Case.Inputs[i].Words; !slices.Equal(in.Words, best) {
			t.Fatalf("seed %d: the case has the numbers %x, and %x were read", seed, in.Words, best)
		}
	}
	return out
}

// size describes the size of a shrunk run, without its draws.
func size(out *Shrunk) string {
	b := &out.Best
	return fmt.Sprintf("%d, %d, %d", b.External, b.Steps, len(b.Case.Schedule.Before))
}

// TestShrunkSubjects checks the shrunk failures of all subjects, for several seeds, and the
// orders in which they fail. Random order finds the failures, so the results do not depend on
// the portfolio. Slow subjects run only at night, except those that TestTextsOfSubjects
// needs.
func TestShrunkSubjects(t *testing.T) {
	if testing.Short() {
		shrunkSubjects(t, 1, 20_000)
		return
	}
	golden.Part(t, "testdata/shrunk.txt", shrunkSubjects(t, 5, 20_000))
	if nightly() {
		shrunkSubjects(t, 100, 100_000)
	}
}

// shrunkSubjects shrinks the failures of the subjects that the given number of seeds find, and
// returns a table of the results. At night the table also has the results of rapid's own
// shrinker.
func shrunkSubjects(t *testing.T, seeds uint64, runs int) string {
	var table, rapid, why strings.Builder
	if seeds == 5 && golden.Whole() {
		rapid.WriteString("\nsteps that rapid leaves\n")
		left := byRapid(t, 3, fewSubjects())
		for _, s := range fewSubjects() {
			fmt.Fprintf(&rapid, "%s %v\n", s.Name, left[s.Name])
		}
	}
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "subject\tsteps found\tmessages, steps, constraints\tthe least\tof 5\tdraws\t\n")
	for _, s := range fewSubjects() {
		var sizes []string
		var best *Shrunk
		var found, steps []int
		for seed := range seeds {
			out := shrunkBy(t, s.Property(false), seed+1, runs, "random")
			sizes, found = append(sizes, size(&out)), append(found, out.From)
			steps = append(steps, out.Best.Steps)
			if best == nil || out.Best.Compare(&best.Best) < 0 {
				best = &out
			}
		}
		slices.Sort(found)
		slices.Sort(steps)
		if most := steps[len(steps)-1]; 2*most > 3*best.Best.Steps {
			t.Errorf("%s: %d steps are left where %d would do", s.Name, most, best.Best.Steps)
		}
		reached := 0
		for _, text := range sizes {
			if text == size(best) {
				reached++
			}
		}
		least, by := leastKnown(s.Name)
		if size(best) != least && seeds > 1 {
			t.Errorf("%s: the best of %d is %s, and the least known is %s", s.Name, seeds, size(best), least)
		}
		fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%d\t%.60s\t\n", s.Name, found[len(found)/2], size(best), by, reached, strings.Join(best.Finding.Draws, ", "))
		fmt.Fprintf(&why, "%s: %s\n", s.Name, best.why.String())
		t.Logf("%s: %d of %d reach %s: %q", s.Name, reached, seeds, size(best), sizes)
		if seeds == 100 && reached < 95 {
			t.Errorf("%s: %d of 100 reach %s", s.Name, reached, size(best))
		}
	}
	w.Flush()
	return table.String() + rapid.String() + "\n" + why.String()
}

// listed has clients that send drawn words to one actor. It fails if three of the words come in another order than they
// were sent.
func listed(t *props.T) {
	n := props.Draw(t, rapid.IntRange(3, 30), "clients")
	var said []string
	sys := t.System()
	trial.Crowd(sys, n, func(word string) { said = append(said, word) })
	sys.Run()
	at := func(word string) int { return slices.Index(said, word) }
	if at("c") < at("b") && at("b") < at("a") {
		t.Error("backwards")
	}
}

// TestShrinkLargeRuns: a run of 60 steps fails if three messages come in reverse order. It is shrunk to these messages
// and two constraints.
func TestShrinkLargeRuns(t *testing.T) {
	for seed := range uint64(5) {
		out := shrunkBy(t, listed, seed+1, 20_000)
		if size(&out) != "3, 6, 2" || out.Finding.Draws[0] != "clients = 3" || !out.Done {
			t.Errorf("seed %d: shrunk to %s with %s", seed+1, size(&out), out.Finding.Draws)
		}
		if why := out.why.String(); why != `fails in 1 of 6 orders: exactly where "b" comes before "a" at hall and "c" comes before "b" at hall` {
			t.Errorf("seed %d: %s", seed+1, why)
		}
	}
}

// insistent has a client that asks once a second until it is answered. It asks forever if the server has
// crashed.
func insistent(t *props.T) {
	sys := t.SystemWith(pulse.Options{Steps: 2000, EarlyTimers: pulse.NeverEarly, Faults: pulse.Faults{Crash: 1}})
	server := sys.Spawn("server", pulse.Func(func(ctx *pulse.Ctx, msg any) { ctx.Reply("done") }))
	client := sys.SpawnSpec(pulse.Spec{Name: "client", Safe: true, Actor: pulse.Func(func(ctx *pulse.Ctx, msg any) {
		if msg != "done" {
			ctx.Send(server, "ask")
			ctx.After(time.Second, "ask again")
		}
	})})
	sys.Send(client, "begin")
	sys.Run()
}

// shrunkInNoTime shrinks a failure that random order finds, with a context that is done.
func shrunkInNoTime(t *testing.T, property func(*props.T)) Shrunk {
	t.Helper()
	p, f := foundBy(t, property, 1)
	r := p.runner()
	defer r.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return Shrink(ctx, r, f, shrink.Options{})
}

// TestEndlessRunsAreExplainedInTime: if time ran out before an endless run was shrunk, the case has a constraint for
// each step. The explanation counts the constraints and does not name them. Naming them took quadratic time: over ten
// minutes for 100,000 steps.
func TestEndlessRunsAreExplainedInTime(t *testing.T) {
	out := shrunkInNoTime(t, insistent)
	const want = "fails in plain order, where the oldest message comes first, but with 1,995 constraints on which message comes first and a fault;\n" +
		"    there was no time to run all orders"
	if got := out.why.String(); got != want || len(out.Finding.Case.Explanation.Constraints) != 0 {
		t.Errorf("%.500s, and %d constraints, want %s, and none", got, len(out.Finding.Case.Explanation.Constraints), want)
	}
}

// TestShrinkTheSameAgain: shrinking and explaining the same finding again, with the same number of
// runs, gives the same result. It shrinks every fifth finding with 500 runs, and explains every
// tenth.
func TestShrinkTheSameAgain(t *testing.T) {
	for i, s := range shortSubjects() {
		if testing.Short() && i%5 > 0 {
			continue
		}
		p, f := foundBy(t, s.Property(false), 3)
		for _, runs := range []int{10, 500} {
			if runs == 500 && i%5 > 0 && !nightly() {
				continue
			}
			by := shrunkFrom
			if runs == 10 && i%10 > 0 && !nightly() {
				by = onlyShrunk
			}
			first, second := by(t, p, f, runs), by(t, p, f, runs)
			if first.Best.Compare(&second.Best) != 0 || first.Runs != second.Runs || first.Finding.Trace.Hash != second.Finding.Trace.Hash ||
				first.why.String() != second.why.String() {
				t.Errorf("%s in %d runs: %+v, %+v", s.Name, runs, first, second)
			}
		}
	}
}

// onlyShrunk shrinks a finding as Shrink does, in the given number of runs, without explaining it.
func onlyShrunk(t *testing.T, p program, f *Finding, runs int) (out Shrunk) {
	t.Helper()
	r := p.runner()
	defer r.Close()
	by := &shrinking{runner: r, early: f.Case.EarlyTimers}
	first, why := by.first(f)
	if why == "" {
		out.Result = shrink.Shrink(context.Background(), by, first, shrink.Options{Runs: runs})
		by.unbind(&out.Best.Case)
		out.Finding, why = by.finding(out.Best.Case)
	}
	if why != "" {
		t.Fatalf("%s: %s", f.Failure.Text, why)
	}
	return out
}

// TestShrinkWhatDoesNotRepeat: a failure that cannot be replayed is not shrunk.
func TestShrinkWhatDoesNotRepeat(t *testing.T) {
	runs := 0
	p, f := foundBy(t, func(t *props.T) {
		runs++
		sys := t.System()
		sys.Send(sys.Spawn("a", pulse.Func(func(*pulse.Ctx, any) {})), 1)
		sys.Run()
		if runs%3 == 0 {
			t.Error("every third time")
		}
	}, 1)
	r := p.runner()
	defer r.Close()
	if out := Shrink(context.Background(), r, f, shrink.Options{}); out.Finding != nil || out.Runs > 0 {
		t.Errorf("%+v", out)
	}
}

// lossy has a disk that is sent a value and crashes before it writes the
// value.
func lossy(t *props.T) {
	sent, wrote, late := false, false, false
	sys := t.SystemWith(pulse.Options{Faults: pulse.Faults{Crash: 1}})
	disk := sys.SpawnSpec(pulse.Spec{Name: "disk", New: func() pulse.Actor {
		return pulse.Func(func(*pulse.Ctx, any) { wrote = true })
	}})
	sys.Send(sys.SpawnSpec(pulse.Spec{Name: "guard", Safe: true, Actor: pulse.Func(func(ctx *pulse.Ctx, msg any) {
		switch msg {
		case "go":
			ctx.Watch(disk)
			ctx.Send(ctx.Self(), "more")
		case "more":
			sent = true
			ctx.Send(disk, "write")
			ctx.Send(ctx.Self(), "late")
		case "late":
			late = true
		default:
			if sent && late && !wrote {
				t.Error("lost")
			}
		}
	})}), "go")
	sys.Run()
}

// TestFoundRunsAreMadeAgain: a found run becomes a case that fails the same way. If a message was in flight when its
// receiver crashed, the case keeps it in flight until then.
func TestFoundRunsAreMadeAgain(t *testing.T) {
	trial.Long(t)
	seeds := uint64(2)
	if nightly() {
		seeds = 100
	}
	list := append([]subjects.Subject{{Name: "lossy"}}, append(subjects.Hard(), subjects.Easy()...)...)
	for i, s := range list {
		property := lossy
		if i > 0 {
			property = s.Property(false)
		}
		for seed := uint64(1); seed <= seeds; seed++ {
			p, f := foundBy(t, property, seed)
			r := p.runner()
			by := &shrinking{runner: r, early: f.Case.EarlyTimers}
			if first, why := by.first(f); why != "" || first.Steps != f.Steps() {
				t.Errorf("%s, seed %d: %d steps become %d, with the failure %q: %s", s.Name, seed, f.Steps(), first.Steps, first.Signature, why)
			}
			r.Close()
		}
	}
}

// BenchmarkShrink shrinks the failures that nine seeds find, one after another, without explaining
// them.
func BenchmarkShrink(b *testing.B) {
	for _, s := range subjects.Easy() {
		b.Run(s.Name, func(b *testing.B) {
			var first []shrink.Outcome
			p, _ := foundBy(b, s.Property(false), 1)
			r := p.runner()
			defer r.Close()
			by := &shrinking{runner: r}
			seeds := uint64(9)
			if testing.Short() {
				seeds = 1
			}
			for seed := range seeds {
				_, f := foundBy(b, s.Property(false), seed+1)
				by.early = max(by.early, f.Case.EarlyTimers)
				if out, why := by.first(f); why == "" {
					first = append(first, out)
				}
			}
			runs, n := 0, 0
			for b.Loop() {
				runs += shrink.Shrink(context.Background(), by, first[n%len(first)], shrink.Options{Runs: 100_000}).Runs
				n++
			}
			b.ReportMetric(float64(runs)/float64(n), "runs/op")
		})
	}
}

// TestShrinkTimersOfOneTime: the order of timers that are due at the same time is part of a case, although plain order
// does not fix it. Otherwise the saved answers of Choose, which are in the order of the questions, would go to other
// actors.
func TestShrinkTimersOfOneTime(t *testing.T) {
	out := shrunkBy(t, func(t *props.T) {
		sys := t.SystemWith(pulse.Options{EarlyTimers: pulse.NeverEarly})
		said := map[string]int{}
		for _, name := range []string{"a", "b", "c"} {
			sys.Go(name, func(p *pulse.Process) {
				p.Sleep(time.Second)
				said[name] = p.Choose(4)
			})
		}
		sys.Go("late", func(p *pulse.Process) {
			p.Sleep(time.Second)
			if len(said) == 3 && said["a"] == 1 && said["b"] == 2 && said["c"] == 3 {
				t.Error("1, 2, 3")
			}
		})
		sys.Run()
	}, 1, 200)
	if out.Finding.Failure.Text != "1, 2, 3" {
		t.Errorf("shrunk to %q", out.Finding.Failure.Text)
	}
}

// TestNoTimeToExplain: if time ran out before all orders were run, the report says so.
func TestNoTimeToExplain(t *testing.T) {
	out := shrunkInNoTime(t, trial.Quarrels)
	if !out.Cut || !out.why.Cut || !strings.HasSuffix(out.Finding.Why(), "there was no time to run all orders") {
		t.Errorf("cut %t, %t: %s", out.Cut, out.why.Cut, out.Finding.Why())
	}
}
