package search

import "time"

// A Limit is when go test's -timeout ends the process.
type Limit struct {
	Deadline time.Time // zero if there is none
	Margin   time.Duration
}

// mostMargin is how long before the deadline a search ends; a quarter of the remaining time
// if that is less. Findings are repeated, saved and reported in the margin.
const mostMargin = 5 * time.Second

// LimitOf returns the limit of t if it has a Deadline, as a testing.T has and a testing.TB
// has not.
func LimitOf(t any) (l Limit) {
	timed, ok := t.(interface{ Deadline() (time.Time, bool) })
	if !ok {
		return l
	}
	if l.Deadline, ok = timed.Deadline(); ok {
		l.Margin = max(time.Millisecond, min(mostMargin, time.Until(l.Deadline)/4))
	}
	return l
}

// Early returns when a search must be over.
func (l Limit) Early() time.Time { return l.Deadline.Add(-l.Margin) }

// Struck reports whether the limit ended a search.
func (l Limit) Struck() bool { return !l.Deadline.IsZero() && !time.Now().Before(l.Early()) }

// Before returns the earlier of the limit and the given end. The zero time means no end.
func (l Limit) Before(end time.Time) time.Time {
	if !l.Deadline.IsZero() && (end.IsZero() || l.Early().Before(end)) {
		return l.Early()
	}
	return end
}
