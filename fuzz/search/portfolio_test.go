package search

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jostle-go/jostle/fuzz/internal/flight"
	"github.com/jostle-go/jostle/fuzz/subjects"
	"github.com/jostle-go/jostle/fuzz/subjects/writer"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

// TestStages checks the default portfolio. The arms that its lists name exist, each stage has the right arms, and no
// arm has early timers in all of its runs or in none.
func TestStages(t *testing.T) {
	last := 0
	for i, s := range stages {
		if (s.until == 0) != (i == len(stages)-1) || s.until != 0 && s.until <= last {
			t.Errorf("stage %d ends before batch %d, and the one before it at %d", i, s.until, last)
		}
		if batches := s.until - last; batches != 1 && len(s.lists)%2 == 0 {
			t.Errorf("stage %d has %d lists, and %d inputs in a row have one with early timers", i, len(s.lists), earlyShare)
		}
		last = s.until
	}
	turns := newTurns(usual(), true)
	for batches, without := range map[[2]int]string{{0, 2}: "pos slow", {2, 5}: "", {16, 19}: "urw", {1_000_000, 1_000_003}: "urw"} {
		missing := map[string]bool{}
		for _, e := range usual() {
			missing[e.Name] = e.Name != floorArm
			if costs[e.Name] == 0 {
				t.Errorf("nothing is known of the cost of %s", e.Name)
			}
		}
		for b := batches[0]; b < batches[1]; b++ {
			for _, e := range turns.share(b).list {
				if e == nil {
					t.Fatalf("batch %d has an unknown arm", b)
				}
				missing[e.Name] = false
			}
		}
		for name, is := range missing {
			if is != slices.Contains(strings.Fields(without), name) {
				t.Errorf("%s has no run in batches %d to %d: %v", name, batches[0], batches[1]-1, is)
			}
		}
	}
}

// TestShare: the arm random comes first. It gets at least its guaranteed quarter, and all runs while each input has
// only one order.
func TestShare(t *testing.T) {
	const runs = 16
	turns := func(list string, floor bool, spent int) string {
		s, by := &share{}, map[string]*Entry{}
		for _, name := range append(strings.Fields(list), floorArm) {
			by[name] = &Entry{Name: name}
		}
		if floor {
			s.floor = by[floorArm]
		}
		for _, name := range strings.Fields(list) {
			s.list = append(s.list, by[name])
		}
		var got []byte
		for i := range runs {
			e := s.next()
			s.made(e, &props.Result{}, i < spent)
			got = append(got, e.Name[0])
		}
		return string(got)
	}
	for _, c := range []struct {
		list  string
		floor bool
		spent int // the number of runs, from the first, whose inputs have only one order
		want  string
	}{
		{"pct", true, 0, "rppprppprppprppp"}, // random gets a quarter of the runs, since a run by pct costs as much as a run by random
		{"pctcp", true, 0, "rppprpprpprpprpp"},
		{"bita", true, 0, "rbbrbbrbrbbrbrbb"},
		{"random random random pct urw", true, 0, "rrrrpurrrpurrrpu"}, // random has enough
		{"urw pct", true, 0, "rupurpuprupurpur"},
		{"pct", true, 3, "rrrrpppppppppppp"}, // random gets the runs of inputs with one order, because no other arm is better for them
		{"pct", true, 16, "rrrrrrrrrrrrrrrr"},
		{"bita pct", false, 16, "bpbpbpbpbpbpbpbp"}, // the random arm has its guaranteed quarter only in the default portfolio
	} {
		if got := turns(c.list, c.floor, c.spent); got != c.want {
			t.Errorf("%s, floor %v, %d spent: %s, want %s", c.list, c.floor, c.spent, got, c.want)
		}
	}
}

// A passing is the report of a run that passed.
type passing struct {
	arm   string
	steps int
	order uint64
}

// watched searches a subject without its bug, and returns all of the search's runs.
func watched(name string, o Options) (list []passing) {
	s, _ := subjects.ByName(name)
	o.Passed = func(arm string, res *props.Result) {
		steps := 0
		if res.System != nil {
			steps = res.System.Steps()
		}
		list = append(list, passing{arm, steps, orderOf(res)})
	}
	Sample(context.Background(), Property{Name: name, Test: name, Func: s.Property(true)}, o)
	return list
}

// TestFloor: after each run of a batch, the arm random has had at least a quarter of all runs and of their cost. The
// cost of the last run does not count if another arm made that run.
func TestFloor(t *testing.T) {
	for _, name := range []string{"writer", "procreg", "closing", "cas-replay", "writer-error-30", "paxos-commit-6"} {
		list := watched(name, Options{Runs: 40 * stageRuns, Seed: 5})
		if len(list) != 40*stageRuns {
			t.Fatalf("%s: %d runs", name, len(list))
		}
		for b := range 40 {
			runs, cost, before := 0, 0, 0
			for i, m := range list[b*stageRuns:][:stageRuns] {
				c := costs[m.arm] * (1 + m.steps)
				if m.arm == "random" {
					runs, cost = runs+1, cost+c
				}
				if 4*runs < i+1 || m.arm != "random" && 4*cost < before {
					t.Errorf("%s, batch %d: random has %d of %d runs, and %d of a cost of %d before", name, b, runs, i+1, cost, before)
				}
				before += c
			}
		}
	}
}

// TestBatchesAlone: a batch that runs alone makes the same runs as within its search, in each stage of the
// portfolio.
func TestBatchesAlone(t *testing.T) {
	const batches = 20
	for _, name := range []string{"procreg", "raft-dupvote", "chain-repair"} {
		all := watched(name, Options{Runs: batches * stageRuns, Seed: 7})
		for b := range batches {
			alone := watched(name, Options{First: b, Runs: (b + 1) * stageRuns, Seed: 7})
			if want := all[b*stageRuns:][:stageRuns]; !slices.Equal(alone, want) {
				t.Errorf("%s, batch %d:\ngot  %v\nwant %v", name, b, alone, want)
			}
		}
	}
}

// TestAgainOfStages: a run of any stage of the portfolio can be replayed, given only its number.
func TestAgainOfStages(t *testing.T) {
	const number = 300
	i := 0
	p := Property{Name: t.Name(), Test: t.Name(), Func: func(t *props.T) {
		race3(t, pulse.Options{}).Run()
		if i++; i == number%stageRuns+1 {
			t.Error("this one")
		}
	}}
	f, reached := Rerun(context.Background(), p, Options{Seed: 1}, 0, flight.Run{Phase: flight.Sample, Index: number})
	if f == nil || !reached {
		t.Errorf("%v, reached: %v", f, reached)
	}
}

// TestSharesOfWorkers: the failures, the arms that find them and the numbers of the runs do not depend on the number of
// workers.
func TestSharesOfWorkers(t *testing.T) {
	for _, name := range []string{"cas-replay", "snapshot-late", "procreg"} {
		s, _ := subjects.ByName(name)
		text := func(workers int) string {
			res := Sample(context.Background(), Property{Name: name, Test: name, Func: s.Property(false)},
				Options{Runs: 10_000, Seed: 3, Workers: workers})
			if res.Finding == nil {
				return "nothing"
			}
			return fmt.Sprint(res.Index, res.Finding.Case.Strategy, res.Finding.Case.Seed)
		}
		one := text(1)
		for _, workers := range []int{2, 3} {
			if got := text(workers); got != one || one == "nothing" {
				t.Errorf("%s: found %s by %d workers, and %s by one", name, got, workers, one)
			}
		}
	}
}

// BenchmarkCosts prints, for each arm of the default portfolio, the cost of a step: the mean over the subjects. The
// unit is that of the map costs, a quarter of the cost of a step in random order.
func BenchmarkCosts(b *testing.B) {
	list, arms, best := subjects.Easy(), usual(), map[string]float64{}
	perStep := func(s subjects.Subject, e Entry) float64 {
		steps, begun := 0, time.Now()
		Sample(b.Context(), Property{Name: s.Name, Test: s.Name, Func: s.Property(true)}, Options{Runs: 2000, Seed: 1, Portfolio: []Entry{e},
			Passed: func(_ string, res *props.Result) { steps += 1 + res.System.Steps() }})
		return float64(time.Since(begun)) / float64(steps)
	}
	for b.Loop() {
		for _, s := range list {
			for _, e := range arms {
				took, key := perStep(s, e), s.Name+" "+e.Name
				if before, had := best[key]; !had || took < before {
					best[key] = took
				}
			}
		}
	}
	for _, e := range arms {
		sum := 0.0
		for _, s := range list {
			sum += best[s.Name+" "+e.Name] / best[s.Name+" "+floorArm]
		}
		b.ReportMetric(4*sum/float64(len(list)), e.Name)
	}
	b.ReportMetric(0, "ns/op")
}

// TestRenewedArms: for each arm of the default portfolio, an arm that is renewed for its
// next batch plans the same runs as a new arm.
func TestRenewedArms(t *testing.T) {
	p := Property{Name: t.Name(), Test: t.Name(), Func: writer.Property(true)}
	for _, e := range usual() {
		runs := func(e Entry) (list []uint64) {
			Sample(context.Background(), p, Options{Runs: 400, Seed: 5, Portfolio: []Entry{e},
				Passed: func(_ string, res *props.Result) { list = append(list, orderOf(res)) }})
			return list
		}
		anew := e
		anew.Renew = nil
		if got, want := runs(e), runs(anew); e.Renew == nil || len(want) != 400 || !slices.Equal(got, want) {
			t.Errorf("%s: the runs of renewed arms differ", e.Name)
		}
	}
}
