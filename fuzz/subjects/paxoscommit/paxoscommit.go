// Package paxoscommit is a subject: of two compare-and-set operations on the same
// value one succeeds.
//
// It is similar to CASSANDRA-6023, where replicas store the ballot that they
// promised and the update that they accepted as one. The program and this form of
// the mistake are ours.
//
// Coordinators agree by Paxos on the one update of a row. A replica accepts an
// update with the ballot that it has promised, or with a newer one, which is
// right. In the broken form it stores what it accepts next to the promise, and
// takes a row without a promise for an empty one. So a replica that accepts before
// a late request for a promise comes forgets what it accepted when the next
// coordinator asks for a promise. In the mended form, accepting a ballot promises
// it. Messages of different kinds use different connections, so delivery is
// unordered.
//
// Depth 1 in the messages of plain order, with three replicas and two coordinators.
// Three orders are needed together. At one replica the first proposal comes before
// any request for a promise. At another the promise to the second coordinator comes
// before that proposal. At the second coordinator the promises of these two come
// first. No five delays show it.
package paxoscommit

import (
	"fmt"

	"github.com/jostle-go/jostle/pulse"
)

// Config chooses the program to build. The zero value is the broken form with
// three replicas and two coordinators.
type Config struct {
	Replicas     int // 0 means 3
	Coordinators int // 0 means 2
	Mended       bool
}

// Options returns the options of a system in which the bug can show.
func Options() pulse.Options { return pulse.Options{Delivery: pulse.DeliveryUnordered} }

type (
	set     struct{} // from the test to a coordinator
	prepare struct{ ballot int }
	promise struct{ ballot, accepted, value int } // accepted is a ballot, 0 when there is none
	propose struct{ ballot, value int }
	accept  struct{ ballot int }
)

// Build adds the program to a system. After the run, check returns an error if the
// property does not hold.
func (c Config) Build(sys *pulse.System) (check func() error) {
	n, m := c.Replicas, c.Coordinators
	if n == 0 {
		n = 3
	}
	if m == 0 {
		m = 2
	}
	replicas := make([]pulse.Ref, n)
	for i := range replicas {
		replicas[i] = sys.Spawn("replica", &replica{forgets: !c.Mended})
	}
	list := make([]*coordinator, m)
	for i := range list {
		list[i] = &coordinator{replicas: replicas, ballot: i + 1, own: i + 1, value: i + 1}
		sys.Send(sys.Spawn("coordinator", list[i]), set{})
	}
	return func() error { return oneSucceeds(list) }
}

// oneSucceeds returns an error if two coordinators have committed what they wanted.
func oneSucceeds(list []*coordinator) error {
	first := 0
	for _, c := range list {
		switch {
		case !c.committed || c.value != c.own:
		case first == 0:
			first = c.own
		default:
			return fmt.Errorf("from 0 to %d and from 0 to %d have both succeeded", first, c.own)
		}
	}
	return nil
}

// A coordinator tries one ballot to set the value.
type coordinator struct {
	replicas           []pulse.Ref
	ballot             int
	own                int // what it wants to set
	value              int // what it proposes: its own, until it learns of another
	highest            int // the highest ballot with a value that it has learned of
	promises, accepted int
	committed          bool
}

func (c *coordinator) Receive(ctx *pulse.Ctx, msg any) {
	quorum := len(c.replicas)/2 + 1
	switch msg := msg.(type) {
	case set:
		c.tell(ctx, prepare{c.ballot})
	case promise:
		if c.promises++; c.promises > quorum {
			return
		}
		if msg.accepted > c.highest {
			c.highest, c.value = msg.accepted, msg.value
		}
		if c.promises == quorum {
			c.tell(ctx, propose{c.ballot, c.value})
		}
	case accept:
		c.accepted++
		c.committed = c.accepted >= quorum
	}
}

func (c *coordinator) tell(ctx *pulse.Ctx, msg any) {
	for _, r := range c.replicas {
		ctx.Send(r, msg)
	}
}

// A replica has a row for what it has promised and accepted.
type replica struct {
	promised        int // a ballot; 0 when it has promised nothing
	accepted, value int
	forgets         bool
}

func (r *replica) Receive(ctx *pulse.Ctx, msg any) {
	switch msg := msg.(type) {
	case prepare:
		if r.forgets && r.promised == 0 {
			r.accepted, r.value = 0, 0
		}
		if msg.ballot > r.promised {
			r.promised = msg.ballot
			ctx.Reply(promise{msg.ballot, r.accepted, r.value})
		}
	case propose:
		if msg.ballot < r.promised || msg.ballot < r.accepted {
			return
		}
		r.accepted, r.value = msg.ballot, msg.value
		if !r.forgets {
			r.promised = msg.ballot
		}
		ctx.Reply(accept{msg.ballot})
	}
}
