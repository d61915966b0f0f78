package search

import "time"

// A Limit is when go test ends the process, as its -timeout says.
type Limit struct {
	Deadline time.Time // zero when there is none
	Margin   time.Duration
}

// mostMargin is how long before the deadline a search ends; a quarter of the time
// that is left, if that is less. What was found is repeated, saved and told then.
const mostMargin = 5 * time.Second

// LimitOf returns the limit of what may know one, as a testing.T does and a
// testing.TB does not.
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

// Struck reports whether a search was ended by the limit.
func (l Limit) Struck() bool { return !l.Deadline.IsZero() && !time.Now().Before(l.Early()) }

// Before returns the end of a search that is to end then: by the limit, if that comes
// first. The zero time is no end.
func (l Limit) Before(end time.Time) time.Time {
	if !l.Deadline.IsZero() && (end.IsZero() || l.Early().Before(end)) {
		return l.Early()
	}
	return end
}
