package search

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/fuzz/finding"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/legal"
	"github.com/jostle-go/jostle/shrink"
)

// mustBeLegal fails unless a case runs as it was saved, and its run is legal.
func mustBeLegal(t testing.TB, p Property, c *corpus.Case) {
	t.Helper()
	r := p.NewRunner()
	defer r.Close()
	played := finding.Play(r, c)
	if sys := played.Result.System; !played.Exact || sys == nil {
		t.Errorf("the case was not run as it was saved: %s", played.How)
	} else if err := legal.Check(sys.Options(), sys.Trace(), sys.Record()); err != nil {
		t.Errorf("%s: %v\n%s", c.Strategy, err, sys.Trace().Text())
	}
}

// retrying is a correct program: a client sets a timer again and again until all workers have
// answered. What a worker says depends on what the others have told it before. While an answer
// is on its way a timer can fire only early, so that it fires most times at most: once
// more when all have answered.
func retrying(o pulse.Options, most int) func(*props.T) {
	return func(t *props.T) {
		n := props.Draw(t, rapid.IntRange(1, 4), "workers")
		retries, answers := 0, 0
		sys := t.SystemWith(o)
		workers := make([]pulse.Ref, n)
		client := sys.Spawn("client", pulse.Func(func(ctx *pulse.Ctx, msg any) {
			if msg == "retry" {
				retries++
			} else if msg != "begin" {
				answers++
			}
			if answers < n && (msg == "retry" || msg == "begin") {
				ctx.After(time.Millisecond, "retry")
			}
		}))
		for i := range workers {
			told := 0
			workers[i] = sys.Spawn("worker", pulse.Func(func(ctx *pulse.Ctx, msg any) {
				if msg == "told" {
					told++
					return
				}
				ctx.Send(client, told)
				for range min(told, 2) + ctx.Choose(2) {
					ctx.Send(workers[(i+1)%n], "told")
				}
			}))
		}
		sys.Send(client, "begin")
		for _, w := range workers {
			sys.Send(w, "work")
		}
		sys.Run()
		if retries > most {
			t.Errorf("%d retries while an answer was on its way", retries)
		}
	}
}

// TestNoArmLetsTimePass: under every arm a program in which timers never come before its
// messages holds, and one with a few early timers sees no more of them.
func TestNoArmLetsTimePass(t *testing.T) {
	for _, c := range []struct {
		name string
		o    pulse.Options
		most int
	}{
		{"NeverEarly", pulse.Options{EarlyTimers: pulse.NeverEarly}, 1},
		{"by default", pulse.Options{}, earlyTimers + 1},
		{"three", pulse.Options{EarlyTimers: 3}, 4},
	} {
		for _, arm := range append(Names(), "") {
			var arms []string
			if arm != "" {
				arms = []string{arm}
			}
			list, err := Strategies(arms...)
			if err != nil {
				t.Fatal(err)
			}
			p := Property{Name: t.Name(), Test: t.Name(), Func: retrying(c.o, c.most)}
			res := Sample(t.Context(), p, Options{Runs: 1000, Seed: 1, Portfolio: list})
			if f := res.Finding; f != nil {
				t.Errorf("%s, %q: run %d: %s", c.name, arm, res.Runs, f.Failure.Text)
			}
		}
	}
}

// TestIllegalRunsAreNotKept: a run that is shrunk to one that could never have happened stays as
// it was found, and says so. Here the property forges the trace of its small runs, since no run
// of a system is illegal.
func TestIllegalRunsAreNotKept(t *testing.T) {
	const large = 10
	forged := func(t *props.T) {
		n, said := props.Draw(t, rapid.IntRange(2, 30), "clients"), []string(nil)
		sys := t.System()
		trial.Crowd(sys, n, func(word string) { said = append(said, word) })
		sys.Run()
		if steps := sys.Trace().Steps; len(steps) < large {
			steps[len(steps)-1].Time = -1
		}
		if slices.Index(said, "b") < slices.Index(said, "a") {
			t.Error("backwards")
		}
	}
	p, f := foundBy(t, forged, 1)
	if f.Steps() < large {
		t.Fatalf("the run that was found has %d steps", f.Steps())
	}
	mustBeLegal(t, p, &f.Case)
	r := p.NewRunner()
	defer r.Close()
	out := Shrink(t.Context(), r, f, shrink.Options{Runs: 1000})
	const want = "not shrunk: the smallest run, of 4 steps, is not a legal run: step 3, hall#2 ← \"a\": time goes back"
	if out.Finding != nil || out.Smaller || !strings.HasSuffix(f.Shrunk, want) {
		t.Errorf("%q, expected %q; %+v", f.Shrunk, want, out.Finding)
	}
}

// chatter is a small random program: actors answer each message with some to others, now and
// later. It fails if two of the words reach one actor in an order that few runs show.
func chatter(seed uint64, o pulse.Options) func(*props.T) {
	return func(t *props.T) {
		rng := rand.New(rand.NewPCG(seed, 1))
		n, first, second := 2+rng.IntN(3), rng.IntN(30), rng.IntN(30)
		most := props.Draw(t, rapid.IntRange(5, 30), "words")
		said, heard := 0, make([][]int, n)
		sys := t.SystemWith(o)
		refs := make([]pulse.Ref, n)
		for i := range refs {
			refs[i] = sys.Spawn("talker", pulse.Func(func(ctx *pulse.Ctx, msg any) {
				heard[i] = append(heard[i], msg.(int))
				if said++; said > most {
					return
				}
				rng := rand.New(rand.NewPCG(seed, uint64(msg.(int))))
				ctx.Send(refs[rng.IntN(n)], rng.IntN(30))
				if rng.IntN(2) == 0 {
					ctx.After(time.Duration(1+rng.IntN(5))*time.Millisecond, rng.IntN(30))
				}
			}))
		}
		for i, r := range refs {
			sys.Send(r, i)
		}
		sys.Run()
		for _, list := range heard {
			if at := slices.Index(list, first); at >= 0 && slices.Contains(list[at:], second) {
				t.Error("heard")
			}
		}
	}
}

// TestShrunkRunsAreLegal: what the failures of random programs with timers are shrunk to is
// legal.
func TestShrunkRunsAreLegal(t *testing.T) {
	long(t)
	programs, want := uint64(40), 16 // how many of them fail, and are shrunk
	if nightly() {
		programs, want = 1000, 313
	}
	shrunk := 0
	for seed := range programs {
		o := pulse.Options{EarlyTimers: []int{pulse.NeverEarly, 0, 1}[seed%3]}
		p := Property{Name: t.Name(), Test: t.Name(), Func: chatter(seed, o)}
		f := Sample(t.Context(), p, Options{Runs: 200, Seed: seed + 1}).Finding
		if f == nil {
			continue
		}
		mustBeLegal(t, p, &f.Case)
		r := p.NewRunner()
		if out := Shrink(t.Context(), r, f, shrink.Options{Runs: 500}); out.Finding != nil {
			shrunk++
			mustBeLegal(t, p, &out.Finding.Case)
		}
		r.Close()
	}
	if shrunk != want {
		t.Errorf("%d of %d programs fail and were shrunk, want %d", shrunk, programs, want)
	}
}
