package props

import (
	"slices"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/trace"
)

// An always is a condition that must hold after each step.
type always struct {
	name  string
	holds func() error
}

// A last is the latest call to Always or Monitor that was made outside of a step.
type last struct {
	what, name string
	runs       int // the number of times that the system had run before the call
}

// An awaited is a condition that must hold after some step or at the end of the run.
type awaited struct {
	name    string
	holds   func() bool
	reached bool
}

// Always adds a condition that must hold after each step from now on. holds returns
// an error if the condition does not hold. The failure's text begins with the name.
func (t *T) Always(name string, holds func() error) {
	if t.observe("Always", name, holds == nil) {
		t.state.always = append(t.state.always, always{name, holds})
	}
}

// Eventually adds a condition that must hold after some step from now on, or at the
// end of the property. The condition need not stay true. The run fails if it was
// never true.
func (t *T) Eventually(name string, holds func() bool) {
	if t.observe("Eventually", name, holds == nil) {
		t.state.awaited = append(t.state.awaited, awaited{name: name, holds: holds})
	}
}

// Sometimes records whether this run has reached a situation. A test fails if none of
// its runs reached the situation, because it then tests less than it seems to. Under
// gopter and go test -fuzz, situations are not checked. Only the first 1,000 names
// are checked, so do not put values into names. A guided search saves the first run
// that reaches the situation, and derives further runs from it while few runs have
// reached it.
func (t *T) Sometimes(name string, reached bool) {
	if !t.allowed("Sometimes") {
		return
	}
	t.runner.noteSometimes(name, reached)
	if reached {
		t.runner.hints.add(Hint{Kind: HintReached, Name: name, Steps: t.begun()})
	}
}

// A Label is a value that a run gave to T.Label.
type Label struct {
	Name  string
	Value string // formatted as in charts of messages
}

// mostLabels is the maximum number of labels of a run.
const mostLabels = 100

// Label records a value of this run for statistics, such as the size of an input or
// the phase in which the run ended. Go test -v and the report of a campaign say how
// many runs had each value. They show whether the draws are distributed as intended:
//
//	t.Label("customers", n)
//
// A run may give several values with one name. At most 100 different labels of a run
// count, and in a search 100 names with 100 values each, so use few values for a name.
// Label changes neither what the program does nor whether the run fails. Labels are not
// counted in an exploration, under rapid or gopter, and under go test -fuzz.
func (t *T) Label(name string, value any) {
	if !t.allowed("Label") {
		return
	}
	l := Label{name, trace.Label(value)}
	if r := t.runner; len(r.labels) < mostLabels && !slices.Contains(r.labels, l) {
		r.labels = append(r.labels, l)
	}
}

// observe prepares a call to T's method what, such as Always: it makes the T an
// observer of the system. It returns false if the method may not be called now. name
// names the condition in messages. isNil is set if the method was given nil.
func (t *T) observe(what, name string, isNil bool) bool {
	if !t.allowed(what) {
		return false
	}
	s := t.state.sys
	switch {
	case s == nil:
		t.misuse("%s %q before System: make the system first", what, name)
	case t.state.returned:
		t.misuse("%s %q after the property has returned: nothing is checked any more", what, name)
	case isNil:
		t.misuse("%s %q is nil: say what must hold", what, name)
	}
	if what != "Eventually" && !s.Running() { // conditions of Eventually are also checked at the end, so no Run needs to follow
		t.state.last = last{what, name, s.Host().Runs()}
	}
	if len(t.state.always)+len(t.state.awaited)+len(t.state.monitors) == 0 {
		s.Observe((*watcher)(t))
	}
	return true
}

// watcher is the pulse.Observer of a T.
type watcher T

// Stepped checks all conditions after a step and passes the step's message to the
// monitors.
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

// checkEventually fails a run if an awaited condition never held, or if a monitor is
// hot.
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
