package bench

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/jostle-go/jostle/fuzz/subjects/trial"
)

// The remission times of Freireich et al. (Blood 21, 1963), in weeks, which nearly
// every book on survival analysis has as an example.
var (
	drug = observations([]float64{6, 6, 6, 7, 10, 13, 16, 22, 23}, []float64{6, 9, 10, 11, 17, 19, 20, 25, 32, 32, 34, 35})
	// No patient was censored.
	placebo = observations([]float64{1, 1, 2, 2, 3, 4, 4, 5, 5, 8, 8, 8, 8, 11, 11, 12, 12, 15, 17, 22, 23}, nil)
)

func observations(found, censored []float64) (list []observation) {
	for _, at := range found {
		list = append(list, observation{at, true})
	}
	for _, at := range censored {
		list = append(list, observation{at, false})
	}
	return list
}

// TestPublishedCurve checks the survival curve of a published example against the values
// in books and of R's survfit.
func TestPublishedCurve(t *testing.T) {
	var got string
	for _, p := range survival(drug) {
		got += fmt.Sprintf("%g: %.3f ± %.4f\n", p.At, p.Left, p.Left*math.Sqrt(p.Spread))
	}
	const want = "6: 0.857 ± 0.0764\n7: 0.807 ± 0.0869\n10: 0.753 ± 0.0963\n13: 0.690 ± 0.1068\n" +
		"16: 0.627 ± 0.1141\n22: 0.538 ± 0.1282\n23: 0.448 ± 0.1346\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	for _, c := range []struct {
		name              string
		list              []observation
		median, low, high float64
	}{
		{"6-MP", drug, 23, 16, math.Inf(1)},
		{"placebo", placebo, 8, 4, 12},
	} {
		curve := survival(c.list)
		low, high := curve.MedianInterval()
		if m := curve.Median(); m != c.median || low != c.low || high != c.high {
			t.Errorf("%s: median %v (%v to %v), want %v (%v to %v)", c.name, m, low, high, c.median, c.low, c.high)
		}
	}
}

// TestMedian checks corner cases.
func TestMedian(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		name            string
		found, censored []float64
		median          float64
	}{
		{"nothing", nil, nil, inf},
		{"one", []float64{7}, nil, 7},
		{"one, censored", nil, []float64{7}, inf},
		{"two", []float64{3, 5}, nil, 4},
		{"three", []float64{3, 5, 100}, nil, 5},
		{"four, in no order", []float64{9, 3, 1, 5}, nil, 4},
		{"exactly half, then no more", []float64{1, 2}, []float64{9, 9}, 2},
		{"less than half", []float64{1, 2}, []float64{9, 9, 9}, inf},
		{"censored before", []float64{5, 6}, []float64{1, 1, 1}, 5.5},
		{"censored when another is found", []float64{5}, []float64{5}, 5},
		{"fifty", upTo(50), nil, 25.5},
	} {
		if got := survival(observations(c.found, c.censored)).Median(); got != c.median {
			t.Errorf("%s: %v, want %v", c.name, got, c.median)
		}
	}
}

func upTo(n int) (list []float64) {
	for i := range n {
		list = append(list, float64(i+1))
	}
	return list
}

// TestCut: a bug found at the last moment counts as found.
func TestCut(t *testing.T) {
	list := cutOff(observations([]float64{1, 5, 6}, []float64{4, 5, 7}), 5)
	const want = "[{1 true} {5 true} {5 false} {4 false} {5 false} {5 false}]"
	if got := fmt.Sprint(list); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// sample draws observations with many ties, some of them censored.
func sample(r *rand.Rand, n int) (list []observation) {
	for range n {
		list = append(list, observation{float64(1 + r.IntN(8)), r.IntN(3) > 0})
	}
	return list
}

// redistributed computes the same curve in another way (Efron, 1967). Each observation
// has an equal share, and a censored one splits its share among all later ones. It
// returns what is left after a time.
func redistributed(list []observation, at float64) float64 {
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b observation) int {
		switch {
		case a.At != b.At:
			return int(a.At - b.At)
		case a.Found && !b.Found:
			return -1
		case b.Found && !a.Found:
			return 1
		}
		return 0
	})
	shares := make([]float64, len(list))
	for i := range shares {
		shares[i] = 1 / float64(len(list))
	}
	left := 0.0
	for i, o := range list {
		if !o.Found && i < len(list)-1 {
			for j := i + 1; j < len(list); j++ {
				shares[j] += shares[i] / float64(len(list)-1-i)
			}
			shares[i] = 0
		}
		if o.At > at || !o.Found && i == len(list)-1 {
			left += shares[i]
		}
	}
	return left
}

func TestCurveIsRedistribution(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		list := sample(r, 1+r.IntN(12))
		left := 1.0
		curve := survival(list)
		for at := 0.0; at < 10; at++ {
			for _, p := range curve {
				if p.At == at {
					left = p.Left
				}
			}
			if want := redistributed(list, at); math.Abs(left-want) > 1e-9 {
				t.Fatalf("%v: %v is left after %v, want %v", list, left, at, want)
			}
		}
	}
}

// geometric draws how many runs n searches take to find a bug, if each run finds it with
// probability 1/mean. A search gives up after `most` runs.
func geometric(r *rand.Rand, n int, mean, most float64) (list []observation) {
	for range n {
		at := math.Ceil(math.Log(1-r.Float64()) / math.Log(1-1/mean))
		list = append(list, observation{max(1, at), true})
	}
	return cutOff(list, most)
}

// TestIntervalsHold: a 95% interval contains the true value in
// about 95% of all random tables. This holds for medians and for
// ratios, also if searches are cut off soon after the median.
func TestIntervalsHold(t *testing.T) {
	trial.Long(t)
	tables := 100
	if os.Getenv("JOSTLE_NIGHTLY") != "" {
		tables = 400
	}
	r := rand.New(rand.NewPCG(3, 4))
	for _, most := range []float64{10_000, 110} {
		medians, ratios := 0, 0
		for range tables {
			a, b := geometric(r, 50, 100, most), geometric(r, 50, 50, most)
			if low, high := survival(a).MedianInterval(); low <= 69 && 69 <= high {
				medians++
			}
			if q := ratioOfMedians(a, b); q.Low <= 2 && 2 <= q.High {
				ratios++
			}
		}
		t.Logf("cut at %v: of %d the median is in %d, the ratio in %d", most, tables, medians, ratios)
		for _, n := range []int{medians, ratios} {
			if n < tables*92/100 || n > tables*99/100 {
				t.Errorf("cut at %v: the truth is in %d of %d intervals", most, n, tables)
			}
		}
	}
}

func TestRatio(t *testing.T) {
	found, cut := observations([]float64{10, 10, 10, 10}, nil), observations(nil, []float64{100, 100, 100, 100})
	for _, c := range []struct {
		a, b []observation
		want string
		low  float64
		high float64
	}{
		{found, found, "1.00", 1, 1},
		{cut, found, ">10.0", 10, math.Inf(1)},
		{found, cut, "<0.10", 0, 0.1},
		{cut, cut, "–", 0, math.Inf(1)},
	} {
		q := ratioOfMedians(c.a, c.b)
		if q.String() != c.want || q.Low != c.low || q.High != c.high {
			t.Errorf("%v by %v is %s (%v to %v), want %s (%v to %v)", c.a, c.b, q, q.Low, q.High, c.want, c.low, c.high)
		}
		if again := ratioOfMedians(c.a, c.b); fmt.Sprint(again) != fmt.Sprint(q) {
			t.Errorf("%v by %v is %v and then %v", c.a, c.b, q, again)
		}
	}
}
