package machine

import (
	"fmt"
	"time"

	"github.com/jostle-go/jostle/pulse"
)

// An Output collects the effects that a step asks for. When Step has returned,
// the effects happen in the order of the calls. A crash may come between any
// two effects. To test a Machine without a system, pass a zero Output to Step
// and read its Effects.
type Output[M any] struct {
	list []Effect[M]
	ctx  *pulse.Ctx // the context of the step; nil outside of a system
}

// A Kind says what an Effect is.
type Kind uint8

const (
	Send      Kind = iota // sends Msg to the node or client with number To
	Write                 // writes Value to the disk, under Name
	Sync                  // makes the writes so far safe from a crash
	SyncLater             // syncs the disk in a later step, in which the node receives Msg
	After                 // sends Msg to the node itself after D
	Log                   // adds Name as a line to the trace
	Do                    // calls Call
)

var kinds = [...]string{Send: "send", Write: "write", Sync: "sync", SyncLater: "sync later", After: "after", Log: "log", Do: "do"}

func (k Kind) String() string { return kinds[k] }

// An Effect is one effect that an Output asks for. The comment of each Kind says
// which fields are set.
type Effect[M any] struct {
	Kind  Kind
	To    int
	Msg   M
	Name  string
	Value any
	D     time.Duration
	Call  func()
}

// Send sends a message to the node or client with the number. A node may send to
// itself. A message to number 0 is lost, because the test receives nothing.
func (o *Output[M]) Send(to int, msg M) {
	o.list = append(o.list, Effect[M]{Kind: Send, To: to, Msg: msg})
}

// Write writes a value to the node's disk under a name. The value must not be changed
// afterwards. A nil value removes the name.
func (o *Output[M]) Write(name string, value any) {
	o.list = append(o.list, Effect[M]{Kind: Write, Name: name, Value: value})
}

// Sync makes all writes so far safe from a crash.
func (o *Output[M]) Sync() { o.list = append(o.list, Effect[M]{Kind: Sync}) }

// SyncLater syncs the disk in a later step, in which the node receives msg from
// itself. A crash may come before or after that step. Several SyncLaters are done in
// order. The sync covers all writes made before that step.
func (o *Output[M]) SyncLater(msg M) {
	o.list = append(o.list, Effect[M]{Kind: SyncLater, Msg: msg})
}

// After sends the node a message from itself when d of virtual time has passed.
func (o *Output[M]) After(d time.Duration, msg M) {
	o.list = append(o.list, Effect[M]{Kind: After, Msg: msg, D: d})
}

// Log adds a line to the trace.
func (o *Output[M]) Log(line string) { o.list = append(o.list, Effect[M]{Kind: Log, Name: line}) }

// Do calls a function after all earlier effects. Use it for code that checks a run.
// The function is not part of the node, and must change nothing that a node sees.
func (o *Output[M]) Do(call func()) { o.list = append(o.list, Effect[M]{Kind: Do, Call: call}) }

// Choose returns a number from 0 to n-1 that the strategy chooses. Use it for a
// node's random decisions. Unlike the other methods of Output, Choose acts
// immediately. Outside of a system it returns 0.
func (o *Output[M]) Choose(n int) int {
	if o.ctx == nil {
		return 0
	}
	return o.ctx.Choose(n)
}

// Effects returns the effects in order. The list is valid until the Output is used
// again.
func (o *Output[M]) Effects() []Effect[M] { return o.list }

// carryOut performs the effects that the step has asked for.
func (n *node[M]) carryOut(ctx *pulse.Ctx) {
	first := true
	for i := range n.out.list {
		e := &n.out.list[i]
		if e.Kind < Log { // a crash before a Log or a Do would make no difference
			if !first {
				ctx.MayCrash()
			}
			first = false
		}
		switch e.Kind {
		case Send:
			n.send(ctx, e)
		case Write:
			ctx.Disk().Write(e.Name, e.Value)
		case Sync:
			ctx.Disk().Sync()
		case SyncLater:
			n.syncs = append(n.syncs, e.Msg)
			ctx.Send(ctx.Self(), synced{})
		case After:
			ctx.After(e.D, timer[M]{e.Msg})
		case Log:
			ctx.Log("%s", e.Name)
		case Do:
			e.Call()
		}
	}
}

func (n *node[M]) send(ctx *pulse.Ctx, e *Effect[M]) {
	refs := n.cluster.refs
	switch to := e.To; {
	case to == 0:
	case to >= 1 && to <= len(refs):
		ctx.Send(refs[to-1], e.Msg)
	case to > len(refs) && to <= len(refs)+len(n.clients):
		ctx.Send(n.clients[to-len(refs)-1], e.Msg)
	default:
		known := "it knows no clients"
		if len(n.clients) > 0 {
			known = fmt.Sprintf("its clients %d to %d", len(refs)+1, len(refs)+len(n.clients))
		}
		panic(fmt.Sprintf("machine: node %d sends to %d: the nodes are 1 to %d, and %s", n.id, to, len(refs), known))
	}
}
