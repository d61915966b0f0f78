package subjects_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/jostle-go/jostle/fuzz/search"
	"github.com/jostle-go/jostle/fuzz/subjects"
	"github.com/jostle-go/jostle/fuzz/subjects/correct"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// correctPrograms is how many random programs are searched.
const correctPrograms = 40

// TestNoFalseAlarms: no strategy, and not the portfolio, finds a failure in a mended
// subject or in a random correct program. At night each strategy searches each
// program with 200 seeds.
func TestNoFalseAlarms(t *testing.T) {
	for _, s := range subjects.All() {
		if missed := alarms(t, s.Name, s.Property(true)); missed != nil {
			t.Errorf("%s, mended: never reached %q", s.Name, missed)
		}
	}
	for number := range uint64(correctPrograms) {
		p := correct.New(number)
		alarms(t, p.Name, p.Property)
	}
}

// alarms searches a program without a bug, with every strategy and
// with the portfolio. Any failure is a false alarm and fails the
// test. It returns the situations that the portfolio has not reached.
func alarms(t *testing.T, name string, property func(*props.T)) (missed []string) {
	seeds, runs, shared := uint64(1), 30, 300
	switch {
	case os.Getenv("JOSTLE_NIGHTLY") != "":
		seeds, runs, shared = 200, 100, 1000
	case testing.Short():
		runs, shared = 10, 100
	}
	p := search.Property{Name: "property", Test: t.Name(), Func: property}
	for seed := range seeds {
		for _, arm := range search.Names() {
			portfolio, err := search.Strategies(arm)
			if err != nil {
				t.Fatal(err)
			}
			alarm(t, name+" by "+arm, p, search.Options{Seed: seed, Runs: runs, Portfolio: portfolio})
		}
		missed = alarm(t, name+" by the portfolio", p, search.Options{Seed: seed, Runs: shared})
	}
	return missed
}

func alarm(t *testing.T, name string, p search.Property, o search.Options) (missed []string) {
	res := search.Sample(context.Background(), p, o)
	if f := res.Finding; f != nil {
		t.Errorf("%s, seed %d, run %d: %s", name, o.Seed, res.Index+1, f.Case.Signature)
	}
	return res.Missed
}

// TestSlowRaisesNoAlarm runs all programs without a bug with the strategy slow, which delays
// messages. A mistake in it could let timers fire while messages wait. At night it makes 60,000
// runs of each program, with and without early timers.
func TestSlowRaisesNoAlarm(t *testing.T) {
	runs := 100
	switch {
	case os.Getenv("JOSTLE_NIGHTLY") != "":
		runs = 60_000
	case testing.Short():
		runs = 20
	}
	slowly := func(name string, property func(*props.T)) {
		r := props.NewRunner(name, property)
		defer r.Close()
		slow := strategy.Slow()
		for _, early := range []int{pulse.NeverEarly, 3} {
			for seed := range uint64(runs) {
				res := r.Run(props.Plan{Seed: seed, Strategy: slow, StrategySeed: seed, EarlyTimers: early})
				if res.Failure != nil {
					t.Errorf("%s, seed %d, early timers %d: %s", name, seed, early, res.Failure.Text)
					break
				}
			}
		}
	}
	for _, s := range subjects.All() {
		slowly(s.Name, s.Property(true))
	}
	for number := range uint64(correctPrograms) {
		p := correct.New(number)
		slowly(p.Name, p.Property)
	}
}

// TestAlarmsAreSeen plants a fault that searches once had:
// timers fire although messages can be delivered. Random
// order must find it in the programs that check time.
func TestAlarmsAreSeen(t *testing.T) {
	var seen []uint64
	for number := range uint64(correctPrograms) {
		p := search.Property{Name: "hasty", Test: t.Name(), Func: correct.New(number).Hasty}
		random, err := search.Strategies("random")
		if err != nil {
			t.Fatal(err)
		}
		if search.Sample(context.Background(), p, search.Options{Runs: 100, Portfolio: random}).Finding != nil {
			seen = append(seen, number)
		}
	}
	if got, want := fmt.Sprint(seen), "[1 2 3 4 7 9 10 11 13 14 15 21 23 25 27 31 33 37 39]"; got != want {
		t.Errorf("seen in programs %s, want %s", got, want)
	}
}
