package etcdraft_test

import (
	"strings"
	"testing"

	"go.etcd.io/raft/v3/raftpb"

	"github.com/jostle-go/jostle/pulse/adapt/etcdraft"
)

// entry is an entry of a log; its text says which one it is.
func entry(index, term uint64, text string) *raftpb.Entry {
	return &raftpb.Entry{Index: &index, Term: &term, Type: raftpb.EntryNormal.Enum(), Data: []byte(text)}
}

// snapshotAt returns a snapshot that ends with the entry of the given index and term.
func snapshotAt(index, term uint64) *raftpb.Snapshot {
	return &raftpb.Snapshot{Metadata: &raftpb.SnapshotMetadata{Index: &index, Term: &term}}
}

// A deed is an Observation of one node.
type deed struct {
	node uint64
	does etcdraft.Observation
}

// appends, knows and applies return deeds with entries. leads returns the deed of leading in a term.
func appends(node uint64, list ...*raftpb.Entry) deed {
	return deed{node, etcdraft.Observation{Appended: list}}
}

func knows(node, term uint64, list ...*raftpb.Entry) deed {
	return deed{node, etcdraft.Observation{Term: term, Committed: list}}
}

func applies(node uint64, list ...*raftpb.Entry) deed {
	return deed{node, etcdraft.Observation{Applied: list}}
}

func leads(node, term uint64) deed {
	return deed{node, etcdraft.Observation{Term: term, Leads: true}}
}

// TestSafety: each monitor detects its violation, and accepts correct behavior that is similar to the violation.
func TestSafety(t *testing.T) {
	type does = etcdraft.Observation
	a2, b2, a3, b3, c4 := entry(2, 2, "a"), entry(2, 3, "b"), entry(3, 2, "a"), entry(3, 3, "b"), entry(4, 4, "c")
	conf := func(node uint64, c *raftpb.ConfState) deed { return deed{node, does{Conf: c}} }
	first := conf(1, &raftpb.ConfState{Voters: []uint64{1, 2}})
	for _, c := range []struct {
		name  string
		deeds []deed
		want  string // a part of the error's text; "" if no error is expected
	}{
		{"a leader of each term", []deed{leads(1, 2), leads(1, 2), leads(2, 3)}, ""},
		{"two leaders of a term", []deed{leads(1, 2), leads(2, 3), leads(3, 2)}, "election safety: term 2 has two leaders, nodes 1 and 3"},
		{"logs that differ from where they are of other terms", []deed{appends(1, a2, a3), appends(2, b2, b3)}, ""},
		{"an entry is overwritten", []deed{appends(1, a2, a3), appends(1, b2)}, ""},
		{"a gap", []deed{appends(1, a2, c4)}, "log matching: node 1 appends entry 4 to a log that ends with 2"},
		{"a gap after what was overwritten", []deed{appends(1, a2, a3), appends(1, b2), appends(1, c4)}, "log matching: node 1 appends entry 4 to a log that ends with 2"},
		{"an entry of two texts", []deed{appends(1, a2), appends(2, entry(2, 2, "b"))}, "log matching: the entry 2 of term 2 of node 2 differs"},
		{"an entry of two kinds", []deed{appends(1, a2), appends(2, &raftpb.Entry{Index: a2.Index, Term: a2.Term, Type: raftpb.EntryConfChange.Enum(), Data: a2.Data})}, "log matching"},
		{"an entry after two", []deed{appends(1, a2, b3), appends(2, b2, b3)}, "log matching: the entry 3 of term 3 of node 2 differs from that of another node, or follows an entry of term 3 instead of 2"},
		{"a leader that has what is committed", []deed{appends(1, a2), knows(1, 2, a2), appends(2, a2), leads(2, 3)}, ""},
		{"a leader of an earlier term", []deed{appends(1, a2), knows(1, 4, a2), leads(2, 3)}, ""},
		{"a leader of the term in which it was committed", []deed{appends(1, a2), knows(1, 2, a2), leads(2, 2)}, ""},
		{"a leader of a term after that of who has known it longest", []deed{knows(1, 4, a2), knows(3, 2, a2), leads(2, 3)}, "leader completeness: node 2 leads in term 3"},
		{"a leader with too short a log", []deed{appends(1, a2), knows(1, 2, a2), leads(2, 3)}, "leader completeness: node 2 leads in term 3 with a log that ends with 1, but entry 2 was committed in term 2"},
		{"a leader with another entry", []deed{appends(1, a2), knows(1, 2, a2), appends(2, b2), leads(2, 4)}, "leader completeness: node 2 leads in term 4 with an entry 2 of term 3, but one of term 2 was committed in term 2"},
		{"two entries committed", []deed{knows(1, 2, a2), knows(2, 3, b2)}, "state machine safety: at index 2 node 2 has committed an entry of term 3, but another node one of term 2"},
		{"all applied in order", []deed{knows(1, 2, a2, a3), applies(1, a2, a3), applies(2, a2)}, ""},
		{"an entry applied twice", []deed{knows(1, 2, a2), applies(1, a2, a2)}, "state machine safety: node 1 applies entry 2 after entry 2"},
		{"an entry left out", []deed{knows(1, 2, a2, a3), applies(1, a3)}, "state machine safety: node 1 applies entry 3 after entry 1"},
		{"an entry applied that is not committed", []deed{applies(1, a2)}, "state machine safety: node 1 applies entry 2 of term 2, which no node knows to be committed"},
		{"another entry applied", []deed{knows(1, 2, a2), applies(2, b2)}, "state machine safety: node 2 applies an entry 2 of term 3, but the committed entry is of term 2"},
		{"an entry of another text applied", []deed{knows(1, 2, a2), applies(2, entry(2, 2, "b"))}, "state machine safety: node 2 applies an entry 2"},
		{"a snapshot of what is committed", []deed{knows(1, 2, a2), {2, does{Snapshot: snapshotAt(2, 2)}}}, ""},
		{"a snapshot of something else", []deed{knows(1, 2, a2), {2, does{Snapshot: snapshotAt(2, 3)}}}, "state machine safety: node 2 has a snapshot that ends with an entry 2 of term 3, but the committed entry is of term 2"},
		{"a snapshot restored over older state", []deed{{1, does{Restored: snapshotAt(5, 2)}}, {1, does{Restored: snapshotAt(5, 2)}}}, ""},
		{"a snapshot restored over newer state", []deed{{1, does{Restored: snapshotAt(5, 2)}}, {1, does{Restored: snapshotAt(4, 2)}}}, "monotone state: node 1 restores a snapshot of index 4 over its state of index 5"},
		{"an older snapshot restored than what was applied", []deed{knows(1, 2, a2, a3), applies(1, a2, a3), {1, does{Restored: snapshotAt(2, 2)}}}, "monotone state: node 1 restores a snapshot of index 2 over its state of index 3"},
		{"a commit index that grows", []deed{{1, does{Commit: 3}}, {1, does{Commit: 3}}, {2, does{Commit: 2}}, {1, does{Commit: 4}}}, ""},
		{"a commit index that goes back", []deed{{1, does{Commit: 3}}, {1, does{Commit: 2}}}, "monotone commit: the commit index of node 1 goes back from 3 to 2"},
		{"a commit index that goes back after another observation", []deed{{1, does{Commit: 3}}, leads(1, 2), {1, does{Commit: 2}}}, "monotone commit"},
		{"a read of all that was committed when the client asked", []deed{knows(1, 2, a2), {2, does{Asked: 7}}, knows(1, 2, a3), {2, does{Answered: 7, Index: 2}}}, ""},
		{"a read of less", []deed{knows(1, 2, a2, a3), {2, does{Asked: 7}}, {2, does{Answered: 7, Index: 2}}}, "linearizable reads: node 2 answers a read as of index 2, but entry 3 was committed when the client asked"},
		{"a read is answered when it is asked for", []deed{knows(1, 2, a2), {2, does{Asked: 7, Answered: 7, Index: 1}}}, "linearizable reads"},
		{"a read that nobody asked for", []deed{knows(1, 2, a2), {2, does{Answered: 7, Index: 1}}}, ""},
		{"one configuration", []deed{first, conf(2, &raftpb.ConfState{Voters: []uint64{1, 2}})}, ""},
		{"other configurations, of who has applied more", []deed{first, knows(2, 2, a2), applies(2, a2), conf(2, &raftpb.ConfState{Voters: []uint64{1}})}, ""},
		{"a configuration kept for too long", []deed{first, knows(1, 2, a2), applies(1, a2), first, applies(2, a2), conf(2, &raftpb.ConfState{Voters: []uint64{1}})}, "one configuration: node 2 has applied entry 2"},
		{"other voters", []deed{first, conf(2, &raftpb.ConfState{Voters: []uint64{1, 3}})}, "one configuration: node 2 has applied entry 1 and has the configuration"},
		{"other learners", []deed{first, conf(2, &raftpb.ConfState{Voters: []uint64{1, 2}, Learners: []uint64{3}})}, "one configuration"},
		{"other old voters", []deed{first, conf(2, &raftpb.ConfState{Voters: []uint64{1, 2}, VotersOutgoing: []uint64{1}})}, "one configuration"},
		{"other learners to be", []deed{first, conf(2, &raftpb.ConfState{Voters: []uint64{1, 2}, LearnersNext: []uint64{1}})}, "one configuration"},
		{"another way to leave", []deed{first, conf(2, &raftpb.ConfState{Voters: []uint64{1, 2}, AutoLeave: new(true)})}, "one configuration"},
		{"what came first is kept", []deed{leads(1, 2), leads(2, 2), {1, does{Commit: 3}}, {1, does{Commit: 2}}}, "election safety"},
	} {
		s := etcdraft.NewSafety(3)
		for id := range uint64(3) {
			s.Started(id+1, snapshotAt(1, 1), nil, 0)
		}
		for i, d := range c.deeds {
			if err := s.Err(); err != nil && c.name != "what came first is kept" {
				t.Errorf("%s: deed %d comes after %v", c.name, i, err)
			}
			s.Observe(d.node, d.does)
		}
		switch err := s.Err(); {
		case err == nil && c.want != "":
			t.Errorf("%s: nothing is seen, want %q", c.name, c.want)
		case err != nil && (c.want == "" || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// TestSafetyOfARestart: a node that restarts may have a lower commit index, and
// applies again all entries after its snapshot.
func TestSafetyOfARestart(t *testing.T) {
	s := etcdraft.NewSafety(1)
	a2 := entry(2, 2, "a")
	for range 2 {
		s.Started(1, snapshotAt(1, 1), nil, 0)
		for _, d := range []deed{{1, etcdraft.Observation{Commit: 1}}, appends(1, a2), {1, etcdraft.Observation{Commit: 2}}, knows(1, 2, a2), applies(1, a2)} {
			s.Observe(d.node, d.does)
		}
	}
	if err := s.Err(); err != nil {
		t.Error(err)
	}
}

// TestSafetyOfADurableState: a node with its state machine on disk starts with a higher
// applied index than its snapshot has. After that index it applies every entry once.
func TestSafetyOfADurableState(t *testing.T) {
	a2, a3, a4 := entry(2, 2, "a"), entry(3, 2, "a"), entry(4, 2, "a")
	log := []*raftpb.Entry{a2, a3, a4}
	for _, c := range []struct {
		name    string
		snap    *raftpb.Snapshot
		applied uint64
		next    *raftpb.Entry
		want    string
	}{
		{"the next entry", snapshotAt(1, 1), 2, a3, ""},
		{"the next entry, without a snapshot", nil, 2, a3, ""},
		{"the entry after a snapshot in memory", snapshotAt(1, 1), 0, a2, ""},
		{"an entry for the second time", snapshotAt(1, 1), 2, a2, "state machine safety: node 1 applies entry 2 after entry 2"},
		{"an entry too late", snapshotAt(1, 1), 2, a4, "state machine safety: node 1 applies entry 4 after entry 2"},
		{"an entry too late, without a snapshot", nil, 2, a4, "state machine safety: node 1 applies entry 4 after entry 2"},
	} {
		s := etcdraft.NewSafety(1)
		s.Started(1, snapshotAt(1, 1), nil, 1)
		s.Observe(1, etcdraft.Observation{Term: 2, Appended: log, Committed: log, Applied: log[:1]})
		s.Started(1, c.snap, log, c.applied)
		s.Observe(1, etcdraft.Observation{Applied: []*raftpb.Entry{c.next}})
		got := ""
		if err := s.Err(); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: Safety says %q, want %q", c.name, got, c.want)
		}
	}
}
