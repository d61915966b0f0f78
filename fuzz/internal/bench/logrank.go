package bench

import "math"

// A logRank compares two lists of searches by the log-rank test (Mantel, 1966). For each
// time at which some search finds the bug, it counts the searches of the first list that
// find the bug at that time. It also sums the expected number of such searches under the
// assumption that the lists do not differ. The zero value is an empty comparison.
type logRank struct {
	Observed, Expected, Variance float64 // the observed and expected number of bugs found in the first list, and the variance
}

func compareSearches(a, b []observation) (l logRank) {
	a, b = sorted(a), sorted(b)
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		at := math.Inf(1)
		if i < len(a) {
			at = a[i].At
		}
		if j < len(b) {
			at = min(at, b[j].At)
		}
		riskA, risk := float64(len(a)-i), float64(len(a)-i+len(b)-j)
		foundA := foundAt(a, &i, at)
		l.tally(riskA, risk, foundA, foundA+foundAt(b, &j, at))
	}
	return l
}

// foundAt advances i past the searches that end at the given time. It returns the number
// of these searches that find the bug.
func foundAt(list []observation, i *int, at float64) (n float64) {
	for ; *i < len(list) && list[*i].At == at; *i++ {
		if list[*i].Found {
			n++
		}
	}
	return n
}

// tally adds the searches that end at one time. risk is the number of searches in both
// lists that last at least until that time, and found is the number of searches that find
// the bug at that time. riskA and foundA are the same numbers for the first list alone.
func (l *logRank) tally(riskA, risk, foundA, found float64) {
	if found == 0 {
		return
	}
	share := riskA / risk
	l.Observed += foundA
	l.Expected += found * share
	if risk > 1 {
		l.Variance += found * share * (1 - share) * (risk - found) / (risk - 1)
	}
}

// Add adds the comparison o for a different subject. The result is the test stratified by
// subject.
func (l *logRank) Add(o logRank) {
	l.Observed += o.Observed
	l.Expected += o.Expected
	l.Variance += o.Variance
}

// Z returns the difference between Observed and Expected in standard deviations. It has a
// standard normal distribution if the lists do not differ. It is positive if the first
// list finds bugs sooner.
func (l logRank) Z() float64 {
	if l.Variance <= 0 {
		return 0 // all searches of one list ended before a search of the second list found the bug
	}
	return (l.Observed - l.Expected) / math.Sqrt(l.Variance)
}

// P returns the p-value: the probability of an absolute Z at least this large if the lists
// do not differ.
func (l logRank) P() float64 { return math.Erfc(math.Abs(l.Z()) / math.Sqrt2) }
