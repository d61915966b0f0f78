package props

import (
	"fmt"

	"github.com/jostle-go/jostle/pulse"
)

// always is something that must hold after each step.
type always struct {
	name  string
	holds func() error
}

// awaited is something that must have come about when the system is at rest.
type awaited struct {
	name  string
	holds func() bool
	came  bool
}

// Always says what must hold after each step from now on. Name says what is
// broken when it does not.
func (t *T) Always(name string, holds func() error) {
	if t.observe("Always", name, holds == nil) {
		t.state.always = append(t.state.always, always{name, holds})
	}
}

// Eventually says what must come about by the time that the system is at
// rest. It need not last. Every strategy delivers every message in the end, so
// what has not come about then never does.
func (t *T) Eventually(name string, holds func() bool) {
	if t.observe("Eventually", name, holds == nil) {
		t.state.awaited = append(t.state.awaited, awaited{name: name, holds: holds})
	}
}

// Sometimes notes that a situation was reached if it was. One that no run ever
// reaches fails the test: it tests less than it seems to.
func (t *T) Sometimes(name string, reached bool) {
	if t.may("Sometimes") {
		t.runner.noteSometimes(name, reached)
	}
}

// observe makes the system tell the T of each step, and says whether the
// caller may go on.
func (t *T) observe(what, name string, none bool) bool {
	if !t.may(what) {
		return false
	}
	s := t.state.sys
	switch {
	case s == nil:
		t.misuse("%s %q before System: make the system first", what, name)
	case none:
		t.misuse("%s %q is nil: say what must hold", what, name)
	}
	if len(t.state.always)+len(t.state.awaited)+len(t.state.monitors) == 0 {
		s.Observe((*watcher)(t))
	}
	return true
}

// watcher is a T as the observer of its system.
type watcher T

// Stepped checks what must hold after a step.
func (w *watcher) Stepped(s *pulse.System, step int) {
	t := (*T)(w)
	for i := range t.state.always {
		a := &t.state.always[i]
		if err := a.holds(); err != nil {
			t.failAt(&pulse.Failure{Kind: pulse.KindProperty, Site: a.name, Step: step,
				Text: fmt.Sprintf("%s: %v", a.name, err)}, placeOf(a.holds))
			t.abort()
		}
	}
	t.tellMonitors(step)
	for i := range t.state.awaited {
		if a := &t.state.awaited[i]; !a.came {
			a.came = a.holds()
		}
	}
}

// overdue fails a run in which something did not come about.
func (t *T) overdue() {
	for i := range t.state.awaited {
		if a := &t.state.awaited[i]; !a.came && !a.holds() {
			t.failAt(&pulse.Failure{Kind: pulse.KindEventuality, Site: a.name, Step: -1,
				Text: a.name + ": never came about, and nothing more can happen"}, placeOf(a.holds))
			return
		}
	}
	t.coolMonitors()
}
