package search

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/jostle-go/jostle/fuzz/internal/words"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse/stack"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A Watchdog watches runners on its own goroutine and reports a run that makes no progress:
// no further step and no further run begins. It reports only once, because nothing can end
// such a run.
type Watchdog struct {
	// Limit is the maximum time that a run may take without progress.
	Limit time.Duration
	// Deadline is the time at which the process ends; zero means never.
	Deadline time.Time
	// Margin is the time to reserve before Deadline. In the last half of this time, a
	// run without progress is reported after at most Margin/2.
	Margin time.Duration
	// Tell is called with the report: a headline and more lines. It may be called
	// again, with an empty headline and the texts of values of the program.
	Tell func(headline, lines string)

	mu      sync.Mutex
	runners []*looked
	stop    chan struct{}
	done    chan struct{}
}

// looked is a runner with its progress at the watchdog's last check.
type looked struct {
	runner *props.Runner
	pace   props.Pace
	since  time.Time // when pace last changed
}

// Look makes the watchdog watch a runner.
func (d *Watchdog) Look(r *props.Runner) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.runners = append(d.runners, &looked{runner: r, since: time.Now()})
}

// Start starts watching.
func (d *Watchdog) Start() {
	d.stop, d.done = make(chan struct{}), make(chan struct{})
	go d.watch()
}

// Stop ends the watching, so that nothing more will be reported. It waits at most a second
// for a report that has begun, because a String method of the program may never return.
func (d *Watchdog) Stop() {
	close(d.stop)
	select {
	case <-d.done:
	case <-time.After(time.Second):
	}
}

// looks is the number of times that a Watchdog checks a runner within Watchdog.Limit.
const looks = 10

// watch watches until it has reported a run or is stopped.
func (d *Watchdog) watch() {
	defer close(d.done)
	every := min(d.Limit/looks, time.Second)
	if !d.Deadline.IsZero() {
		every = min(every, d.Margin/looks)
	}
	tick := time.NewTicker(max(every, time.Millisecond))
	defer tick.Stop()
	for {
		select {
		case <-d.stop:
			return
		case <-tick.C:
			if l := d.stalled(time.Now()); l != nil {
				d.report(l)
				return
			}
		}
	}
}

// stalled returns a runner whose run has made no progress for too long, nil if there is none.
func (d *Watchdog) stalled(now time.Time) *looked {
	limit := d.Limit
	if !d.Deadline.IsZero() && now.After(d.Deadline.Add(-d.Margin/2)) {
		limit = min(limit, d.Margin/2)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, l := range d.runners {
		if pace := l.runner.Pace(); pace != l.pace || !pace.Running() {
			l.pace, l.since = pace, now
		} else if now.Sub(l.since) >= limit {
			return l
		}
	}
	return nil
}

// report reports where a run hangs. Texts of values of the program come last, because their
// String methods may wait for a lock that the run holds.
func (d *Watchdog) report(l *looked) {
	s := l.runner.Stall()
	d.Tell(headline(&s, time.Since(l.since)), howItStands(&s))
	if lines := valuesText(&s); lines != "" {
		d.Tell("", lines)
	}
}

// headline says where a run hangs and for how long.
func headline(s *props.Stall, stood time.Duration) string {
	where := "outside of all steps: the property itself makes no progress"
	switch {
	case s.Step >= 0 && s.Actor != "" && s.Message == nil:
		where = fmt.Sprintf("in step %d, of %s", s.Step, s.Actor)
	case s.Step >= 0 && s.Actor != "":
		where = fmt.Sprintf("in step %d, in which %s receives %s", s.Step, s.Actor, trace.TypeLabel(s.Message))
	case s.Step >= 0:
		where = fmt.Sprintf("after step %d, in code that observes the run", s.Step)
	}
	return fmt.Sprintf("NO PROGRESS for %s, %s", words.Elapsed(stood), where)
}

// howItStands returns a text that says what the goroutine of a run is doing, and names the
// strategy and the seeds of the run.
func howItStands(s *props.Stall) string {
	var b strings.Builder
	switch s.State {
	case "":
		b.WriteString("the goroutine of the run is not found\n")
	case "running", "runnable":
		b.WriteString("the goroutine of the run is running: does a loop never end?\n")
	default:
		fmt.Fprintf(&b, "the goroutine of the run waits (%s), and no other actor runs meanwhile. An actor waits for messages only;\nfor code that waits for channels or mutexes use package pulse/goroutine\n", s.State)
	}
	if len(s.Stack) > 0 {
		b.WriteString(stack.Lines(s.Stack) + "\n")
	}
	if f := s.Intruder; f != nil {
		fmt.Fprintf(&b, "the run may wait for something that jostle refused: %s\n", trace.Visible(f.Text))
		if len(f.Stack) > 0 {
			b.WriteString(stack.Lines(f.Stack) + "\n")
		}
	}
	fmt.Fprintf(&b, "strategy %s, seed %#x of the draws and %#x of the order\n", s.Strategy, s.Seed, s.StrategySeed)
	return b.String()
}

// valuesText describes the drawn values and the received message. It returns "" if the
// race detector is on.
func valuesText(s *props.Stall) string {
	if props.HasRaceDetector() {
		return ""
	}
	var b strings.Builder
	if s.Message != nil {
		fmt.Fprintf(&b, "the message is %s\n", trace.Label(s.Message))
	}
	if len(s.Labels) > 0 {
		var draws []string
		for i, label := range s.Labels {
			draws = append(draws, fmt.Sprintf("%s = %s", label, trace.Label(s.Values[i])))
		}
		fmt.Fprintf(&b, "drew %s\n", strings.Join(draws, ", "))
	}
	return b.String()
}
