// Package paxoscommit is an example program with a known bug. Its property: at
// most one of two compare-and-set operations on the same value succeeds.
//
// It is similar to CASSANDRA-6023, where replicas store the promised ballot and
// the accepted update as one. The program and this form of the bug are ours.
//
// Coordinators agree by Paxos on the one update of a row. A replica accepts an
// update with the ballot that it has promised, or with a newer ballot. This is
// right. In the broken form the replica stores the accepted update next to the
// promise, and treats a row without a promise as empty. So a replica that accepts
// an update before it has promised anything forgets the update at the next
// request for a promise. In the mended form, accepting a ballot also promises it.
// Messages of different kinds use different connections, so delivery is
// unordered.
//
// Subject.Depth is 1, with three replicas and two coordinators. Three
// reorderings are needed together. At one replica the first proposal comes
// before any request for a promise. At another replica the promise to the second
// coordinator comes before that proposal. At the second coordinator the promises
// of these two replicas come first. Five delays are not enough for a
// delay-bounded search.
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

// Options returns the options of a system in which the bug can occur.
func Options() pulse.Options { return pulse.Options{Delivery: pulse.DeliveryUnordered} }

type (
	set     struct{} // sent from the test to a coordinator
	prepare struct{ ballot int }
	promise struct{ ballot, accepted, value int } // accepted is the ballot with which value was accepted; 0 if none was
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

// oneSucceeds returns an error if two coordinators have committed their own updates.
func oneSucceeds(list []*coordinator) error {
	first := 0
	for _, c := range list {
		switch {
		case !c.committed || c.value != c.own:
		case first == 0:
			first = c.own
		default:
			return fmt.Errorf("the updates from 0 to %d and from 0 to %d have both succeeded", first, c.own)
		}
	}
	return nil
}

// A coordinator tries one ballot to set the value.
type coordinator struct {
	replicas           []pulse.Ref
	ballot             int
	own                int // the value that the coordinator wants to set
	value              int // the proposed value, which is own until the coordinator learns of another value
	highest            int // the highest ballot of which the coordinator has learned a value
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

// A replica stores in a row what it has promised and accepted.
type replica struct {
	promised        int // the promised ballot; 0 if the replica has promised nothing
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
