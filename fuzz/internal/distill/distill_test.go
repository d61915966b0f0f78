package distill

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/fuzz/internal/coverage"
	"github.com/jostle-go/jostle/fuzz/subjects"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/strategy"
	"github.com/jostle-go/jostle/pulse/trace"
)

func TestFewest(t *testing.T) {
	for _, test := range []struct {
		name string
		sets [][]int
		want []int
	}{
		{"none", nil, nil},
		{"empty sets", [][]int{{}, nil}, nil},
		{"one", [][]int{{1, 1, 1}}, []int{0}},
		{"equal ones: the first", [][]int{{1, 2}, {2, 1}, {1, 2}}, []int{0}},
		{"the largest first", [][]int{{1, 2}, {3, 4, 5}, {6}}, []int{1, 0, 2}},
		{"what others have together is left out", [][]int{{1, 2, 3, 4}, {1, 2, 5}, {3, 4, 6}}, []int{1, 2}},
		{"an element that is there twice counts once", [][]int{{1, 1, 1}, {2, 3}}, []int{1, 0}},
		{"three where two would do", [][]int{{2}, {5}, {0, 1, 3, 4}, {0, 1, 2}, {3, 4, 5}}, []int{2, 0, 1}},
	} {
		if got := Fewest(test.sets); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, expected %v", test.name, got, test.want)
		}
	}
}

// fewest returns the size of the smallest set cover, by trying all choices.
func fewest(sets [][]int) (least int) {
	masks, all := masksOf(sets)
	least = len(sets)
	for some := range uint(1) << len(sets) {
		have := uint64(0)
		for i, m := range masks {
			if some>>i&1 == 1 {
				have |= m
			}
		}
		if have == all {
			least = min(least, bits.OnesCount(some))
		}
	}
	return least
}

func masksOf(sets [][]int) (masks []uint64, all uint64) {
	for _, set := range sets {
		m := uint64(0)
		for _, e := range set {
			m |= 1 << e
		}
		masks = append(masks, m)
		all |= m
	}
	return masks, all
}

// withinBound checks that the taken sets are a set cover, that none of them is
// redundant, and that there are at most H(n) times as many as in the minimum.
func withinBound(sets [][]int, taken []int) error {
	masks, all := masksOf(sets)
	have, largest := uint64(0), 0
	for _, i := range taken {
		have |= masks[i]
	}
	if have != all {
		return fmt.Errorf("%v of %v lacks something", taken, sets)
	}
	for k := range taken {
		others := uint64(0)
		for j, i := range taken {
			if j != k {
				others |= masks[i]
			}
		}
		if others == all {
			return fmt.Errorf("%v of %v: %d can be left out", taken, sets, taken[k])
		}
	}
	for _, m := range masks {
		largest = max(largest, bits.OnesCount64(m))
	}
	harmonic := 0.0
	for n := range largest {
		harmonic += 1 / float64(n+1)
	}
	if least := fewest(sets); float64(len(taken)) > harmonic*float64(least)+1e-9 {
		return fmt.Errorf("%d of %v are taken, and %d are enough", len(taken), sets, least)
	}
	return nil
}

// On random sets the size of the choice is within
// the theoretical bound, and mostly minimal.
func TestFewestAgainstAllChoices(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	exact := 0
	const trials = 3000
	for range trials {
		sets := make([][]int, 1+rng.IntN(10))
		universe := 1 + rng.IntN(14)
		for i := range sets {
			for range rng.IntN(6) {
				sets[i] = append(sets[i], rng.IntN(universe))
			}
		}
		taken := Fewest(sets)
		if err := withinBound(sets, taken); err != nil {
			t.Fatal(err)
		}
		if len(taken) == fewest(sets) {
			exact++
		}
	}
	t.Logf("%d of %d are the fewest there are", exact, trials)
	if exact == trials || exact < trials*9/10 {
		t.Errorf("%d of %d are the fewest there are: expected most of them, and not all", exact, trials)
	}
}

// TestBoundIsChecked is a canary: withinBound detects wrong choices.
func TestBoundIsChecked(t *testing.T) {
	sets := [][]int{{0, 1}, {0}, {1}, {2}}
	for _, wrong := range [][]int{nil, {0}, {0, 1, 3}, {0, 2, 3}} {
		if withinBound(sets, wrong) == nil {
			t.Errorf("%v of %v is taken for right", wrong, sets)
		}
	}
	many := [][]int{{0}, {1}, {2}, {3}, {4}, {5}, {0, 1, 2, 3, 4, 5}}
	if withinBound(many, []int{0, 1, 2, 3, 4, 5}) == nil {
		t.Error("six sets in place of one are taken for few")
	}
}

// passing returns passing runs of a subject, and how many pairs coverage counted in them.
func passing(t *testing.T, name string, seeds uint64) (list []Passed, r *props.Runner, pairs int) {
	t.Helper()
	i := slices.IndexFunc(subjects.Easy(), func(s subjects.Subject) bool { return s.Name == name })
	if i < 0 {
		t.Fatalf("there is no subject %s", name)
	}
	r = props.NewRunner(name, subjects.Easy()[i].Property(true))
	t.Cleanup(r.Close)
	seen := &coverage.Orders{}
	for seed := range seeds {
		res := r.Run(props.Plan{Seed: seed/4 + 1, StrategySeed: seed, Strategy: strategy.Random()})
		seen.Add(res.System.Trace(), coverage.Run{})
		if res.Failure != nil {
			t.Fatal(res.Failure)
		}
		list = append(list, Passed{corpus.Case{Property: name, Inputs: choice.CloneInputs(res.Inputs), Record: *res.System.Record().Clone()},
			PairsOf(res.System.Trace())})
	}
	return list, r, seen.Count().Seen
}

// The kept cases of a subject show, when replayed, exactly the pairs of all runs, as
// coverage counts them.
func TestCoverageIsKept(t *testing.T) {
	for _, name := range []string{"writer", "threadring", "messenger", "barber", "bank"} {
		list, r, pairs := passing(t, name, 400)
		var basket Basket
		for _, p := range list {
			basket.Add(p)
		}
		cases := basket.Fewest()
		if len(basket.known) != pairs {
			t.Errorf("%s: %d pairs, coverage counts %d", name, len(basket.known), pairs)
		}
		seen := &coverage.Orders{}
		for i := range cases {
			res := r.Run(props.Plan{Inputs: cases[i].Inputs, Strategy: strategy.Replay(&cases[i].Record, strategy.ReplayOptions{})})
			seen.Add(res.System.Trace(), coverage.Run{})
		}
		if n := seen.Count().Seen; n != pairs {
			t.Errorf("%s: %d cases show %d of %d pairs", name, len(cases), n, pairs)
		}
		t.Logf("%s: %d of %d runs have all %d pairs", name, len(cases), len(list), pairs)
	}
}

// A basket stays small, whatever is added.
func TestBasketIsBounded(t *testing.T) {
	trial.Long(t)
	var b Basket
	for n := range uint64(3 * mostPassed) {
		b.Add(Passed{Pairs: []Pair{{n, 1}}})
		if len(b.passed) > mostPassed {
			t.Fatalf("it has %d runs", len(b.passed))
		}
	}
	b = Basket{}
	runs := uint64(mostGathered/mostPairs + 2)
	if os.Getenv("JOSTLE_NIGHTLY") != "" {
		runs = mostKnown/mostPairs + 3
	}
	for n := range runs {
		p := Passed{}
		for k := range uint64(mostPairs) {
			p.Pairs = append(p.Pairs, Pair{n, k})
		}
		b.Add(p)
		if b.pairs > mostGathered {
			t.Fatalf("it has runs of %d pairs", b.pairs)
		}
	}
	if len(b.known) > mostKnown+mostPairs {
		t.Errorf("it knows %d pairs", len(b.known))
	}
	if b.Add(Passed{}); len(b.Fewest()) == 0 {
		t.Error("it has nothing")
	}
}

// PairsOf gives up early if an actor receives many messages, or if one or two goroutines do many
// operations on an object. A run without a trace has no pairs.
func TestPairsAreBounded(t *testing.T) {
	for n, want := range map[int][3]int{0: {}, 1: {}, 2: {1, 0, 1}, 100: {4950, 0, 2500}, 447: {99681, 0, 49952}, 448: {}, 1 << 18: {}} {
		for goroutines, want := range want { // no goroutines: receives of one actor
			tr := &trace.Trace{Actors: make([]trace.Actor, 2), Sends: []trace.Send{{Kind: trace.Message}, {Kind: trace.Start}}}
			for i := range n {
				st := trace.Step{Kind: trace.Receive, ID: uint64(i)}
				if goroutines > 0 {
					st.Send, st.Actor = 1, int32(i%goroutines)
					tr.Touches = append(tr.Touches, trace.Touch{Step: int32(i), What: trace.AnObject})
				}
				tr.Steps = append(tr.Steps, st)
			}
			if got := len(PairsOf(tr)); got != want {
				t.Errorf("%d steps of %d goroutines have %d pairs, expected %d", n, goroutines, got, want)
			}
		}
	}
	if PairsOf(nil) != nil {
		t.Error("a run without a system has pairs")
	}
}
