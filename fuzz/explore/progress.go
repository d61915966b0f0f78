package explore

import "time"

// Progress describes how far a search has come. Package fuzz prints it.
type Progress struct {
	// Runs is the number of runs that ended without being stopped by the search.
	Runs int
	// Wasted is the number of runs that the search stopped, including cut runs.
	Wasted int
	// Probes is the number of probes: see Result.Probes.
	Probes int
	// Rate is the number of runs per second, including wasted runs and probes.
	Rate float64
	// Elapsed is the duration of the search so far.
	Elapsed time.Duration
	// Estimate is the estimated number of runs of the whole search, 0 if unknown.
	Estimate float64
	// Left is the estimated time until the search is complete; at most TooLong, and 0
	// if unknown.
	Left time.Duration
	// Failures is the number of failed runs.
	Failures int
	// Bound is the current bound on delays or preemptions, such as "2 delays", or "".
	// If it is set, Runs and Estimate are for this bound.
	Bound string
	// Done is set if the search is over.
	Done bool
}

// TooLong is the maximum of Progress.Left.
const TooLong = 200 * 365 * 24 * time.Hour

// progressOf returns the counts of a result as a Progress. Rate, times and estimate are
// not set.
func progressOf(r *Result) Progress {
	return Progress{Runs: r.Runs, Wasted: r.Wasted + r.Cut, Probes: r.Probes, Failures: r.failed()}
}

// setElapsed sets Elapsed and Rate.
func (p *Progress) setElapsed(elapsed time.Duration) {
	p.Elapsed = elapsed
	if s := elapsed.Seconds(); s > 0 {
		p.Rate = float64(p.Runs+p.Wasted+p.Probes) / s
	}
}

// setEstimate sets Estimate and Left.
func (p *Progress) setEstimate(all float64) {
	p.Estimate, p.Left = all, 0
	if p.Runs > 0 && all > 0 {
		p.Left = time.Duration(min(float64(p.Elapsed)*(all/float64(p.Runs)-1), float64(TooLong)))
	}
}
