package bench

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// TestPublishedLogRank checks the log-rank test of a published example against the values
// of R's survdiff and of books.
func TestPublishedLogRank(t *testing.T) {
	for _, c := range []struct {
		a, b []observation
		want string
	}{
		{drug, placebo, "9 of 19.25, variance 6.26, chi-square 16.79, p 4.17e-05, z -4.10"},
		{placebo, drug, "21 of 10.75, variance 6.26, chi-square 16.79, p 4.17e-05, z +4.10"},
	} {
		l := compareSearches(c.a, c.b)
		got := fmt.Sprintf("%v of %.2f, variance %.2f, chi-square %.2f, p %.3g, z %+.2f", l.Observed, l.Expected, l.Variance, l.Z()*l.Z(), l.P(), l.Z())
		if got != c.want {
			t.Errorf("got %s\nwant %s", got, c.want)
		}
	}
	l := compareSearches(drug, placebo)
	if d := l.later() - l.P()/2; math.Abs(d) > 1e-12 {
		t.Errorf("later by chance %v, different by chance %v", l.later(), l.P())
	}
}

// slowLogRank computes the log-rank statistic independently. For each observation of a it
// adds 1 if the bug was found, minus the cumulative hazard, estimated from both lists.
// The variance at each time is over all choices of the searches that find the bug.
func slowLogRank(a, b []observation) (difference, variance float64) {
	all := append(append([]observation{}, a...), b...)
	atRisk := func(list []observation, at float64) (risk, found int) {
		for _, o := range list {
			if o.At >= at {
				risk++
			}
			if o.At == at && o.Found {
				found++
			}
		}
		return risk, found
	}
	for _, o := range a {
		if o.Found {
			difference++
		}
		for at := 1.0; at <= o.At; at++ {
			if risk, found := atRisk(all, at); found > 0 {
				difference -= float64(found) / float64(risk)
			}
		}
	}
	for at := 1.0; at < 10; at++ {
		risk, found := atRisk(all, at)
		inA, _ := atRisk(a, at)
		var ways, sum, squares float64
		for subset := range 1 << risk { // bit i stands for search i; the lowest inA bits stand for the searches in a
			if ones(subset) != found {
				continue
			}
			n := float64(ones(subset & (1<<inA - 1)))
			ways++
			sum += n
			squares += n * n
		}
		variance += squares/ways - sum*sum/ways/ways
	}
	return difference, variance
}

func ones(x int) (n int) {
	for ; x > 0; x &= x - 1 {
		n++
	}
	return n
}

func TestLogRankIsSlowLogRank(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		a, b := sample(r, 1+r.IntN(5)), sample(r, 1+r.IntN(5))
		l := compareSearches(a, b)
		difference, variance := slowLogRank(a, b)
		if math.Abs(l.Observed-l.Expected-difference) > 1e-9 || math.Abs(l.Variance-variance) > 1e-9 {
			t.Fatalf("%v and %v: %v with variance %v, want %v and %v", a, b, l.Observed-l.Expected, l.Variance, difference, variance)
		}
	}
}

// permuted returns the exact p-value: the share of all ways to split the observations
// into lists of these lengths that differ at least as much.
func permuted(a, b []observation) float64 {
	all := append(append([]observation{}, a...), b...)
	least := math.Abs(compareSearches(a, b).Z()) - 1e-9
	ways, as := 0, 0
	for subset := range 1 << len(all) {
		if ones(subset) != len(a) {
			continue
		}
		var x, y []observation
		for i, o := range all {
			if subset>>i&1 == 1 {
				x = append(x, o)
			} else {
				y = append(y, o)
			}
		}
		ways++
		if math.Abs(compareSearches(x, y).Z()) >= least {
			as++
		}
	}
	return float64(as) / float64(ways)
}

// TestLogRankIsNearlyExact compares p-values with those of all permutations, for lists as
// short as 6 and 7, half of which differ.
func TestLogRankIsNearlyExact(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	sum, most := 0.0, 0.0
	const lists = 60
	for i := range lists {
		a, b := geometric(r, 6, 40, 60), geometric(r, 7, 40/float64(1+i%2*5), 60)
		d := math.Abs(compareSearches(a, b).P() - permuted(a, b))
		sum += d
		most = max(most, d)
	}
	t.Logf("off by %.3f, at most %.3f", sum/lists, most)
	if sum/lists > 0.03 || most > 0.12 {
		t.Errorf("off by %.3f, at most %.3f", sum/lists, most)
	}
}

// TestLogRankOfNoDifference: of equal lists one in twenty differs at 0.05, and one in a
// hundred at 0.01. The same holds for all subjects together, and for one-sided tests.
func TestLogRankOfNoDifference(t *testing.T) {
	const tables = 4000
	r := rand.New(rand.NewPCG(9, 10))
	var often [4][2]int
	for range tables {
		var single, together logRank
		for _, mean := range []float64{3, 900, 100} {
			single = compareSearches(geometric(r, 10, mean, 500), geometric(r, 50, mean, 500))
			together.Add(single)
		}
		for i, p := range []float64{single.P(), together.P(), single.later(), together.later()} {
			for j, chance := range []float64{0.05, 0.01} {
				if p < chance {
					often[i][j]++
				}
			}
		}
	}
	t.Logf("of %d at 0.05 and 0.01: %v", tables, often)
	for i, n := range often {
		if n[0] < tables*35/1000 || n[0] > tables*65/1000 || n[1] < tables*3/1000 || n[1] > tables*20/1000 {
			t.Errorf("test %d: of %d lists that do not differ, %v look as if they did at 0.05 and 0.01", i, tables, n)
		}
	}
}

// TestLogRankOfNothing has lists that allow no conclusion.
func TestLogRankOfNothing(t *testing.T) {
	for _, c := range [][2][]observation{{nil, nil}, {drug, nil}, {nil, drug}, {observations(nil, []float64{5}), observations(nil, []float64{5})}} {
		if l := compareSearches(c[0], c[1]); l.Z() != 0 || l.P() != 1 || l.later() != 0.5 {
			t.Errorf("%v: z %v, p %v, later %v", c, l.Z(), l.P(), l.later())
		}
	}
}
