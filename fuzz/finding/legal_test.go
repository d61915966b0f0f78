package finding

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/legal"
	"github.com/jostle-go/jostle/shrink"
)

// retried has a client that sets a timer again whenever it fires, until an answer comes. It fails if the timer fires
// the given number of times before the answer.
func retried(o pulse.Options, often int) func(*props.T) {
	return func(t *props.T) {
		retries, answered := 0, false
		sys := t.SystemWith(o)
		server := sys.Spawn("server", pulse.Func(func(ctx *pulse.Ctx, _ any) { ctx.Send(ctx.Sender(), "answer") }))
		sys.Send(sys.Spawn("client", pulse.Func(func(ctx *pulse.Ctx, msg any) {
			switch {
			case msg == "begin":
				ctx.Send(server, "ask")
			case msg == "answer":
				answered = true
			case !answered:
				retries++
			}
			if !answered {
				ctx.After(time.Millisecond, "retry")
			}
		})), "begin")
		sys.Run()
		if retries >= often {
			t.Error("retried too often")
		}
	}
}

// TestHeldCases checks cases of an older version that hold messages back. If the run of such a case is legal, it fails
// as before. If it fires more timers early than the options allow, the report says so, and no failure is reported for
// that run. A legal run that follows the case as far as possible may fail.
func TestHeldCases(t *testing.T) {
	const by = pulse.NeverEarly
	stale := func(most, applied int) string {
		return fmt.Sprintf("stale, since it fires more timers early than allowed, as only older versions of jostle did (early timers: 4, allowed: %d); "+
			"%d of its 8 deliveries still applied", most, applied)
	}
	for _, c := range []struct {
		name, file string
		early      int
		often      int
		exact      bool
		how        string
		fails      bool
	}{
		{"legal", "legal", 0, 2, true, "as saved", true},
		{"legal, mended", "legal", 0, 5, true, "as saved", false},
		{"at the end of the budget", "full", 2, 2, true, "as saved", true},
		{"at the end of the budget, mended", "full", 2, 5, true, "as saved", false},
		{"illegal", "illegal", by, 2, false, stale(0, 4), false},
		{"illegal, mended", "illegal", by, 5, false, stale(0, 4), false},
		{"illegal by the search's budget, with a failing run near it", "illegal-default", 0, 2, false, stale(3, 7), true},
		{"illegal by the search's budget, mended", "illegal-default", 0, 4, false, stale(3, 7), false},
		{"of other options", "full", 1, 2, false, "stale, since the program has changed: ", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := "testdata/held-" + c.file + ".case"
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			saved, err := corpus.Decode(path, text)
			if err != nil {
				t.Fatal(err)
			}
			r := props.NewRunner("TestRetried", retried(pulse.Options{EarlyTimers: c.early}, c.often))
			defer r.Close()
			p := Replay(r, &saved)
			if p.Exact != c.exact || !strings.HasPrefix(p.How, c.how) || (p.Result.Failure != nil) != c.fails {
				t.Errorf("exact %v, %q; failed with %v\n%s", p.Exact, p.How, p.Result.Failure, p.Result.System.Trace().Text())
			}
			if sys := p.Result.System; legal.Check(sys.Options(), sys.Trace(), sys.Record()) != nil {
				t.Error(legal.Check(sys.Options(), sys.Trace(), sys.Record()))
			}
			told := p.Held("x.case", false)
			if impossible := strings.HasPrefix(c.file, "illegal"); impossible != strings.HasPrefix(told, "case x.case shows no failure: no run can be as it was saved") {
				t.Errorf("told: %s", told)
			}
		})
	}
}

// mustBeLegal fails the test unless a case replays as saved, with a legal run.
func mustBeLegal(t testing.TB, p program, c *corpus.Case) {
	t.Helper()
	r := p.runner()
	defer r.Close()
	played := Replay(r, c)
	if sys := played.Result.System; !played.Exact || sys == nil {
		t.Errorf("the case was not run as it was saved: %s", played.How)
	} else if err := legal.Check(sys.Options(), sys.Trace(), sys.Record()); err != nil {
		t.Errorf("%s: %v\n%s", c.Strategy, err, sys.Trace().Text())
	}
}

// TestIllegalRunsAreNotKept: if the shrunk run could never have happened, the case stays as found and says
// so. The property of this test forges the traces of its small runs, because no run of a system is
// illegal.
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
	r := p.runner()
	defer r.Close()
	out := Shrink(t.Context(), r, f, shrink.Options{Runs: 1000})
	const want = "not shrunk: the smallest run, of 4 steps, breaks the rules of package pulse: step 3, hall#2 ← \"a\": time goes back"
	if out.Finding != nil || out.Smaller || !strings.HasSuffix(f.Shrunk, want) {
		t.Errorf("%q, expected %q; %+v", f.Shrunk, want, out.Finding)
	}
}

// chatter is a small random program. Actors answer each message by messages to others, now or later. It fails if two of
// these messages reach one actor in an order that few runs show.
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

// TestShrunkRunsAreLegal: the shrunk runs of random programs with timers are
// legal.
func TestShrunkRunsAreLegal(t *testing.T) {
	trial.Long(t)
	programs, want := uint64(20), 9 // want is the number of failing programs whose failures are shrunk
	if nightly() {
		programs, want = 1000, 313
	}
	shrunk := 0
	for seed := range programs {
		o := pulse.Options{EarlyTimers: []int{pulse.NeverEarly, 0, 1}[seed%3]}
		p := program{t.Name(), chatter(seed, o)}
		f := search(p, seed+1, 200)
		if f == nil {
			continue
		}
		mustBeLegal(t, p, &f.Case)
		r := p.runner()
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
