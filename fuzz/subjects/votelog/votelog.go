// Package votelog is an example program with a known bug. Its property: a transaction has one
// outcome.
//
// The kind of bug: a recovery relies on its new log before the new log has the contents of the
// old one. A second crash then loses them. Pull request 9922 of RocksDB
// (github.com/facebook/rocksdb), "Persist the new MANIFEST after successfully syncing the new
// WAL during recovery", fixes such a bug. The program is ours.
//
// Coordinators run a transaction each, by two-phase commit. A coordinator writes each vote to
// its log. It commits when it has all votes, or finds all of them in its log. A recovery reads
// the log and begins a new log, which the next recovery reads. It asks for the votes that it
// lacks. A participant that has heard of the outcome forgets the transaction. If it is asked
// for its vote after that, it votes against, because it does not know the transaction.
//
// In the broken form a recovery begins the new log first, and copies the old votes later, by a
// message to itself. It may crash before it has copied them. Then the second recovery does not
// have these votes, and asks for them again. If the coordinator has committed meanwhile or
// before, the second recovery aborts the committed transaction. In the mended form a new log
// begins with the votes of the old log.
//
// The mended form is correct. A coordinator commits only when its log has all votes. All later
// logs have them, too, so no later recovery asks for a vote. A participant that was asked
// before that gets the question before the outcome, so it votes for the transaction.
//
// Subject.Depth is 3, the least that random runs have shown, with two crashes and restarts
// of one coordinator. Some votes must come before the first crash. The second crash must
// come before the copy, and after all votes have come.
package votelog

import (
	"fmt"
	"slices"

	"github.com/jostle-go/jostle/pulse"
)

// Config chooses the program to build. The zero value is the broken form with three
// participants and two transactions.
type Config struct {
	Participants int // 0 means 3
	Transactions int // the transactions, each with a coordinator; 0 means 2
	Mended       bool
}

// Options returns the options of a system in which the bug can occur: two coordinators may
// crash and restart, or one of them twice.
func Options() pulse.Options {
	return pulse.Options{Faults: pulse.Faults{Crash: 2, RestartLost: 2}}
}

type (
	begin   struct{}              // sent from the test to the coordinator
	prepare struct{}              // sent from the coordinator to a participant
	vote    struct{ yes bool }    // sent from a participant to the coordinator
	decided struct{ commit bool } // sent from the coordinator to the participants and the client
	move    struct{}              // sent from the coordinator to itself, to copy the votes to the new log

	force  struct{ coordinator pulse.Ref } // sent from a participant to its disk
	forced struct{ coordinator pulse.Ref } // sent from the disk to the participant
)

// Build adds the program to a system. After the run, check returns an error if the
// property does not hold.
func (c Config) Build(sys *pulse.System) (check func() error) {
	count, transactions := c.Participants, c.Transactions
	if count == 0 {
		count = 3
	}
	if transactions == 0 {
		transactions = 2
	}
	participants := make([]pulse.Ref, count)
	for i := range participants {
		disk := sys.SpawnSpec(pulse.Spec{Name: "disk", Actor: pulse.Func(forces), Safe: true})
		participants[i] = sys.SpawnSpec(pulse.Spec{Name: "participant", Actor: &participant{disk: disk}, Safe: true})
	}
	clients := make([]*client, transactions)
	for i := range clients {
		clients[i] = &client{}
		ref := sys.SpawnSpec(pulse.Spec{Name: "client", Actor: clients[i], Safe: true})
		sys.Send(sys.SpawnSpec(pulse.Spec{Name: "coordinator", New: func() pulse.Actor {
			return &coordinator{client: ref, participants: participants, hasty: !c.Mended}
		}}), begin{})
	}
	return func() error {
		for i, cl := range clients {
			if cl.committed && cl.aborted {
				return fmt.Errorf("transaction %d has committed and has aborted", i+1)
			}
		}
		return nil
	}
}

// A client hears of the outcome of its transaction, possibly more than once.
type client struct{ committed, aborted bool }

func (c *client) Receive(_ *pulse.Ctx, msg any) {
	commit := msg.(decided).commit
	c.committed, c.aborted = c.committed || commit, c.aborted || !commit
}

// forces is the handler of an actor that stands for a participant's disk.
func forces(ctx *pulse.Ctx, msg any) { ctx.Reply(forced(msg.(force))) }

// A participant is prepared once its disk has stored that it is prepared. It forgets the
// transaction when it hears of the outcome.
type participant struct {
	disk pulse.Ref
	over []pulse.Ref // the coordinators of the transactions that the participant has forgotten
}

func (p *participant) Receive(ctx *pulse.Ctx, msg any) {
	switch msg := msg.(type) {
	case prepare:
		if slices.Contains(p.over, ctx.Sender()) {
			ctx.Reply(vote{false})
			return
		}
		ctx.Send(p.disk, force{ctx.Sender()})
	case forced:
		ctx.Send(msg.coordinator, vote{true})
	case decided:
		p.over = append(p.over, ctx.Sender())
	}
}

// A coordinator has the votes in memory and in a log on its disk. A list of votes is never
// changed in place.
type coordinator struct {
	client       pulse.Ref
	participants []pulse.Ref
	log          int         // the number of the current log; each recovery begins a new log
	votes        []pulse.Ref // the participants that have voted for the transaction
	written      []pulse.Ref // the votes in the log
	over         bool        // set once the coordinator has decided
	hasty        bool        // set in the broken form: a recovery begins a new log before it copies the old one
}

// name is the name of a log on the disk.
func name(log int) string { return fmt.Sprint("votes ", log) }

// Started recovers from the log, if there is one.
func (c *coordinator) Started(ctx *pulse.Ctx, how pulse.Start) {
	if how == pulse.StartNew {
		return
	}
	if log, ok := ctx.Disk().Read("log"); ok {
		c.log = log.(int)
	}
	if votes, ok := ctx.Disk().Read(name(c.log)); ok {
		c.votes = votes.([]pulse.Ref)
	}
	c.log++
	if c.hasty {
		ctx.Disk().Write("log", c.log)
		ctx.Disk().Sync()
		ctx.Send(ctx.Self(), move{})
	} else {
		c.copy(ctx)
	}
	c.ask(ctx)
	c.decide(ctx)
}

func (c *coordinator) Receive(ctx *pulse.Ctx, msg any) {
	switch msg := msg.(type) {
	case begin:
		c.ask(ctx)
	case move:
		c.copy(ctx)
	case vote:
		if c.over || slices.Contains(c.votes, ctx.Sender()) {
			return
		}
		if !msg.yes {
			c.tell(ctx, false)
			return
		}
		c.votes = append(slices.Clone(c.votes), ctx.Sender())
		c.written = append(slices.Clone(c.written), ctx.Sender())
		c.write(ctx)
		c.decide(ctx)
	}
}

// copy writes all votes to the log.
func (c *coordinator) copy(ctx *pulse.Ctx) {
	c.written = c.votes
	c.write(ctx)
}

func (c *coordinator) write(ctx *pulse.Ctx) {
	ctx.Disk().Write(name(c.log), c.written)
	ctx.Disk().Write("log", c.log)
	ctx.Disk().Sync()
}

// ask asks for the votes that the coordinator lacks.
func (c *coordinator) ask(ctx *pulse.Ctx) {
	for _, p := range c.participants {
		if !slices.Contains(c.votes, p) {
			ctx.Send(p, prepare{})
		}
	}
}

// decide commits when the coordinator has all votes.
func (c *coordinator) decide(ctx *pulse.Ctx) {
	if len(c.votes) == len(c.participants) {
		c.tell(ctx, true)
	}
}

// tell tells the participants and the client of the outcome.
func (c *coordinator) tell(ctx *pulse.Ctx, commit bool) {
	c.over = true
	for _, p := range c.participants {
		ctx.Send(p, decided{commit})
	}
	ctx.Send(c.client, decided{commit})
}
