package explore

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Progress is how far a search is.
type Progress struct {
	// Runs is how many runs came to an end, Wasted how many more were given up
	// or cut short.
	Runs, Wasted int
	// Rate is how many runs were made in a second, wasted ones included.
	Rate float64
	// Elapsed is how long it has taken.
	Elapsed time.Duration
	// Estimate is how many runs there are in all; 0 when nothing is known.
	Estimate float64
	// Left is how long the rest takes, if the estimate is right and the rate
	// stays; 0 when nothing is known.
	Left time.Duration
	// Failures is how many runs failed.
	Failures int
	// Bound is the bound that the search is at, where it is raised step by
	// step: "2 delays". Runs and the estimate are then those of this bound.
	Bound string
	// Done says that the search is over.
	Done bool
}

// String says it in one line.
func (p Progress) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s runs", grouped(p.Runs))
	if p.Wasted > 0 {
		fmt.Fprintf(&b, " and %s wasted", grouped(p.Wasted))
	}
	if p.Bound != "" {
		fmt.Fprintf(&b, " with %s", p.Bound)
	}
	if p.Rate > 0 {
		fmt.Fprintf(&b, ", %s/s", short(p.Rate))
	}
	fmt.Fprintf(&b, ", %s", rounded(p.Elapsed))
	if p.Estimate > 0 && !p.Done {
		fmt.Fprintf(&b, " of about %s (%s of %s)", p.whole(), p.percent(), rough(p.Estimate))
	}
	switch p.Failures {
	case 0:
		b.WriteString(", no failures")
	case 1:
		b.WriteString(", 1 failure")
	default:
		fmt.Fprintf(&b, ", %s failures", grouped(p.Failures))
	}
	return b.String()
}

// whole is how long all of it takes.
func (p Progress) whole() string {
	if p.Left >= tooLong {
		return "centuries"
	}
	return rounded(p.Elapsed + p.Left)
}

// percent is which part is done, never all of it before the end.
func (p Progress) percent() string {
	part := 100 * float64(p.Runs) / p.Estimate
	if part < 1 {
		return "under 1%"
	}
	return fmt.Sprintf("%d%%", int(min(part, 99)))
}

// tooLong is what no Duration can tell from longer ones.
const tooLong = 200 * 365 * 24 * time.Hour

// left is how long the rest takes when so much was done in a time.
func left(elapsed time.Duration, done int, all float64) time.Duration {
	if done == 0 || all == 0 {
		return 0
	}
	return time.Duration(min(float64(elapsed)*(all/float64(done)-1), float64(tooLong)))
}

// grouped writes a number with a comma at each thousand.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// rough writes a number to two digits.
func rough(x float64) string {
	if x >= 1e15 {
		return fmt.Sprintf("%.1e", x)
	}
	n, unit := int(x+0.5), 1
	for n/unit >= 100 {
		unit *= 10
	}
	return grouped((n + unit/2) / unit * unit)
}

// short writes a rate: 950, 12k, 3.1M.
func short(x float64) string {
	switch {
	case x >= 9.95e6:
		return fmt.Sprintf("%.0fM", x/1e6)
	case x >= 999_500:
		return fmt.Sprintf("%.1fM", x/1e6)
	case x >= 9950:
		return fmt.Sprintf("%.0fk", x/1e3)
	case x >= 999.5:
		return fmt.Sprintf("%.1fk", x/1e3)
	}
	return fmt.Sprintf("%.0f", x)
}

// rounded writes a duration in one unit, or in two when it is long.
func rounded(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Round(time.Millisecond).Milliseconds())
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < 2*time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < 2*time.Hour:
		return fmt.Sprintf("%.0f min", d.Minutes())
	case d < 2*day:
		return fmt.Sprintf("%.0f h", d.Hours())
	}
	return fmt.Sprintf("%s days", grouped(int(d/day)))
}

// Printer returns what writes progress to w: on a terminal one line that is
// written over, elsewhere a line at most every five seconds.
func Printer(w io.Writer, terminal bool) func(Progress) {
	last, width := time.Duration(0), 0
	return func(p Progress) {
		text := p.String()
		if terminal {
			end := ""
			if p.Done {
				end = "\n"
			}
			fmt.Fprintf(w, "\r%-*s%s", width, text, end)
			width = len(text)
			return
		}
		if p.Elapsed-last >= 5*time.Second || p.Done {
			last = p.Elapsed
			fmt.Fprintln(w, text)
		}
	}
}

// A meter adds up how far the workers of a search are.
type meter struct {
	mu        sync.Mutex
	parts     map[int]Progress // of each subtree, and of what is in none
	last      time.Time
	estimator *estimator
}

// tellEvery is how often progress is told if the options do not say.
const tellEvery = time.Second

// measure prepares the meter, if anybody wants to know.
func (x *explorer) measure() {
	if x.options.Progress == nil && !x.options.Estimate {
		return
	}
	o := x.options
	x.meter = &meter{parts: map[int]Progress{}, last: time.Now(), estimator: newEstimator(x.program, &o)}
	if o.Estimate || o.Workers > 1 { // else the first telling is soon enough: most searches are done by then
		x.meter.estimator.probe(0)
	}
}

// note adds what this explorer has done so far.
func (x *explorer) note() {
	m := x.meter
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.parts[x.subtree] = x.done()
}

// done is what this explorer has done so far.
func (x *explorer) done() Progress {
	v := &x.verdict
	p := Progress{Runs: v.Runs, Wasted: v.Wasted + v.Cut}
	for _, n := range v.Failures {
		p.Failures += n
	}
	return p
}

// report tells how far the search is, if it is time to.
func (x *explorer) report() {
	m := x.meter
	if m == nil {
		return
	}
	x.note()
	m.mu.Lock()
	defer m.mu.Unlock()
	every := x.options.Every
	if every == 0 {
		every = tellEvery
	}
	if now := time.Now(); now.Sub(m.last) >= every {
		m.last = now
		x.tell(m.sum())
	}
}

// sum is what all have done so far.
func (m *meter) sum() (all Progress) {
	for _, p := range m.parts {
		all.Runs += p.Runs
		all.Wasted += p.Wasted
		all.Failures += p.Failures
	}
	return all
}

// tell tells how far the search is.
func (x *explorer) tell(p Progress) {
	if x.team != nil {
		x.team.mu.Lock()
		defer x.team.mu.Unlock()
	} else {
		e := x.meter.estimator
		if e.rounds == 0 {
			e.began = time.Now() // what the search took until now is not the estimate's
		}
		e.probe(p.Runs)
	}
	p.took(time.Since(x.began))
	p.Estimate = x.estimate(p.Runs)
	p.Left = left(p.Elapsed, p.Runs, p.Estimate)
	p.Bound = x.level()
	x.options.Progress(p)
}

// level names the bound that is raised.
func (x *explorer) level() string {
	if !x.options.bounded() {
		return ""
	}
	name := "preemptions"
	if x.options.Delays != 0 {
		name = "delays"
	}
	return fmt.Sprintf("%d %s", x.walker.budget, name)
}

// conclude notes how many runs there are in all, and tells that all is over.
func (x *explorer) conclude() {
	v := &x.verdict
	switch {
	case v.Complete:
		v.Estimate = float64(v.Runs)
	case x.meter != nil:
		v.Estimate = x.estimate(v.Runs)
	}
	if x.options.Progress == nil {
		return
	}
	p := x.done()
	p.took(v.Elapsed)
	p.Estimate, p.Done = v.Estimate, true
	x.options.Progress(p)
}

// took says how long it has taken.
func (p *Progress) took(elapsed time.Duration) {
	p.Elapsed = elapsed
	if s := elapsed.Seconds(); s > 0 {
		p.Rate = float64(p.Runs+p.Wasted) / s
	}
}
