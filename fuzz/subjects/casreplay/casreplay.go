// Package casreplay is an example program with a known bug. Its property: an update that was
// followed by another does not come back.
//
// It is CASSANDRA-6023, "CAS should distinguish promised and accepted ballots". Others have
// used the same bug to measure random scheduling (Ozkan et al., OOPSLA 2018). The program is
// ours.
//
// Coordinators update a row, each with one ballot of Paxos. A coordinator asks the replicas for
// promises. If a replica has accepted an update that is newer than the last committed update,
// the coordinator continues with the accepted update. Otherwise it proposes its own. Then it
// tells all replicas which update is committed. A replica drops its accepted update when that
// update is committed, unless the replica has promised a newer ballot meanwhile. In the broken
// form a replica stores only the ballot that it promised last, and not the ballot with which it
// accepted the update. So an old update that the replica still has looks newer than all
// committed updates. The third coordinator commits the first update again, after the second.
//
// Subject.Depth is 0, because the oldest-first order does not contain the messages that must
// move. Four reorderings are needed together. At a majority the first commit comes before the
// promise to the second coordinator. At one more replica the first commit comes after that
// promise. At the same replica the promise to the third coordinator comes before the second
// update. At another replica the second commit comes before the promise to the third
// coordinator. Three delays are not enough for a delay-bounded search.
package casreplay

import (
	"fmt"
	"slices"

	"github.com/jostle-go/jostle/pulse"
)

// Config chooses the program to build. The zero value is the broken form with
// three replicas and three coordinators.
type Config struct {
	Replicas     int // 0 means 3
	Coordinators int // 0 means 3
	Mended       bool
}

type (
	update  struct{} // sent from the test to the first coordinator, and from that one to the other coordinators
	prepare struct{ ballot int }
	promise struct {
		ballot    int
		accepted  state
		committed state
	}
	propose struct{ update state }
	accept  struct{ ballot int }
	commit  struct{ update state }
)

// A state is an update and its ballot. Ballot 0 means no update.
type state struct{ ballot, value int }

// Build adds the program to a system. After the run, check returns an error if the
// property does not hold.
func (c Config) Build(sys *pulse.System) (check func() error) {
	n, m := c.Replicas, c.Coordinators
	if n == 0 {
		n = 3
	}
	if m == 0 {
		m = 3
	}
	replicas := make([]pulse.Ref, n)
	for i := range replicas {
		replicas[i] = sys.Spawn("replica", &replica{mixes: !c.Mended})
	}
	list := make([]*coordinator, m)
	refs := make([]pulse.Ref, m)
	for i := range list {
		list[i] = &coordinator{replicas: replicas, update: state{i + 1, i + 1}}
		refs[i] = sys.Spawn("coordinator", list[i])
	}
	list[0].others = refs[1:]
	sys.Send(refs[0], update{})
	return func() error { return noneComesBack(list) }
}

// noneComesBack returns an error if an update was committed, then another, and then
// the first again, in the order of ballots.
func noneComesBack(list []*coordinator) error {
	var seen []int
	for _, c := range list { // in the order of ballots
		v := c.update.value
		if !c.committed || len(seen) > 0 && seen[len(seen)-1] == v {
			continue
		}
		if slices.Contains(seen, v) {
			return fmt.Errorf("update %d was committed again after %v", v, seen)
		}
		seen = append(seen, v)
	}
	return nil
}

// A coordinator tries one ballot.
type coordinator struct {
	replicas          []pulse.Ref
	others            []pulse.Ref // the coordinators that the first coordinator starts when it is done; nil at all others
	update            state       // the coordinator's own update, or another update with which it continues
	accepted          state       // the newest accepted update that a replica has reported
	newest            int         // the newest committed ballot that a replica has reported
	promises, accepts int
	committed         bool
}

func (c *coordinator) Receive(ctx *pulse.Ctx, msg any) {
	quorum := len(c.replicas)/2 + 1
	switch msg := msg.(type) {
	case update:
		c.tell(ctx, prepare{c.update.ballot})
	case promise:
		if c.promises++; c.promises > quorum {
			return
		}
		c.newest = max(c.newest, msg.committed.ballot)
		if msg.accepted.value != 0 && msg.accepted.ballot >= c.accepted.ballot {
			c.accepted = msg.accepted
		}
		if c.promises == quorum {
			if c.accepted.ballot > c.newest {
				c.update.value = c.accepted.value
			}
			c.tell(ctx, propose{c.update})
		}
	case accept:
		if c.accepts++; c.accepts == quorum {
			c.committed = true
			c.tell(ctx, commit{c.update})
			for _, o := range c.others {
				ctx.Send(o, update{})
			}
		}
	}
}

func (c *coordinator) tell(ctx *pulse.Ctx, msg any) {
	for _, r := range c.replicas {
		ctx.Send(r, msg)
	}
}

// A replica stores what it has promised, accepted and learned.
type replica struct {
	promised  int   // the ballot that the replica has promised last
	accepted  state // the accepted update; its value is 0 if there is none
	committed state
	mixes     bool // set in the broken form: the promised ballot is stored as the ballot of the accepted update
}

func (r *replica) Receive(ctx *pulse.Ctx, msg any) {
	switch msg := msg.(type) {
	case prepare:
		if msg.ballot > r.promised {
			r.promised = msg.ballot
			if r.mixes {
				r.accepted.ballot = msg.ballot
			}
			ctx.Reply(promise{msg.ballot, r.accepted, r.committed})
		}
	case propose:
		if msg.update.ballot >= r.promised {
			r.promised, r.accepted = msg.update.ballot, msg.update
			ctx.Reply(accept{msg.update.ballot})
		}
	case commit:
		if msg.update.ballot > r.committed.ballot {
			r.committed = msg.update
		}
		if r.accepted.ballot <= msg.update.ballot {
			r.accepted.value = 0
		}
	}
}
