package etcdraft

import (
	"fmt"
	"testing"
	"time"

	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/raftpb"
	"google.golang.org/protobuf/proto"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/adapt/machine"
)

// TestNamesOfRecords: all records of one start have different names. Later names
// sort after earlier ones, and the first record's name sorts first.
func TestNamesOfRecords(t *testing.T) {
	for _, boot := range []int{1, 9, 12} {
		var j journal
		j.begin(boot)
		last := bootName
		for i := 1; i < 3*perBlock; i++ {
			name := j.name(i)
			if want := fmt.Sprintf("%d.%07d", boot, i); name != want || name <= last {
				t.Errorf("record %d of start %d is called %q after %q, want %q", i, boot, name, last, want)
			}
			last = name
		}
	}
}

// TestToldOfReadies: the driver reports to Safety every Ready that changes what a node knows.
func TestToldOfReadies(t *testing.T) {
	conf, other := &raftpb.ConfState{Voters: []uint64{1}}, &raftpb.ConfState{Voters: []uint64{1, 2}}
	list := []*raftpb.Entry{{}}
	for _, c := range []struct {
		name string
		rd   raft.Ready
		do   func(n *node)
		want int
	}{
		{"messages", raft.Ready{Messages: []*raftpb.Message{{}}}, nil, 0},
		{"reads", raft.Ready{ReadStates: []raft.ReadState{{}}}, nil, 0},
		{"a role", raft.Ready{SoftState: &raft.SoftState{}}, nil, 1},
		{"a term", raft.Ready{HardState: &raftpb.HardState{Term: new(uint64(3))}}, nil, 1},
		{"entries", raft.Ready{Entries: list}, nil, 1},
		{"entries to apply", raft.Ready{CommittedEntries: list}, nil, 1},
		{"a snapshot", raft.Ready{Snapshot: &raftpb.Snapshot{}}, nil, 1},
		{"after what was applied", raft.Ready{}, func(n *node) { n.applied++ }, 1},
		{"after a change", raft.Ready{}, func(n *node) { n.conf = other }, 1},
		{"a change that is behind", raft.Ready{}, func(n *node) { n.conf, n.taken = other, n.applied+1 }, 0},
	} {
		n, out := &node{conf: conf, applied: 2, toldConf: conf, toldAt: 2}, output{}
		if c.do != nil {
			c.do(n)
		}
		for range 2 { // observe twice: the second time Safety knows the configuration already
			n.sawReady(&c.rd, &out)
		}
		want := 2 * c.want
		if c.do != nil {
			want = c.want
		}
		if len(n.seen) != want || len(out.Effects()) != want {
			t.Errorf("%s: Safety is told %d times, want %d", c.name, len(n.seen), want)
		}
	}
}

// TestAppliesAfterASnapshot: with AsyncStorageWrites a node applies entries while a newer
// snapshot is not yet safe on disk. If one of these entries is a configuration change,
// raft does not get it again. The node does not go back to an older snapshot of its own.
func TestAppliesAfterASnapshot(t *testing.T) {
	sys := pulse.New(pulse.Options{Horizon: time.Second})
	defer sys.Close()
	c := Config{Spares: 1, SnapshotEvery: 2, Raft: raft.Config{AsyncStorageWrites: true}}.Spawn(sys)
	sys.RunFor(time.Nanosecond) // all have started
	n, kept := c.node(3), record{snap: c.start}
	step := func(msg any) {
		var out output
		n.Step(1, msg, &out)
		for _, e := range out.Effects() {
			switch e.Kind {
			case machine.Write:
				kept.add(e.Value.(record))
			case machine.Do:
				e.Call()
			}
		}
	}
	from := func(m *raftpb.Message) Message {
		m.From, m.To, m.Term = new(uint64(1)), new(uint64(3)), new(uint64(2))
		return Message{m}
	}
	change, err := proto.Marshal(&raftpb.ConfChangeV2{Changes: []*raftpb.ConfChangeSingle{
		{Type: raftpb.ConfChangeRemoveNode.Enum(), NodeId: new(uint64(1))},
		{Type: raftpb.ConfChangeAddNode.Enum(), NodeId: new(uint64(4))},
	}})
	must(err)
	entries := []*raftpb.Entry{
		{Type: raftpb.EntryNormal.Enum(), Index: new(uint64(2)), Term: new(uint64(2))},
		{Type: raftpb.EntryConfChangeV2.Enum(), Index: new(uint64(3)), Term: new(uint64(2)), Data: change},
	}
	step(from(&raftpb.Message{Type: raftpb.MsgApp.Enum(), Index: new(uint64(1)), LogTerm: new(uint64(1)), Commit: new(uint64(3)), Entries: entries}))
	for len(n.appends) > 0 {
		step(appended{})
	}
	joint := &raftpb.ConfState{Voters: []uint64{2, 3, 4}, VotersOutgoing: []uint64{1, 2, 3}, AutoLeave: new(true)}
	c.Safety.Observe(1, Observation{Term: 2, Committed: entries, Applied: entries})
	c.Safety.Observe(1, Observation{Conf: joint})
	step(from(&raftpb.Message{Type: raftpb.MsgSnap.Enum(), Snapshot: &raftpb.Snapshot{
		Metadata: &raftpb.SnapshotMetadata{Index: new(uint64(5)), Term: new(uint64(2)), ConfState: joint}}}))
	if len(n.applies) != 1 || len(n.appends) != 1 {
		t.Fatalf("%d wait to be applied and %d to be safe, want one each", len(n.applies), len(n.appends))
	}
	step(applying{})
	step(from(&raftpb.Message{Type: raftpb.MsgHeartbeat.Enum(), Commit: new(uint64(3))})) // Safety looks
	if n.applied != 3 {
		t.Errorf("entry %d is applied, want 3", n.applied)
	}
	if got := kept.snap.GetMetadata().GetIndex(); got != 5 {
		t.Errorf("a crash would leave a snapshot of index %d, want 5", got)
	}
	for len(n.appends) > 0 {
		step(appended{})
	}
	if n.applied != 5 || !sameConf(n.conf, joint) || c.Err() != nil {
		t.Errorf("entry %d is applied, the configuration is %v, and Safety says %v", n.applied, n.conf, c.Err())
	}
}
