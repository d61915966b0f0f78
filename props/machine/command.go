package machine

import (
	"reflect"
	"strings"

	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/stack"
	"github.com/jostle-go/jostle/pulse/trace"
)

// An Op is one kind of command. S is the type of the model's state, A the type of the
// arguments (struct{} if there are none), and R the type of the result.
type Op[S, A, R any] struct {
	Name string
	// Args generates the arguments. ArgsIn generates them if they depend on the state.
	// Without a generator, the arguments are the zero A.
	Args   *rapid.Generator[A]
	ArgsIn func(state S) *rapid.Generator[A]
	// ArgsFor generates the arguments if they depend on the client that runs the
	// command. Clients are numbered from 1, as in their names. The client that runs
	// commands alone is number 0. Put the number into the arguments if When, Run, Next
	// or Check need it.
	ArgsFor func(client int, state S) *rapid.Generator[A]
	// When reports whether the command is allowed in a state. Nil means always.
	When func(state S, args A) bool
	// Run runs the command in the client process and returns its result.
	Run func(client *pulse.Process, args A) R
	// Next returns the state after the command. It must not modify the given state. Nil
	// means that the command changes nothing.
	Next func(state S, args A) S
	// Check returns an error if the result is wrong for a command in this state. Nil
	// means that every result is right.
	Check func(state S, args A, result R) error
}

// A Command is an Op without the types of its arguments and result, so that one
// machine can contain Ops of several types. Op.Command returns one.
type Command[S any] struct {
	name  string
	fault string // says what is missing in the Op; "" if nothing is missing
	draw  func(rt *rapid.T, client int, state S) step[S]
}

// A step is a drawn command with its arguments.
type step[S any] struct {
	name  string // the name of the Op
	text  string
	when  func(S) bool
	run   func(*pulse.Process) any
	next  func(S) S
	check func(S, any) error
	judge pulse.Frame // the place where Op.Check is declared
}

// String returns the command as a call, such as "add(3)".
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

// show returns arguments as text. For a struct it omits the type name.
func show(args any) string {
	text := trace.Label(args)
	if t := reflect.TypeOf(args); t == nil || t.Kind() != reflect.Struct {
		return text
	}
	_, text, _ = strings.Cut(text, "(")
	return strings.TrimSuffix(text, ")")
}
