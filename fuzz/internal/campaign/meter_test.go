package campaign

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestIdle: a process that waits counts as idle after a second.
// A process that wants to run but gets no processor does not.
func TestIdle(t *testing.T) {
	for _, test := range []struct {
		name string
		cpu  time.Duration // processor time in each tenth of a second
		busy int           // the number of beats, out of ten, in which the process is busy
		want bool
	}{
		{"waits", 0, 0, true},
		{"waits, and runs sometimes", 9 * time.Millisecond, 4, true},
		{"starves", 3 * time.Millisecond, 10, false},
		{"starves, and waits sometimes", 3 * time.Millisecond, 6, false},
		{"runs", 100 * time.Millisecond, 10, false},
		{"runs elsewhere", 100 * time.Millisecond, 0, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			m := newMeter(!test.want)
			for second := range 3 {
				for i := range 10 {
					time.Sleep(time.Second / 10)
					m.use(test.cpu, i < test.busy)
				}
				if got := m.idle.Load(); got != test.want {
					t.Errorf("%s: after %d seconds it is idle: %v", test.name, second+1, got)
				}
			}
			if got, want := m.cost(), 30*test.cpu; test.cpu > 0 && got != want {
				t.Errorf("%s: it costs %v, want %v", test.name, got, want)
			}
		})
	}
}
