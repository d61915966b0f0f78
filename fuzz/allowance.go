package fuzz

import (
	"sync"
	"time"
)

// An allowance is the search time that the Checks of a process share. It is spent while at least
// one of them searches: Checks that run in parallel spend the same second once, as a person who
// waits for go test does.
type allowance struct {
	mu      sync.Mutex
	spent   time.Duration
	counted time.Time // the time up to which spent has been counted
	running int       // the number of Checks that have begun and not ended
	until   time.Time // the time at which the search of every running Check should have ended
}

// ofProcess is the allowance of this process. It is a package variable, because a Check
// has no other way to know how long earlier Checks have searched, or how many will follow.
var ofProcess allowance

// The Checks of a process share a total time: fullChecks times the usual time of one Check. When
// the total is spent, each further Check has 1/leastPart of the usual time.
const (
	fullChecks = 5
	leastPart  = 10
)

// begin returns the time for the search of a Check that begins now, given the usual time. The
// caller must call end when the search is over.
func (a *allowance) begin(now time.Time, usual time.Duration) time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.count(now)
	least := usual / leastPart
	left := max(least, fullChecks*usual-a.spent)
	most := min(usual, (left+least-1)/least*least) // rounded up, because spent is not exact
	if end := now.Add(most); a.running == 0 || end.After(a.until) {
		a.until = end
	}
	a.running++
	return most
}

// end ends the search of a Check. The time that the search has not used is left for
// later Checks.
func (a *allowance) end(now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.count(now)
	a.running--
}

// count adds the time since its last call to spent, but no time after a.until. A step that never
// ends and the shrinking of a failure take longer than their search may, and must not use up the
// time of other Checks.
func (a *allowance) count(now time.Time) {
	to := now
	if a.until.Before(now) {
		to = a.until
	}
	if a.running > 0 {
		a.spent += max(0, to.Sub(a.counted))
	}
	a.counted = now
}
