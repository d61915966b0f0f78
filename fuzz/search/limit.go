package search

import "time"

// A Limit is the time at which the -timeout flag of go test ends the process.
type Limit struct {
	Deadline time.Time     // zero if there is no deadline
	Margin   time.Duration // the time to reserve before Deadline, in which no search may run
}

// mostMargin is the maximum value of Limit.Margin. During the margin, findings are
// replayed, saved and reported. If less than four times mostMargin remains before the
// deadline, the margin is a quarter of the remaining time.
const mostMargin = 5 * time.Second

// LimitOf returns the limit of t if t has a Deadline method and a deadline, else the zero
// Limit. A testing.T has the method; a testing.TB does not.
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

// Early returns the time at which a search must end.
func (l Limit) Early() time.Time { return l.Deadline.Add(-l.Margin) }

// Struck reports whether the time at which a search must end has come.
func (l Limit) Struck() bool { return !l.Deadline.IsZero() && !time.Now().Before(l.Early()) }

// Before returns the earlier of the limit and the given end. The zero time means no end.
func (l Limit) Before(end time.Time) time.Time {
	if !l.Deadline.IsZero() && (end.IsZero() || l.Early().Before(end)) {
		return l.Early()
	}
	return end
}
