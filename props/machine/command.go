package machine

import (
	"reflect"
	"strings"

	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/stack"
	"github.com/jostle-go/jostle/pulse/trace"
)

// An Op is one kind of command. S is the type of the model's state, A that of
// the arguments (struct{} if there are none), R that of the result.
type Op[S, A, R any] struct {
	Name string
	// Args generates the arguments; ArgsIn does so if they depend on the state.
	// Without a generator, the arguments are the zero A.
	Args   *rapid.Generator[A]
	ArgsIn func(state S) *rapid.Generator[A]
	// ArgsFor does so if they depend on the client that gives the command. When,
	// Run, Next and Check then know the client by the arguments. Clients are
	// numbered from 1 on, as in their names; the one that gives commands alone is
	// client 0.
	ArgsFor func(client int, state S) *rapid.Generator[A]
	// When reports whether the command may be given in a state. Nil means always.
	When func(state S, args A) bool
	// Run gives the command to the program, as a client of it.
	Run func(client *pulse.Process, args A) R
	// Next returns the state after the command. It must not change the state
	// that it is given. Nil means that the command changes nothing.
	Next func(state S, args A) S
	// Check returns an error when the result is wrong for a command given in
	// this state. Nil means that every result is right.
	Check func(state S, args A, result R) error
}

// A Command is an Op with its argument and result types hidden, so that a
// machine can hold several kinds. Op.Command makes one.
type Command[S any] struct {
	name  string
	fault string // what is missing in its Op, "" when nothing is
	draw  func(rt *rapid.T, client int, state S) step[S]
}

// A step is a command with its arguments.
type step[S any] struct {
	name  string // of its Op
	text  string
	when  func(S) bool
	run   func(*pulse.Process) any
	next  func(S) S
	check func(S, any) error
	judge pulse.Frame // where Op.Check is declared
}

// String returns the command as a call: "add(3)".
func (s step[S]) String() string { return s.text }

// Command returns the Op as a command of a machine.
func (o Op[S, A, R]) Command() Command[S] {
	c := Command[S]{name: o.Name, draw: o.draw}
	switch {
	case o.Name == "":
		c.fault = "an Op needs a Name"
	case o.Run == nil:
		c.fault = "Op " + o.Name + " needs Run"
	case o.ArgsFor != nil && (o.Args != nil || o.ArgsIn != nil):
		c.fault = "Op " + o.Name + " has ArgsFor and another generator of arguments: leave one of them out"
	}
	return c
}

func (o Op[S, A, R]) draw(rt *rapid.T, client int, state S) step[S] {
	var args A
	gen := o.Args
	switch {
	case o.ArgsFor != nil:
		gen = o.ArgsFor(client, state)
	case o.ArgsIn != nil:
		gen = o.ArgsIn(state)
	}
	if gen != nil {
		args = gen.Draw(rt, o.Name)
	}
	s := step[S]{name: o.Name, text: o.Name + "(" + show(args) + ")", run: func(p *pulse.Process) any { return o.Run(p, args) }}
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

// show returns arguments as text, the fields of a struct without its name.
func show(args any) string {
	text := trace.Label(args)
	if t := reflect.TypeOf(args); t == nil || t.Kind() != reflect.Struct {
		return text
	}
	_, text, _ = strings.Cut(text, "(")
	return strings.TrimSuffix(text, ")")
}
