package explore

import "time"

// Progress is how far a search is. Package fuzz prints it.
type Progress struct {
	// Runs is how many runs came to an end, Wasted how many more were given up
	// or cut short.
	Runs, Wasted int
	// Probes is how many runs were made beside: see Result.Probes.
	Probes int
	// Rate is how many runs were made in a second, wasted ones and
	// probes included.
	Rate float64
	// Elapsed is how long the search has taken.
	Elapsed time.Duration
	// Estimate is how many runs there are in all, 0 when nothing is known.
	Estimate float64
	// Left is how long the rest takes if the estimate is right and the rate
	// stays the same; TooLong when it is no less than that, and 0 when nothing
	// is known.
	Left time.Duration
	// Failures is how many runs failed.
	Failures int
	// Bound is the bound that is searched, where it is raised step by step:
	// "2 delays". Runs and Estimate are then those of this bound.
	Bound string
	// Done reports that the search is over.
	Done bool
}

// TooLong is the longest time left that is told.
const TooLong = 200 * 365 * 24 * time.Hour

// progressOf returns the part of a search's progress that its result shows.
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
