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
	idle  atomic.Bool  // set if the job's process waits and uses hardly any processor time

	turned time.Time     // when the job's current turn or pause began
	paused bool          // set while the job waits for its next turn
	off    time.Duration // the total time that the job was paused

	marked time.Time     // when the current window of measurement began
	window time.Duration // processor time used in this window
	beats  int           // the number of beats in this window
	busy   int           // the number of beats in this window in which the process was not waiting
}

// A process is idle if it uses less than 1/idlePart of a processor during idleAfter, and waits in
// more than half of its beats. On a busy machine a process that does not wait may get no more.
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

// use adds the processor time d since the last beat to the cost, and updates idle. The parameter
// busy says whether the process was not waiting.
func (m *meter) use(d time.Duration, busy bool) {
	m.cpu.Add(int64(d))
	m.window += d
	m.beats++
	if busy {
		m.busy++
	}
	if past := time.Since(m.marked); past >= idleAfter {
		m.idle.Store(m.window < past/idlePart && 2*m.busy < m.beats)
		m.marked, m.window, m.beats, m.busy = time.Now(), 0, 0, 0
	}
}

// cost returns the cost of the job so far: processor time if known, else elapsed time.
func (m *meter) cost() time.Duration {
	if d := time.Duration(m.cpu.Load()); d > 0 {
		return d
	}
	return time.Since(m.begun) - m.off
}
