package machine

import (
	"reflect"
	"strings"

	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/stack"
	"github.com/jostle-go/jostle/pulse/trace"
)

// An Op is one kind of command: S is the model's state, A what the command is
// given, struct{} for nothing, and R what it returns.
type Op[S, A, R any] struct {
	Name string
	// Args generates what the command is given; ArgsIn does when that depends
	// on the state. With neither, it is given the zero A.
	Args   *rapid.Generator[A]
	ArgsIn func(state S) *rapid.Generator[A]
	// When says whether the command may be given in a state; nil: in each.
	When func(state S, args A) bool
	// Run gives the command to the program, as a client of it.
	Run func(client *pulse.Process, args A) R
	// Next returns the state after the command. It leaves the state that it is
	// given as it is. Nil: the command changes nothing.
	Next func(state S, args A) S
	// Check says what is wrong with a result of the command, given in a state.
	// Nil: any result will do.
	Check func(state S, args A, result R) error
}

// A Command is an Op of a machine whose states are S.
type Command[S any] struct {
	name  string
	fault string // why it is no command
	draw  func(rt *rapid.T, state S) step[S]
}

// step is a command with its arguments.
type step[S any] struct {
	text  string
	when  func(S) bool
	run   func(*pulse.Process) any
	next  func(S) S
	check func(S, any) error
	judge pulse.Frame // where check is written
}

// String shows the command as a call.
func (s step[S]) String() string { return s.text }

// Command makes the Op a command of a machine.
func (o Op[S, A, R]) Command() Command[S] {
	c := Command[S]{name: o.Name, draw: o.draw}
	switch {
	case o.Name == "":
		c.fault = "an Op needs a Name"
	case o.Run == nil:
		c.fault = "Op " + o.Name + " needs Run"
	}
	return c
}

func (o Op[S, A, R]) draw(rt *rapid.T, state S) step[S] {
	var args A
	gen := o.Args
	if o.ArgsIn != nil {
		gen = o.ArgsIn(state)
	}
	if gen != nil {
		args = gen.Draw(rt, o.Name)
	}
	s := step[S]{text: o.Name + "(" + show(args) + ")", run: func(p *pulse.Process) any { return o.Run(p, args) }}
	s.when = func(state S) bool { return o.When == nil || o.When(state, args) }
	s.next = func(state S) S {
		if o.Next == nil {
			return state
		}
		return o.Next(state, args)
	}
	s.check = func(state S, result any) error {
		r, _ := result.(R)
		if o.Check == nil {
			return nil
		}
		return o.Check(state, args, r)
	}
	if o.Check != nil {
		s.judge, _ = stack.Begin(o.Check)
	}
	return s
}

// show shows arguments: those of a struct without its name.
func show(args any) string {
	text := trace.Label(args)
	if t := reflect.TypeOf(args); t == nil || t.Kind() != reflect.Struct {
		return text
	}
	_, text, _ = strings.Cut(text, "(")
	return strings.TrimSuffix(text, ")")
}
