// Package snapshotlate is an example program with a known bug. Its property: the log
// of each later leader contains all committed entries.
//
// It comes from issue 6092 of Camunda (github.com/camunda/camunda), "Snapshot
// install on follower can cause entries to be lost". The program is ours.
//
// A leader has compacted its log. It sends a snapshot to a follower that is behind,
// over a separate connection. When the follower has the snapshot, the leader sends
// the later entries. If the answer is late, the leader sends the snapshot again. In
// the broken form a follower that installs a snapshot drops its whole log, including
// the entries after the snapshot. The follower has acknowledged these entries, so
// they may be committed. They are lost with the leader, if the other follower does
// not have them yet. In the mended form a follower keeps the later entries.
//
// Subject.Depth is 1, with a leader and two followers: at the first follower, the
// second snapshot comes after the entry. Four reorderings are needed together. The
// other follower must time out before it gets the entry. Its request for a vote must
// come after the second snapshot. The leader must decide that the answer is late. A
// delay-bounded search needs at least six delays to trigger the bug.
package snapshotlate

import (
	"fmt"

	"github.com/jostle-go/jostle/pulse"
)

// Config chooses the program to build. The zero value is the broken form with
// two followers and one entry after the snapshot.
type Config struct {
	Followers int // 0 means 2
	Entries   int // the number of entries after the snapshot; 0 means 1
	Mended    bool
}

// last is the index of the last entry of the snapshot.
const last = 10

type (
	begin    struct{}                   // sent from the test to the leader
	late     struct{}                   // sent from the test to the leader, to say that the answer of the first follower is late
	timeout  struct{}                   // sent from the test to a follower
	install  struct{ to pulse.Ref }     // sent from the leader to the connection for snapshots
	snapshot struct{ leader pulse.Ref } // sent from the connection for snapshots to a follower
	entry    struct{ index int }
	has      struct{ index int } // sent from a follower to the leader, with the last index in the follower's log

	requestVote struct{ index int }
	grantVote   struct{}
)

// Build adds the program to a system. After the run, check returns an error if the
// property does not hold.
func (c Config) Build(sys *pulse.System) (check func() error) {
	count, entries := c.Followers, max(c.Entries, 1)
	if count == 0 {
		count = 2
	}
	l := &leader{last: last + entries, committed: last}
	refs, nodes := make([]pulse.Ref, count), make([]*follower, count)
	for i := range nodes {
		nodes[i] = &follower{others: refs, last: last, drops: !c.Mended}
		refs[i] = sys.Spawn("follower", nodes[i])
	}
	nodes[0].last = 0
	l.followers, l.has = refs, make([]int, count)
	l.snapshots = sys.Spawn("snapshots", pulse.Func(func(ctx *pulse.Ctx, msg any) {
		ctx.Send(msg.(install).to, snapshot{ctx.Sender()})
	}))
	ref := sys.Spawn("leader", l)
	sys.Send(ref, begin{})
	sys.Send(ref, late{})
	for _, r := range refs[1:] {
		sys.Send(r, timeout{})
	}
	return func() error {
		for i, f := range nodes {
			if f.elected && f.last < l.committed {
				return fmt.Errorf("follower %d leads with a log up to entry %d, but entry %d was committed", i+1, f.last, l.committed)
			}
		}
		return nil
	}
}

// A leader is the leader at the beginning. The log of the first follower is behind its log.
type leader struct {
	followers []pulse.Ref
	snapshots pulse.Ref
	last      int
	has       []int // the last index that each follower has, as far as the leader knows
	committed int
}

func (l *leader) Receive(ctx *pulse.Ctx, msg any) {
	switch msg := msg.(type) {
	case begin:
		ctx.Send(l.snapshots, install{l.followers[0]})
		for _, f := range l.followers[1:] {
			l.replicate(ctx, f)
		}
	case late:
		if l.has[0] == 0 {
			ctx.Send(l.snapshots, install{l.followers[0]})
		}
	case has:
		l.heard(ctx, msg.index)
	}
}

// heard records the last index of a follower, and commits entries that a majority has.
func (l *leader) heard(ctx *pulse.Ctx, index int) {
	for i, f := range l.followers {
		if f != ctx.Sender() {
			continue
		}
		if index == last && l.has[i] < last {
			l.replicate(ctx, f)
		}
		l.has[i] = max(l.has[i], index)
	}
	for at := l.committed + 1; at <= l.last; at++ {
		n := 1
		for _, h := range l.has {
			if h >= at {
				n++
			}
		}
		if n > (len(l.followers)+1)/2 {
			l.committed = at
		}
	}
}

// replicate sends a follower the entries after the snapshot.
func (l *leader) replicate(ctx *pulse.Ctx, to pulse.Ref) {
	for i := last + 1; i <= l.last; i++ {
		ctx.Send(to, entry{i})
	}
}

// A follower may try once to become the next leader.
type follower struct {
	others  []pulse.Ref // all followers, including itself
	last    int         // the last index in the follower's log
	voted   bool        // set once the follower has voted; it then ignores the first leader
	votes   int
	elected bool
	drops   bool
}

func (f *follower) Receive(ctx *pulse.Ctx, msg any) {
	switch msg := msg.(type) {
	case snapshot:
		if !f.voted && (f.drops || f.last < last) {
			f.last = last
			ctx.Send(msg.leader, has{last})
		}
	case entry:
		if !f.voted && f.last == msg.index-1 {
			f.last = msg.index
			ctx.Reply(has(msg))
		}
	case timeout:
		if !f.voted {
			f.voted, f.votes = true, 1
			for _, o := range f.others {
				if o != ctx.Self() {
					ctx.Send(o, requestVote{f.last})
				}
			}
		}
	case requestVote:
		if !f.voted && msg.index >= f.last {
			f.voted = true
			ctx.Reply(grantVote{})
		}
	case grantVote:
		f.votes++
		f.elected = f.votes > (len(f.others)+1)/2
	}
}
