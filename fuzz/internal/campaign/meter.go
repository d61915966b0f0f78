package campaign

import (
	"sync/atomic"
	"time"
)

// A meter measures the cost of a job, which is a request to a worker process. The goroutine that
// does the job updates the processor time, and the goroutine of the campaign reads it.
type meter struct {
	begun time.Time
	cpu   atomic.Int64 // processor time so far, zero if unknown
	idle  atomic.Bool  // set if the job's process uses hardly any processor time

	turned time.Time     // when the job's current turn or pause began
	paused bool          // set while the job waits for its next turn
	off    time.Duration // the total time that the job was paused

	marked time.Time     // when the current window of measurement began
	window time.Duration // processor time used in this window
}

// A process is idle if it uses less than 1/idlePart of a processor during idleAfter.
const (
	idlePart  = 10
	idleAfter = time.Second
)

// newMeter returns a meter for a job that begins now. The parameter idle says whether the process
// of the job is idle when the job begins.
func newMeter(idle bool) *meter {
	m := &meter{begun: time.Now()}
	m.marked, m.turned = m.begun, m.begun
	m.idle.Store(idle)
	return m
}

// use adds the processor time d to the cost, and updates idle.
func (m *meter) use(d time.Duration) {
	m.cpu.Add(int64(d))
	m.window += d
	if past := time.Since(m.marked); past >= idleAfter {
		m.idle.Store(m.window < past/idlePart)
		m.marked, m.window = time.Now(), 0
	}
}

// cost returns the cost of the job so far: processor time if known, else elapsed time.
func (m *meter) cost() time.Duration {
	if d := time.Duration(m.cpu.Load()); d > 0 {
		return d
	}
	return time.Since(m.begun) - m.off
}
