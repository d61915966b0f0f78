package bench

import "math"

// A logRank compares two lists of searches by the log-rank test (Mantel, 1966). At each time
// at which a bug is found, it counts how many of the first list find theirs, and how many
// would if the lists did not differ. The zero value is an empty comparison.
type logRank struct {
	Observed, Expected, Variance float64 // of the first list
}

// compareSearches compares two lists of searches.
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

// foundAt skips the searches that end at a time and returns how many of them find the
// bug.
func foundAt(list []observation, i *int, at float64) (n float64) {
	for ; *i < len(list) && list[*i].At == at; *i++ {
		if list[*i].Found {
			n++
		}
	}
	return n
}

// tally adds one time: the searches at risk and those that find the bug, in the first
// list and in both.
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

// Add adds the comparison of another subject: the test is then stratified by subject.
func (l *logRank) Add(o logRank) {
	l.Observed += o.Observed
	l.Expected += o.Expected
	l.Variance += o.Variance
}

// Z is normally distributed if the lists do not differ. It is positive if the first list
// finds bugs sooner.
func (l logRank) Z() float64 {
	if l.Variance <= 0 {
		return 0 // one list ended before the other found its first bug
	}
	return (l.Observed - l.Expected) / math.Sqrt(l.Variance)
}

// P is the probability that equal lists look at least as different.
func (l logRank) P() float64 { return math.Erfc(math.Abs(l.Z()) / math.Sqrt2) }
