package explore

import (
	"sync"
	"time"
)

// A meter adds up how far the workers of a search are, and tells it.
type meter struct {
	tell      func(Progress) // Options.Progress; may be nil
	every     time.Duration
	began     time.Time // when the search did
	estimator *estimator

	mu    sync.Mutex
	parts map[int]Progress // by number of the subtree; 0 for what is in none
	last  time.Time
}

// tellEvery is how often progress is told if the options do not say.
const tellEvery = time.Second

func newMeter(o *Options, began time.Time) *meter {
	m := &meter{tell: o.Progress, every: o.Every, began: began, parts: map[int]Progress{}, last: time.Now()}
	if m.every == 0 {
		m.every = tellEvery
	}
	return m
}

// note notes what one search has done so far. A nil meter notes nothing.
func (m *meter) note(t *tally) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.parts[t.subtree] = progressOf(&t.result)
}

// join notes what is above subtrees, to which a subtree was added that is done.
func (m *meter) join(above *tally, subtree int) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.parts, subtree)
	m.parts[0] = progressOf(&above.result)
}

// report notes what one search has done so far, and tells how far all are if
// it is time to. If a search goes on alone the estimator may use its worker meanwhile.
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

// sum returns what all have done so far.
func (m *meter) sum() (all Progress) {
	for _, p := range m.parts {
		all.Runs += p.Runs
		all.Wasted += p.Wasted
		all.Probes += p.Probes
		all.Failures += p.Failures
	}
	return all
}

// end tells what a search came to.
func (m *meter) end(r *Result) {
	p := progressOf(r)
	p.setElapsed(r.Elapsed)
	p.Estimate, p.Done = r.Estimate, true
	m.tell(p)
}
