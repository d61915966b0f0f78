package explore

import (
	"sync"
	"time"
)

// A meter adds up the progress of all workers of a search, and reports the total.
type meter struct {
	tell      func(Progress) // called with each progress report (Options.Progress); may be nil
	every     time.Duration
	began     time.Time // when the search began
	estimator *estimator

	mu    sync.Mutex
	parts map[int]Progress // maps the number of a subtree to the subtree's progress; key 0 is for the rest of the tree
	last  time.Time        // the time of the last report
}

// tellEvery is the default interval between two reports.
const tellEvery = time.Second

func newMeter(o *Options, began time.Time) *meter {
	m := &meter{tell: o.Progress, every: o.Every, began: began, parts: map[int]Progress{}, last: time.Now()}
	if m.every == 0 {
		m.every = tellEvery
	}
	return m
}

// note records the progress of one search. A nil meter records nothing.
func (m *meter) note(t *tally) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.parts[t.subtree] = progressOf(&t.result)
}

// join records the results for the tree above the subtrees. These results now include
// those of a completed subtree, whose own progress is removed.
func (m *meter) join(above *tally, subtree int) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.parts, subtree)
	m.parts[0] = progressOf(&above.result)
}

// report records the progress of one search. If the interval has passed, it also reports
// the total progress. The argument alone is set if there is no other search. Then the
// estimator may use the worker.
func (m *meter) report(t *tally, bound string, alone bool) {
	m.note(t)
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	if now.Sub(m.last) < m.every {
		return
	}
	m.last = now
	p := m.sum()
	if alone {
		m.estimator.measureLate(p.Runs)
	}
	p.setElapsed(time.Since(m.began))
	p.setEstimate(m.estimator.all(p.Runs))
	p.Bound = bound
	m.tell(p)
}

// sum returns the total progress.
func (m *meter) sum() (all Progress) {
	for _, p := range m.parts {
		all.Runs += p.Runs
		all.Wasted += p.Wasted
		all.Probes += p.Probes
		all.Failures += p.Failures
	}
	return all
}

// end makes the last report of a search.
func (m *meter) end(r *Result) {
	p := progressOf(r)
	p.setElapsed(r.Elapsed)
	p.Estimate, p.Done = r.Estimate, true
	m.tell(p)
}
