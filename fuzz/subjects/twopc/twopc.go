// Package twopc is an example program with a known bug. Its property: a transaction is
// decided, and all participants decide the same.
//
// The two mistakes are common in collections of broken protocols; the program, a
// two-phase commit, is ours.
//
// A client gives work to participants. Each participant joins the transaction at the
// coordinator, and then tells the client that it is done. When all are done, the client
// tells the coordinator to commit. The coordinator then asks those who have joined for
// their votes. It commits if all vote for it, and aborts if one votes against it. A
// participant that votes against the transaction aborts at once.
//
// In the first broken form the coordinator commits when all but one have voted for it. A vote
// against it that comes last is too late. Then one participant has aborted and the others
// commit. Subject.Depth is 1: at the coordinator, the vote against comes after the others.
//
// In the second broken form (Config.Stuck), the coordinator ignores joins that come
// after the message to commit. A participant whose join is ignored is never asked to
// vote, and the coordinator waits for its vote forever. Subject.Depth is 1: at the
// coordinator, commit comes before join.
package twopc

import (
	"fmt"

	"github.com/jostle-go/jostle/pulse"
)

// Config chooses the program to build. The zero value is the first broken form
// with three participants, of which the first votes against.
type Config struct {
	// Votes are the participants' votes, true for committing. Nil means one
	// against and two for it.
	Votes  []bool
	Stuck  bool // chooses the second broken form
	Mended bool
}

type (
	begin   struct{} // sent from the test to the client
	work    struct{} // sent from the client to participants
	join    struct{} // sent from a participant to the coordinator
	done    struct{} // sent from a participant to the client
	commit  struct{ participants int }
	prepare struct{} // sent from the coordinator to participants
	vote    struct{ yes bool }
	outcome struct{ commit bool } // sent from the coordinator to participants
)

// Build adds the program to a system. After the run, check returns an error if the
// property does not hold.
func (c Config) Build(sys *pulse.System) (check func() error) {
	t := c.start(sys)
	return func() error {
		if !t.decided() {
			return fmt.Errorf("the transaction is never decided")
		}
		return t.atomic()
	}
}

// A transaction holds the coordinator and the participants of a program.
type transaction struct {
	coordinator  *coordinator
	participants []*participant
}

// start adds the program to a system.
func (c Config) start(sys *pulse.System) transaction {
	votes := c.Votes
	if votes == nil {
		votes = []bool{false, true, true}
	}
	t := transaction{&coordinator{}, make([]*participant, len(votes))}
	if !c.Mended {
		t.coordinator.hasty, t.coordinator.deaf = !c.Stuck, c.Stuck
	}
	co := sys.Spawn("coordinator", t.coordinator)
	cl := &client{coordinator: co, participants: make([]pulse.Ref, len(votes))}
	for i, yes := range votes {
		t.participants[i] = &participant{coordinator: co, yes: yes}
		cl.participants[i] = sys.Spawn("participant", t.participants[i])
	}
	sys.Send(sys.Spawn("client", cl), begin{})
	return t
}

// decided reports whether each participant knows whether to commit.
func (t transaction) decided() bool {
	for _, p := range t.participants {
		if p.state == working {
			return false
		}
	}
	return true
}

// atomic returns an error unless all participants that have decided agree.
func (t transaction) atomic() error {
	for i, p := range t.participants {
		for j, q := range t.participants {
			if p.state == committed && q.state == aborted {
				return fmt.Errorf("participant %d has committed, participant %d has aborted", i+1, j+1)
			}
		}
	}
	return nil
}

// A client gives out work and asks the coordinator to commit it.
type client struct {
	coordinator  pulse.Ref
	participants []pulse.Ref
	done         int
}

func (c *client) Receive(ctx *pulse.Ctx, msg any) {
	switch msg.(type) {
	case begin:
		for _, p := range c.participants {
			ctx.Send(p, work{})
		}
	case done:
		c.done++
		if c.done == len(c.participants) {
			ctx.Send(c.coordinator, commit{c.done})
		}
	}
}

// state is the decision of a participant.
type state uint8

const (
	working state = iota
	committed
	aborted
)

// A participant does some of the work.
type participant struct {
	coordinator pulse.Ref
	yes         bool
	state       state
}

func (p *participant) Receive(ctx *pulse.Ctx, msg any) {
	switch msg := msg.(type) {
	case work:
		ctx.Send(p.coordinator, join{})
		ctx.Reply(done{})
	case prepare:
		if !p.yes {
			p.state = aborted
		}
		ctx.Reply(vote{p.yes})
	case outcome:
		switch {
		case p.state != working:
		case msg.commit:
			p.state = committed
		default:
			p.state = aborted
		}
	}
}

// A coordinator decides whether to commit. Receive is its behavior until it is told to commit.
type coordinator struct {
	joined      []pulse.Ref
	needed, yes int  // the number of votes for the transaction that must come, and the number that have come
	hasty       bool // set if the coordinator does not wait for the last vote
	deaf        bool // set if the coordinator ignores joins while it waits for votes
	over        bool // set once the coordinator has decided
	commits     bool // set if the coordinator has decided to commit
}

func (c *coordinator) Receive(ctx *pulse.Ctx, msg any) {
	switch msg := msg.(type) {
	case join:
		c.joined = append(c.joined, ctx.Sender())
	case commit:
		c.needed = msg.participants
		if c.hasty {
			c.needed--
		}
		ctx.Become(pulse.Func(c.voting))
		for _, p := range c.joined {
			ctx.Send(p, prepare{})
		}
	}
}

// voting is the behavior of the coordinator after it is told to commit.
func (c *coordinator) voting(ctx *pulse.Ctx, msg any) {
	switch msg := msg.(type) {
	case join:
		if !c.deaf {
			c.joinLate(ctx)
		}
	case vote:
		if msg.yes {
			c.yes++
		}
		if !c.over && (!msg.yes || c.yes == c.needed) {
			c.decide(ctx, msg.yes)
		}
	}
}

// joinLate asks a late participant for its vote, or tells it the decision.
func (c *coordinator) joinLate(ctx *pulse.Ctx) {
	c.joined = append(c.joined, ctx.Sender())
	if c.over {
		ctx.Reply(outcome{c.commits})
		return
	}
	ctx.Reply(prepare{})
}

func (c *coordinator) decide(ctx *pulse.Ctx, commit bool) {
	c.over, c.commits = true, commit
	for _, p := range c.joined {
		ctx.Send(p, outcome{commit})
	}
}
