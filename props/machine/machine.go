package machine

import (
	"cmp"
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
	// Name is the name of the model in messages. It may be empty.
	Name string
	// Init returns the initial state.
	Init     func() S
	Commands []Command[S]
	// Equal compares states. Nil means reflect.DeepEqual.
	Equal func(a, b S) bool
	// Length is the maximum number of commands that one client runs one after another.
	// Zero means 12.
	Length int
	// Clients is the number of concurrent clients, at most 8. Zero means 2. Branch is
	// the maximum number of commands that each concurrent client runs. Zero means 4.
	// Checking a history of many clients takes long.
	Clients, Branch int
}

func (m *Machine[S]) equal(a, b S) bool {
	if m.Equal != nil {
		return m.Equal(a, b)
	}
	return reflect.DeepEqual(a, b)
}

func (m *Machine[S]) title() string { return "machine" + m.named() }

// named returns the machine's name for the middle of a message, such as " bank".
func (m *Machine[S]) named() string {
	if m.Name == "" {
		return ""
	}
	return " " + m.Name
}

// Sequential draws commands, runs them in one client, and runs the system. The run
// fails at the first result that the model does not allow.
func (m Machine[S]) Sequential(t *props.T, sys *pulse.System) {
	m.mustBeWhole(t, sys)
	steps, states := m.sequence(t, m.Init(), cmp.Or(m.Length, 12), "command")
	t.Sometimes(m.title()+": a command is given", len(steps) > 0)
	c := &client[S]{steps: steps}
	c.ref = sys.Go("client", func(p *pulse.Process) { m.give(t, p, c, states) })
	sys.Run()
	m.mustBeDone(t, sys, c)
}

// A client is a client process with its commands.
type client[S any] struct {
	ref   pulse.Ref
	steps []step[S]
	done  int // the number of commands that have returned
}

func clientName(i int) string { return fmt.Sprintf("client %d", i+1) }

// mustBeDone fails the run if a client waits forever, because its remaining commands
// were not tested. It ignores clients that have crashed, and all clients if virtual
// time has an end.
func (m *Machine[S]) mustBeDone(t *props.T, sys *pulse.System, clients ...*client[S]) {
	for i, c := range clients {
		if c.ref.IsZero() || c.done == len(c.steps) || !sys.Alive(c.ref) || sys.Options().Horizon > 0 {
			continue
		}
		who := "the " + c.ref.String()
		if len(clients) > 1 {
			who = clientName(i)
		}
		t.Report(&pulse.Failure{Kind: pulse.KindStuck, Site: c.steps[c.done].name, Step: -1, Text: fmt.Sprintf(
			"%s: %s waits forever in command %d of %d, %s, and nothing more can happen",
			m.title(), who, c.done+1, len(c.steps), c.steps[c.done])})
	}
}

// Parallel draws commands and runs the system. One client runs the first commands.
// Then several clients run the other commands concurrently. The run fails unless
// some order of the commands explains their results.
func (m Machine[S]) Parallel(t *props.T, sys *pulse.System) {
	m.mustBeWhole(t, sys)
	steps, states := m.sequence(t, m.Init(), cmp.Or(m.Length, 12)/2, "first command")
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
	first := &client[S]{steps: steps}
	clients := []*client[S]{}
	given := len(steps)
	for _, b := range branches {
		clients = append(clients, &client[S]{steps: b})
		given += len(b)
	}
	t.Sometimes(m.title()+": a command is given", given > 0)
	first.ref = sys.Go("first client", func(p *pulse.Process) {
		m.give(t, p, first, states)
		for i, c := range clients {
			c.ref = p.Go(clientName(i), func(p *pulse.Process) {
				for _, s := range c.steps {
					call := h.Call(p.Self(), s)
					call.Return(s.run(p))
					c.done++
				}
			})
		}
	})
	sys.Run()
	h.Check()
	m.mustBeDone(t, sys, first)
	m.mustBeDone(t, sys, clients...)
}

// give runs the commands of a client one after another and checks their results.
// states[i] is the model's state before command i.
func (m *Machine[S]) give(t *props.T, p *pulse.Process, c *client[S], states []S) {
	var lines []string
	for i, s := range c.steps {
		result := s.run(p)
		c.done++
		lines = append(lines, fmt.Sprintf("    %d  %s → %s", i+1, s, trace.Label(result)))
		if err := s.check(states[i], result); err != nil {
			t.Report(&pulse.Failure{Kind: pulse.KindProperty, Site: s.judge.Func, Step: -1, Stack: []pulse.Frame{s.judge},
				Text:   fmt.Sprintf("command %d, %s: %s", i+1, s, trace.Thrown(err)),
				Detail: strings.Join(lines, "\n")})
		}
	}
}

// mustBeWhole ends the run if sys is nil, or if a field of the machine is missing or
// has a wrong value.
func (m *Machine[S]) mustBeWhole(t *props.T, sys *pulse.System) {
	fault := ""
	switch {
	case sys == nil:
		fault = "the System is nil: give it t.System()"
	case m.Init == nil:
		fault = "it needs Init"
	case len(m.Commands) == 0:
		fault = "it has no Commands"
	case m.Length < 0 || m.Clients < 0 || m.Branch < 0:
		fault = fmt.Sprintf("Length is %d, Clients %d, Branch %d: use numbers of at least 1, or zero for the default", m.Length, m.Clients, m.Branch)
	case m.Clients > mostClients:
		fault = fmt.Sprintf("Clients is %d: use at most %d", m.Clients, mostClients)
	}
	for _, c := range m.Commands {
		if c.fault != "" {
			fault = c.fault
		} else if c.draw == nil {
			fault = "a Command is the zero Command: make it with Op.Command"
		}
	}
	if fault != "" {
		t.Report(&pulse.Failure{Kind: pulse.KindMisuse, Step: -1, Text: m.title() + ": " + fault})
	}
}
