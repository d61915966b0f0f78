// Package zabnewleader is an example program with a known bug. Its property: the log
// of the next leader contains all committed entries.
//
// It comes from ZOOKEEPER-4646, "Committed txns may still be lost if followers
// crash after replying ACK of NEWLEADER but before writing txns to disk". The
// program is ours.
//
// A leader brings its followers up to its log and then sends them NEWLEADER. When a
// majority, including the leader itself, has acknowledged NEWLEADER, all of the
// leader's log is committed. A follower has a queue of entries that it must write,
// which are messages to itself. In the broken form it acknowledges NEWLEADER while
// earlier entries are still in the queue. If it then crashes and restarts, it lacks
// these entries. If the leader crashes too, the followers agree on a log without the
// committed entries, unless the other follower has them. In the mended form the
// acknowledgment goes through the queue as well.
//
// Subject.Depth is 0, with two crashes and a restart, because the oldest-first order
// does not contain the messages that must move. The other follower must be asked for
// its log before it gets the old leader's entries. The first follower must
// acknowledge before it has written, crash before it writes, and restart. The leader
// must crash after it has received the acknowledgment.
package zabnewleader

import (
	"fmt"

	"github.com/jostle-go/jostle/pulse"
)

// Config chooses the program to build. The zero value is the broken form with
// two followers and one entry.
type Config struct {
	Followers int // 0 means 2
	Entries   int // the number of entries in the leader's log; 0 means 1
	Mended    bool
}

// Options returns the options of a system in which the bug can occur: the leader and a
// follower may crash, and one of them may restart.
func Options() pulse.Options {
	return pulse.Options{Faults: pulse.Faults{Crash: 2, RestartLost: 1}}
}

type (
	begin     struct{}           // sent from the test to the leader
	entry     struct{ zxid int } // sent from the leader to a follower, which also sends it to itself as its queue
	newLeader struct{}           // sent like entry, after the last entry
	ack       struct{}           // sent from a follower to the leader
	committed struct{ zxid int } // sent from the leader to the client

	hello  struct{}           // sent from a restarted follower to the electors
	report struct{}           // sent from the electors to a follower
	log    struct{ zxid int } // sent from a follower to the electors
)

// Build adds the program to a system. After the run, check returns an error if the
// property does not hold.
func (c Config) Build(sys *pulse.System) (check func() error) {
	count, entries := c.Followers, max(c.Entries, 1)
	if count == 0 {
		count = 2
	}
	cl := &client{}
	l := &leader{client: sys.SpawnSpec(pulse.Spec{Name: "client", Actor: cl, Safe: true}), entries: entries}
	e := &electors{majority: (count+1)/2 + 1}
	jury := sys.SpawnSpec(pulse.Spec{Name: "electors", Actor: e, Safe: true})
	for range count {
		l.followers = append(l.followers, sys.SpawnSpec(pulse.Spec{
			Name: "follower",
			New:  func() pulse.Actor { return &follower{electors: jury, hasty: !c.Mended} },
		}))
	}
	e.leader, e.followers = sys.Spawn("leader", l), l.followers
	sys.Send(jury, begin{})
	sys.Send(e.leader, begin{})
	return func() error {
		if e.elected && e.zxid < cl.zxid {
			return fmt.Errorf("the new leader has entries up to %d, but entries up to %d were committed", e.zxid, cl.zxid)
		}
		return nil
	}
}

// A client knows up to which entry (zxid) the log is committed.
type client struct{ zxid int }

func (c *client) Receive(_ *pulse.Ctx, msg any) { c.zxid = msg.(committed).zxid }

// A leader is the leader at the beginning of the run.
type leader struct {
	client    pulse.Ref
	followers []pulse.Ref
	entries   int
	acks      int
}

func (l *leader) Receive(ctx *pulse.Ctx, msg any) {
	switch msg.(type) {
	case begin:
		for _, f := range l.followers {
			for i := range l.entries {
				ctx.Send(f, entry{i + 1})
			}
			ctx.Send(f, newLeader{})
		}
	case ack:
		if l.acks++; l.acks == (len(l.followers)+1)/2 {
			ctx.Send(l.client, committed{l.entries})
		}
	}
}

// A follower stores its log on its disk.
type follower struct {
	electors pulse.Ref
	leader   pulse.Ref // the leader that has sent entries to this follower
	zxid     int       // the number of the last received entry, which may still be in the queue
	reported bool      // set once the follower no longer follows the old leader
	hasty    bool      // set in the broken form: the follower acknowledges entries that are still in the queue
}

// Started reads the log. A follower that has restarted reports to the electors.
func (f *follower) Started(ctx *pulse.Ctx, how pulse.Start) {
	if zxid, ok := ctx.Disk().Read("log"); ok {
		f.zxid = zxid.(int)
	}
	if how == pulse.StartLost {
		f.reported = true
		ctx.Send(f.electors, hello{})
	}
}

func (f *follower) Receive(ctx *pulse.Ctx, msg any) {
	switch msg := msg.(type) {
	case report:
		f.reported = true
		ctx.Reply(log{f.zxid})
	case entry:
		if ctx.Sender() == ctx.Self() {
			ctx.Disk().Write("log", msg.zxid)
			ctx.Disk().Sync()
		} else if !f.reported {
			f.leader, f.zxid = ctx.Sender(), msg.zxid
			ctx.Send(ctx.Self(), msg)
		}
	case newLeader:
		switch {
		case f.reported:
		case f.hasty || ctx.Sender() == ctx.Self():
			ctx.Send(f.leader, ack{})
		default:
			ctx.Send(ctx.Self(), msg)
		}
	}
}

// The electors represent the election after the leader is gone. A majority of all
// servers agrees on the longest log that any server of this majority has.
type electors struct {
	leader    pulse.Ref
	followers []pulse.Ref
	majority  int
	gone      bool // the leader is gone
	heard     []pulse.Ref
	elected   bool
	zxid      int // the last index of the longest log so far
}

func (e *electors) Receive(ctx *pulse.Ctx, msg any) {
	switch msg := msg.(type) {
	case begin:
		ctx.Watch(e.leader)
	case pulse.Down:
		e.gone = true
		for _, f := range e.followers {
			ctx.Send(f, report{})
		}
	case hello:
		if e.gone {
			ctx.Reply(report{})
		}
	case log:
		e.hear(ctx.Sender(), msg.zxid)
	}
}

func (e *electors) hear(from pulse.Ref, zxid int) {
	for _, f := range e.heard {
		if f == from {
			return
		}
	}
	if e.elected {
		return
	}
	e.heard, e.zxid = append(e.heard, from), max(e.zxid, zxid)
	e.elected = len(e.heard) == e.majority
}
