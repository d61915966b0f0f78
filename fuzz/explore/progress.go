package explore

import "time"

// Progress is how far a search has come. Package fuzz prints it.
type Progress struct {
	// Runs is how many runs ended by themselves, and Wasted how many more the
	// search gave up.
	Runs, Wasted int
	// Probes is how many probes were made: see Result.Probes.
	Probes int
	// Rate is how many runs per second were made, including wasted runs and
	// probes.
	Rate float64
	// Elapsed is how long the search has taken.
	Elapsed time.Duration
	// Estimate is how many runs the whole search has, 0 if unknown.
	Estimate float64
	// Left is how long the rest takes if the estimate is right and the rate stays
	// the same; at most TooLong, and 0 if unknown.
	Left time.Duration
	// Failures is how many runs failed.
	Failures int
	// Bound is the current bound if the search raises it, such as "2 delays". Runs
	// and Estimate are then for this bound.
	Bound string
	// Done reports that the search is over.
	Done bool
}

// TooLong is the longest reported time left.
const TooLong = 200 * 365 * 24 * time.Hour

// progressOf returns the part of a search's progress that its result holds.
func progressOf(r *Result) Progress {
	return Progress{Runs: r.Runs, Wasted: r.Wasted + r.Cut, Probes: r.Probes, Failures: r.failed()}
}

// setElapsed sets the time and the rate.
func (p *Progress) setElapsed(elapsed time.Duration) {
	p.Elapsed = elapsed
	if s := elapsed.Seconds(); s > 0 {
		p.Rate = float64(p.Runs+p.Wasted+p.Probes) / s
	}
}

// setEstimate sets the estimate and the time left.
func (p *Progress) setEstimate(all float64) {
	p.Estimate, p.Left = all, 0
	if p.Runs > 0 && all > 0 {
		p.Left = time.Duration(min(float64(p.Elapsed)*(all/float64(p.Runs)-1), float64(TooLong)))
	}
}
