package pulse

import (
	"fmt"
	"reflect"

	"github.com/jostle-go/jostle/pulse/stack"
)

// A Kind is the kind of a failure.
type Kind uint8

const (
	// KindProperty: a property does not hold.
	KindProperty Kind = iota
	// KindPanic: a handler or a process panicked and no supervisor handled it.
	KindPanic
	// KindStuck: nothing more can happen and an actor waits for a message that
	// cannot come.
	KindStuck
	// KindOrphans: messages were sent to actors that had ended.
	KindOrphans
	// KindBudget: the run took too many steps, sent too many messages, or
	// filled a mailbox with OnFullFail.
	KindBudget
	// KindEventuality: something that must happen eventually never did.
	KindEventuality
	// KindIsolation: a message was changed after it was sent.
	KindIsolation
	// KindNondeterminism: a run with the same decisions went differently.
	KindNondeterminism
	// KindMisuse: the program misused the system.
	KindMisuse
	// KindStrategy: the strategy returned an invalid answer.
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

// A Failure describes how a run failed.
type Failure struct {
	Kind   Kind
	Text   string // what happened, in one line
	Detail string // more lines, each indented by four spaces; may be empty
	Advice string // what may help, in one line; mostly empty
	// Format is the format string of Text, such as "stored %d of %d results".
	// It is "" if Text was not formatted.
	Format string
	Site   string       // what failed, as a part of the signature: a function or, for a failure without one, for example a message type or an actor's name
	Line   string       // the line that failed, such as "writer_test.go:31"; if empty, it is the line of the innermost frame of Stack
	Step   int          // number of the step that failed; -1 if the failure belongs to no step
	Stack  []Frame      // the frames of user code, innermost first; may be empty
	Value  any          // for KindPanic, the panic value
	Waits  []stack.Wait // for KindStuck, what each stuck actor waits for
}

// A Frame is one frame of a stack.
type Frame = stack.Frame

// Error returns Text, and Detail on the lines after it.
func (f *Failure) Error() string {
	if f.Detail == "" {
		return f.Text
	}
	return f.Text + "\n" + f.Detail
}

// setFrames sets f.Stack, f.Site and f.Detail from the frames of user code in
// the stack pcs.
func (f *Failure) setFrames(pcs []uintptr) {
	calls, _ := trimmer.Inner(pcs)
	f.Stack = stack.Frames(calls)
	if len(f.Stack) > 0 {
		f.Site = f.Stack[0].Func
		f.Detail = stack.Lines(f.Stack)
	}
}

// trimmer removes this package's frames from stacks.
var trimmer = stack.NewTrimmer(reflect.TypeFor[System]().PkgPath())

// place returns the line that failed.
func (f *Failure) place() string {
	if f.Line == "" && len(f.Stack) > 0 {
		return f.Stack[0].Place()
	}
	return f.Line
}
