package coverage_test

import (
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/fuzz/internal/coverage"
	"github.com/jostle-go/jostle/fuzz/subjects/load"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/fuzz/subjects/writer"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/strategy"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A lottery is a program whose runs are all known. Each run is drawn uniformly from
// these, so the exact chance that the next run shows something new is known too.
type lottery struct {
	name string
	runs []*trace.Trace
}

func newLottery(name string, o pulse.Options, build func(*pulse.System), size uint64) lottery {
	o.Record = true
	sys := pulse.New(o)
	defer sys.Close()
	l := lottery{name: name}
	for seed := range size {
		sys.Reset(seed)
		build(sys)
		if !sys.HasRun() {
			sys.Run()
		}
		l.runs = append(l.runs, sys.Trace().Clone())
	}
	return l
}

// truth returns the share of the lottery's runs that have an order new to o.
func (l *lottery) truth(o *coverage.Orders) float64 {
	n := 0
	for _, tr := range l.runs {
		if showsNew(o, tr) {
			n++
		}
	}
	return float64(n) / float64(len(l.runs))
}

// showsNew reports whether a run has an order that was not seen, by definition 2 of the Bitá paper.
func showsNew(o *coverage.Orders, tr *trace.Trace) bool {
	s := schedule(tr)
	for i := range s {
		for j := range i {
			if s[i].receiver == s[j].receiver && !o.Has(s[i].receiver, s[j].id, s[i].id) {
				return true
			}
		}
	}
	return false
}

// lotteries returns programs whose runs show all orders soon, late or hardly ever.
func lotteries() (list []lottery) {
	random := pulse.Options{Strategy: strategy.Random()}
	add := func(name string, o pulse.Options, build func(*pulse.System)) {
		list = append(list, newLottery(name, o, build, 400))
	}
	add("writer", random, func(sys *pulse.System) { writer.Config{Actions: 6}.Build(sys) })
	loaded := func(name string, o pulse.Options, l load.Load) {
		add(name, o, func(sys *pulse.System) { l.Build(sys) })
	}
	loaded("senders", random, load.Senders(12, 1))
	loaded("many senders", random, load.Senders(4, 6))
	loaded("ring", random, load.Ring(4, 2, 4))
	loaded("pi", random, load.Pi(9))
	loaded("priorities", pulse.Options{Strategy: strategy.PCT(strategy.PCTOptions{})}, load.Senders(5, 3))
	for seed := range uint64(4) {
		p := program{seed: 40 + seed}
		add("random "+itoa(seed), random, p.build)
	}
	return list
}

// The interval contains the truth in at least 90 of 100 trials, for each program and each
// number of runs.
func TestChanceHoldsTheTruth(t *testing.T) {
	trial.Long(t)
	each := 10
	if os.Getenv("JOSTLE_NIGHTLY") != "" {
		each = 25
	}
	held, trials, open, narrow, wide := 0, 0, 0, 0, 0.0
	for _, l := range lotteries() {
		for _, n := range []int{10, 30, 80, 200} {
			in, below, above := 0, 0, 0
			for trial := range uint64(each) {
				rng := rand.New(rand.NewPCG(trial, uint64(n)))
				o := &coverage.Orders{}
				for range n {
					o.Add(l.runs[rng.IntN(len(l.runs))], coverage.Run{Unguided: true})
				}
				c, truth := o.Chance(), l.truth(o)
				if truth > 0 {
					open++
				}
				if truth >= 0.8*c.Likely && truth <= 1.2*c.Likely {
					narrow++
				}
				switch {
				case truth < c.Low:
					below++
				case truth > c.High:
					above++
				default:
					in++
				}
				wide += c.High - c.Low
			}
			held, trials = held+in, trials+each
			t.Logf("%-12s %4d runs: %d of %d, truth below %d, above %d", l.name, n, in, each, below, above)
			if in*100 < 80*each {
				t.Errorf("%s, %d runs: the interval holds the truth in %d of %d trials", l.name, n, in, each)
			}
		}
	}
	t.Logf("%d of %d, mean width %.3f; in %d there was something new to see", held, trials, wide/float64(trials), open)
	if 2*open < trials {
		t.Error("in most trials nothing new was left to see")
	}
	if narrow*100 >= 90*trials {
		t.Errorf("so does the estimate alone, give or take a fifth, in %d: the trials show nothing", narrow)
	}
	if held*100 < 90*trials {
		t.Errorf("the interval holds the truth in %d of %d trials", held, trials)
	}
}

func TestChanceOfWhatIsKnown(t *testing.T) {
	o := &coverage.Orders{}
	add := func(schedule string, unguided bool) { o.Add(scripted(schedule), coverage.Run{Unguided: unguided}) }
	check := func(want coverage.Chance, text string) {
		t.Helper()
		if got := o.Chance(); got.Runs != want.Runs || got.Alone != want.Alone || got.Likely != want.Likely {
			t.Errorf("%+v, want %+v", got, want)
		} else if !strings.HasPrefix(got.String(), text) {
			t.Errorf("%q, want %q", got.String(), text)
		}
	}
	check(coverage.Chance{}, "with chance < 100%")
	add("ab", true)
	check(coverage.Chance{Runs: 1, Alone: 1, Likely: 1}, "with chance < 100%")
	add("ba", false) // a guided run; now no unguided run is the only run with "b before a"
	check(coverage.Chance{Runs: 1, Alone: 1, Likely: 1}, "with chance")
	add("ba", true)
	check(coverage.Chance{Runs: 2, Alone: 1, Likely: 0.5}, "with chance")
	add("ab", false) // a guided run; now no unguided run is the only run with "a before b"
	check(coverage.Chance{Runs: 2}, "with chance < 100%")
	for range 5000 {
		add("ab", true)
	}
	check(coverage.Chance{Runs: 5002}, "with chance < 0.08%")
	for range 100 {
		add("acb", true)
		add("a"+string(rune(1000+o.Chance().Runs)), true)
	}
	check(coverage.Chance{Runs: 5202, Alone: 100, Likely: 100. / 5202}, "with chance 1.9% (1.5% to 2.3%)")
}

// TestUpToTen: a chance of up to ten percent is printed with one digit.
func TestUpToTen(t *testing.T) {
	for high, want := range map[float64]string{0.0999: "10%", 0.095: "10%", 0.1: "10%", 0.0899: "9%", 0.11: "11%"} {
		if got := (coverage.Chance{Runs: 1, High: high}).String(); got != "with chance < "+want {
			t.Errorf("%v is told as %q, want < %s", high, got, want)
		}
	}
}
