package pulse

import (
	"fmt"
	"reflect"

	"github.com/jostle-go/jostle/pulse/stack"
)

// A Kind is in what way a run failed.
type Kind uint8

const (
	// KindProperty: what must hold did not.
	KindProperty Kind = iota
	// KindPanic: a handler or a process panicked and no supervisor dealt with it.
	KindPanic
	// KindStuck: the run is at rest and someone waits for what cannot come.
	KindStuck
	// KindOrphans: messages were sent to actors that had ended.
	KindOrphans
	// KindBudget: the run took too many steps, sent too many messages, or filled a
	// mailbox that must not be full.
	KindBudget
	// KindEventuality: what must come about never did.
	KindEventuality
	// KindIsolation: a message was changed after it was sent.
	KindIsolation
	// KindNondeterminism: the same case ran differently.
	KindNondeterminism
	// KindMisuse: the system was used in a way that it cannot be.
	KindMisuse
	// KindStrategy: the strategy gave an answer that the question does not have.
	KindStrategy

	kinds
)

var kindNames = [kinds]string{"property", "panic", "stuck", "orphans", "budget", "eventuality",
	"isolation", "nondeterminism", "misuse", "decision"}

func (k Kind) String() string {
	if k < kinds {
		return kindNames[k]
	}
	return fmt.Sprintf("pulse.Kind(%d)", uint8(k))
}

// A Failure is what a run failed with.
type Failure struct {
	Kind   Kind
	Text   string // what happened, in one line
	Detail string // more lines, each indented by four spaces; may be empty
	// Format is what was said before values were put into it: "stored %d of %d results";
	// "" when Text was not made by a format.
	Format string
	Site   string  // the function that failed, or what stands for it; part of the signature
	Line   string  // the line that failed, "writer_test.go:31"; "" stands for the first of Stack
	Step   int     // the step in which it happened; -1 when in none
	Stack  []Frame // of a panic, cut to the user's code, innermost first
	Value  any     // what was panicked with
}

// A Frame is one line of a stack.
type Frame = stack.Frame

// Error returns the failure in words, on several lines when there is more to say.
func (f *Failure) Error() string {
	if f.Detail == "" {
		return f.Text
	}
	return f.Text + "\n" + f.Detail
}

// setFrames fills Stack, Site and Detail from program counters, by the user's
// code alone.
func (f *Failure) setFrames(pcs []uintptr) {
	calls, _ := trimmer.Inner(pcs)
	f.Stack = stack.Frames(calls)
	if len(f.Stack) > 0 {
		f.Site = f.Stack[0].Func
		f.Detail = stack.Lines(f.Stack)
	}
}

// trimmer leaves this package out of stacks.
var trimmer = stack.NewTrimmer(reflect.TypeFor[System]().PkgPath())
