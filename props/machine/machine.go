package machine

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/props/linear"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A Machine is a model and its commands.
type Machine[S any] struct {
	// Name names what is modelled in messages. It may be empty.
	Name string
	// Init returns the first state.
	Init     func() S
	Commands []Command[S]
	// Equal compares states; nil means reflect.DeepEqual.
	Equal func(a, b S) bool
	// Length bounds how many commands one client gives one after another; zero
	// means 12.
	Length int
	// Clients is how many clients give commands at once, at most 8; zero means
	// 2. Branch bounds how many commands each of them gives; zero means 4.
	// Histories of many clients take long to judge.
	Clients, Branch int
}

func (m *Machine[S]) equal(a, b S) bool {
	if m.Equal != nil {
		return m.Equal(a, b)
	}
	return reflect.DeepEqual(a, b)
}

func (m *Machine[S]) length() int  { return orDefault(m.Length, 12) }
func (m *Machine[S]) clients() int { return orDefault(m.Clients, 2) }
func (m *Machine[S]) branch() int  { return orDefault(m.Branch, 4) }

func orDefault(n, zero int) int {
	if n > 0 {
		return n
	}
	return zero
}

// named returns the machine's name for the middle of a message.
func (m *Machine[S]) named() string {
	if m.Name == "" {
		return ""
	}
	return " " + m.Name
}

// Sequential draws commands, has one client give them, and runs the system.
// The run fails at the first result that the model does not allow.
func (m Machine[S]) Sequential(t *props.T, sys *pulse.System) {
	m.mustBeWhole(t)
	steps, states := m.sequence(t, m.Init(), m.length(), "command")
	sys.Go("client", func(p *pulse.Process) { m.give(t, p, steps, states) })
	sys.Run()
}

// Parallel draws commands. One client gives the first of them, one after another;
// then several clients give the others at once. It runs the system. The run
// fails unless some order of the commands explains their results.
func (m Machine[S]) Parallel(t *props.T, sys *pulse.System) {
	m.mustBeWhole(t)
	steps, states := m.sequence(t, m.Init(), m.length()/2, "first command")
	start := states[len(states)-1]
	branches := m.branches(t, start)
	h := linear.NewHistory(t, linear.Model[S, step[S], any]{
		Name:     m.Name,
		Init:     func() S { return start },
		Step:     func(s S, c step[S], result any) (bool, S) { return c.check(s, result) == nil, c.next(s) },
		Pending:  func(s S, c step[S]) S { return c.next(s) },
		Equal:    m.equal,
		Describe: step[S].String,
	})
	sys.Go("client", func(p *pulse.Process) {
		m.give(t, p, steps, states)
		for _, b := range branches {
			p.Go("client", func(p *pulse.Process) {
				for _, s := range b {
					call := h.Call(p.Self(), s)
					call.Return(s.run(p))
				}
			})
		}
	})
	sys.Run()
	h.Check()
}

// give gives commands one after another and checks their results.
func (m *Machine[S]) give(t *props.T, p *pulse.Process, steps []step[S], states []S) {
	var lines []string
	for i, s := range steps {
		result := s.run(p)
		lines = append(lines, fmt.Sprintf("    %d  %s → %s", i+1, s, trace.Label(result)))
		if err := s.check(states[i], result); err != nil {
			t.Report(&pulse.Failure{Kind: pulse.KindProperty, Site: s.judge.Func, Step: t.Step(), Stack: []pulse.Frame{s.judge},
				Text:   fmt.Sprintf("command %d, %s: %v", i+1, s, err),
				Detail: strings.Join(lines, "\n")})
		}
	}
}

// mustBeWhole ends the run if something is missing in the machine.
func (m *Machine[S]) mustBeWhole(t *props.T) {
	fault := ""
	switch {
	case m.Init == nil:
		fault = "it needs Init"
	case len(m.Commands) == 0:
		fault = "it has no Commands"
	case m.Clients > mostClients:
		fault = fmt.Sprintf("%d clients are too many, at most %d can be judged", m.Clients, mostClients)
	}
	for _, c := range m.Commands {
		if c.fault != "" {
			fault = c.fault
		} else if c.draw == nil {
			fault = "a Command is the zero Command: make it with Op.Command"
		}
	}
	if fault != "" {
		t.Report(&pulse.Failure{Kind: pulse.KindMisuse, Step: -1, Text: "machine" + m.named() + ": " + fault})
	}
}
