package machine

import (
	"time"

	"github.com/jostle-go/jostle/pulse"
)

// An Output collects the effects that a step asks for. They happen in the order of
// the calls when Step has returned, and a crash may come between any two. The zero
// Output is empty: code that is tested without a system makes its own, and reads it
// by Effects.
type Output[M any] struct {
	list []Effect[M]
	ctx  *pulse.Ctx // of the step; nil outside of a system
}

// A Kind says what an Effect is.
type Kind uint8

const (
	Send      Kind = iota // Msg to node or client To
	Write                 // Value to the disk, under Name
	Sync                  // makes the writes so far safe
	SyncLater             // a Sync in a later step, in which the node receives Msg
	After                 // Msg to the node itself after D
	Log                   // Name as a line of the trace
	Do                    // calls Call
)

var kinds = [...]string{Send: "send", Write: "write", Sync: "sync", SyncLater: "sync later", After: "after", Log: "log", Do: "do"}

func (k Kind) String() string { return kinds[k] }

// An Effect is one thing that an Output asks for. The comments of the kinds say which
// fields are set.
type Effect[M any] struct {
	Kind  Kind
	To    int
	Msg   M
	Name  string
	Value any
	D     time.Duration
	Call  func()
}

// Send sends a message to a node, or to a client by its number. A node may send to
// itself. A message to number 0 is lost: the test receives nothing.
func (o *Output[M]) Send(to int, msg M) {
	o.list = append(o.list, Effect[M]{Kind: Send, To: to, Msg: msg})
}

// Write puts a value on the node's disk under a name. The value must not be changed
// afterwards. A nil value removes the name.
func (o *Output[M]) Write(name string, value any) {
	o.list = append(o.list, Effect[M]{Kind: Write, Name: name, Value: value})
}

// Sync makes all writes so far safe.
func (o *Output[M]) Sync() { o.list = append(o.list, Effect[M]{Kind: Sync}) }

// SyncLater makes the writes so far safe in a later step, in which the node receives
// msg from itself. A crash may come before that step or after it. Several SyncLaters
// are done in order. Writes made before that step become safe, too.
func (o *Output[M]) SyncLater(msg M) {
	o.list = append(o.list, Effect[M]{Kind: SyncLater, Msg: msg})
}

// After sends the node a message from itself when d of virtual time has passed.
func (o *Output[M]) After(d time.Duration, msg M) {
	o.list = append(o.list, Effect[M]{Kind: After, Msg: msg, D: d})
}

// Log adds a line to the trace.
func (o *Output[M]) Log(line string) { o.list = append(o.list, Effect[M]{Kind: Log, Name: line}) }

// Do calls a function after all effects before it, for code that judges a run. The
// function is not part of the node, and must change nothing that a node sees.
func (o *Output[M]) Do(call func()) { o.list = append(o.list, Effect[M]{Kind: Do, Call: call}) }

// Choose returns a number from 0 to n-1, for what a node leaves to chance: the
// strategy decides. Unlike other methods it acts at once. Outside of a system it
// returns 0.
func (o *Output[M]) Choose(n int) int {
	if o.ctx == nil {
		return 0
	}
	return o.ctx.Choose(n)
}

// Effects returns the effects in order. The list is valid until the Output is used
// again.
func (o *Output[M]) Effects() []Effect[M] { return o.list }
