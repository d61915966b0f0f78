package props

import (
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/trace"
)

// An always is a condition that must hold after each step.
type always struct {
	name  string
	holds func() error
}

// A last is the latest Always or Monitor call outside of a step, and how many Runs
// came before it.
type last struct {
	what, name string
	runs       int
}

// An awaited is a condition that must have held at some step, or hold at the end.
type awaited struct {
	name    string
	holds   func() bool
	reached bool
}

// Always adds a condition that must hold after each step from now on: holds
// returns an error when it does not. The name begins the failure's text.
func (t *T) Always(name string, holds func() error) {
	if t.observe("Always", name, holds == nil) {
		t.state.always = append(t.state.always, always{name, holds})
	}
}

// Eventually adds a condition that must hold after some step from now on, or at
// the end of the property. It need not stay true. The run fails if it was never
// true: every message has been delivered by then, so it would never become true.
func (t *T) Eventually(name string, holds func() bool) {
	if t.observe("Eventually", name, holds == nil) {
		t.state.awaited = append(t.state.awaited, awaited{name: name, holds: holds})
	}
}

// Sometimes records whether this run has reached a situation. A test fails when none
// of its runs has: it tests less than it seems to. Under gopter and go test -fuzz it
// is not judged. Only the first 1,000 names are judged: give the same few in each
// run, without values in them. A guided search keeps the first run that reaches the
// situation, and derives other runs from it while few have reached it.
func (t *T) Sometimes(name string, reached bool) {
	if !t.allowed("Sometimes") {
		return
	}
	t.runner.noteSometimes(name, reached)
	if reached {
		t.runner.hints.add(Hint{Kind: HintReached, Name: name, Steps: t.begun()})
	}
}

// observe makes the T an observer of the system. It reports whether the method what
// may be called now. None says that the caller was given nil.
func (t *T) observe(what, name string, none bool) bool {
	if !t.allowed(what) {
		return false
	}
	s := t.state.sys
	switch {
	case s == nil:
		t.misuse("%s %q before System: make the system first", what, name)
	case t.state.returned:
		t.misuse("%s %q after the property has returned: nothing is checked any more", what, name)
	case none:
		t.misuse("%s %q is nil: say what must hold", what, name)
	}
	if what != "Eventually" && !s.Running() { // Eventually is checked at the end as well
		t.state.last = last{what, name, s.Host().Runs()}
	}
	if len(t.state.always)+len(t.state.awaited)+len(t.state.monitors) == 0 {
		s.Observe((*watcher)(t))
	}
	return true
}

// watcher is a T as the observer of its system.
type watcher T

// Stepped checks all conditions and tells the monitors after a step.
func (w *watcher) Stepped(s *pulse.System, step int) {
	t := (*T)(w)
	for i := range t.state.always {
		a := &t.state.always[i]
		if err := a.holds(); err != nil {
			t.failAt(&pulse.Failure{Kind: pulse.KindProperty, Site: a.name, Step: step,
				Text: a.name + ": " + trace.Thrown(err)}, placeOf(a.holds))
			t.abort()
		}
	}
	t.tellMonitors(step)
	for i := range t.state.awaited {
		if a := &t.state.awaited[i]; !a.reached {
			a.reached = a.holds()
		}
	}
}

// checkEventually fails a run in which an awaited condition never held, or that
// ended while a monitor was hot.
func (t *T) checkEventually() {
	for i := range t.state.awaited {
		if a := &t.state.awaited[i]; !a.reached && !a.holds() {
			t.failAt(&pulse.Failure{Kind: pulse.KindEventuality, Site: a.name, Step: -1,
				Text: a.name + ": never came about, and nothing more can happen"}, placeOf(a.holds))
			return
		}
	}
	t.checkHotMonitors()
}
