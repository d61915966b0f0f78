package etcdraft

import (
	"bytes"
	"fmt"
	"slices"

	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/raftpb"
)

// A Safety checks that the nodes of a cluster keep the promises of raft:
//
//   - election safety: a term has at most one leader;
//   - log matching: if two logs have an entry of the same index and term, they are equal
//     up to that entry;
//   - leader completeness: an entry that was committed in a term is in the logs of the
//     leaders of all later terms;
//   - state machine safety: no two nodes apply different entries at one index, and each
//     node applies only committed entries and all of them in order;
//   - one configuration: nodes that have applied the same entries have the same
//     configuration;
//   - monotone commit: the commit index of a node does not go back while it runs;
//   - monotone state: no snapshot is restored over newer state;
//   - linearizable reads: the answer to a read includes all entries that were committed
//     when the client asked.
//
// A Cluster has a Safety. Your own driver calls Started when a node starts, and Observe
// for what the node has done. It calls Observe after it has synced the disk as needed, and
// before it sends messages that depend on the synced data.
type Safety struct {
	err       error
	nodes     []observed
	leaders   map[uint64]uint64   // the leader of each term
	newest    uint64              // the highest term in leaders
	entries   [][]known           // all entries seen at each index, one for each term
	committed []known             // the committed entry at each index; its term is 0 if none was seen
	top       uint64              // the highest index in committed
	confs     []*raftpb.ConfState // the configuration of nodes that have applied the log up to each index; nil if unknown
	reads     map[uint64]uint64   // for each pending read, the value of top when the client asked
}

// observed holds what a Safety knows about a node.
type observed struct {
	log     []uint64 // the terms of the entries in the node's log, by index
	commit  uint64
	applied uint64
	term    uint64 // the last term in which the node was seen leading

	conf   *raftpb.ConfState // the last configuration that was compared with those of other nodes
	confAt uint64            // the node's applied index when conf was compared
}

// A known is an entry that a Safety has seen.
type known struct {
	term, before uint64 // the term of the entry, and of the entry before it
	in           uint64 // the lowest term of a node that knew the entry to be committed
	entry        *raftpb.Entry
}

// An Observation says what a node has done. A zero field means that the node has done
// nothing of that kind. Safety keeps the entries, so nobody may change them afterwards.
type Observation struct {
	// Term is the node's term. Leads is set if the node leads in this term.
	Term  uint64
	Leads bool
	// Commit is the node's commit index.
	Commit uint64
	// Conf is the node's configuration.
	Conf *raftpb.ConfState
	// Snapshot is a snapshot that replaces the node's log.
	Snapshot *raftpb.Snapshot
	// Appended are entries added to the log, after Snapshot if both are set.
	Appended []*raftpb.Entry
	// Committed are entries that raft has handed to the driver to apply.
	Committed []*raftpb.Entry
	// Applied are entries that the driver has applied.
	Applied []*raftpb.Entry
	// Restored is the snapshot from which the state machine was restored.
	Restored *raftpb.Snapshot
	// Asked is the request number of a read that a client asks for.
	Asked uint64
	// Answered is the request number of a read that may now be answered. Index is
	// the index of the log that the answer reflects.
	Answered, Index uint64
}

// NewSafety returns a Safety for nodes 1 to n.
func NewSafety(n int) *Safety {
	return &Safety{nodes: make([]observed, n+1), leaders: map[uint64]uint64{}, reads: map[uint64]uint64{}}
}

// Err returns the first violation, nil if there is none.
func (s *Safety) Err() error { return s.err }

func (s *Safety) fail(format string, args ...any) {
	if s.err == nil {
		s.err = fmt.Errorf(format, args...)
	}
}

// Started records that a node has started with a snapshot, which may be nil, and the
// entries after the snapshot. The parameter applied is the index of the last entry in its
// state machine, as in raft.Config.Applied. Zero means the last entry of the snapshot.
func (s *Safety) Started(id uint64, snap *raftpb.Snapshot, entries []*raftpb.Entry, applied uint64) {
	n := &s.nodes[id]
	*n = observed{log: n.log[:0]}
	if snap != nil {
		s.begin(n, id, snap)
	}
	n.applied = max(applied, snap.GetMetadata().GetIndex())
	s.append(n, id, entries)
}

// Observe records what a node has done.
func (s *Safety) Observe(id uint64, o Observation) { s.observe(id, &o) }

func (s *Safety) observe(id uint64, o *Observation) {
	n := &s.nodes[id]
	if o.Snapshot.GetMetadata().GetIndex() > 0 {
		s.begin(n, id, o.Snapshot)
	}
	s.append(n, id, o.Appended)
	if o.Commit > 0 {
		if o.Commit < n.commit {
			s.fail("monotone commit: the commit index of node %d goes back from %d to %d", id, n.commit, o.Commit)
		}
		n.commit = o.Commit
	}
	if o.Conf != nil && (o.Conf != n.conf || n.applied != n.confAt) {
		s.configured(n, id, o.Conf)
	}
	if o.Leads && n.term != o.Term {
		n.term = o.Term
		s.leads(n, id)
	}
	for _, e := range o.Committed {
		s.commits(id, o.Term, e)
	}
	for _, e := range o.Applied {
		s.applies(n, id, e)
	}
	if o.Restored != nil {
		s.restores(n, id, o.Restored.GetMetadata().GetIndex())
	}
	s.judgeRead(id, o)
}

// begin replaces the log that Safety has recorded for a node with a snapshot.
func (s *Safety) begin(n *observed, id uint64, snap *raftpb.Snapshot) {
	index, term := snap.GetMetadata().GetIndex(), snap.GetMetadata().GetTerm()
	n.log = n.log[:0]
	for i := range index {
		was := uint64(0)
		if i < uint64(len(s.committed)) {
			was = s.committed[i].term
		}
		n.log = append(n.log, was)
	}
	n.log = append(n.log, term)
	if c := s.at(index); c.term > 0 && c.term != term {
		s.fail("state machine safety: node %d has a snapshot that ends with an entry %d of term %d, but the committed entry is of term %d", id, index, term, c.term)
	}
}

// at returns the committed entry at an index. If none was seen there, the returned
// entry has term 0.
func (s *Safety) at(index uint64) *known {
	for uint64(len(s.committed)) <= index {
		s.committed = append(s.committed, known{})
	}
	return &s.committed[index]
}

func (s *Safety) append(n *observed, id uint64, entries []*raftpb.Entry) {
	for _, e := range entries {
		index := e.GetIndex()
		if index > uint64(len(n.log)) && len(n.log) > 0 {
			s.fail("log matching: node %d appends entry %d to a log that ends with %d", id, index, len(n.log)-1)
			return
		}
		for uint64(len(n.log)) < index {
			n.log = append(n.log, 0)
		}
		before := uint64(0)
		if index > 0 {
			before = n.log[index-1]
		}
		n.log = append(n.log[:index], e.GetTerm())
		s.match(id, e, before)
	}
}

// match compares an entry with earlier entries of the same index and term.
func (s *Safety) match(id uint64, e *raftpb.Entry, before uint64) {
	index := e.GetIndex()
	for uint64(len(s.entries)) <= index {
		s.entries = append(s.entries, nil)
	}
	for i := range s.entries[index] {
		k := &s.entries[index][i]
		if k.term != e.GetTerm() {
			continue
		}
		if k.before == 0 {
			k.before = before
		}
		if !k.same(e) || before > 0 && k.before != before {
			s.fail("log matching: the entry %d of term %d of node %d differs from that of another node, or follows an entry of term %d instead of %d",
				index, k.term, id, before, k.before)
		}
		return
	}
	s.entries[index] = append(s.entries[index], known{term: e.GetTerm(), before: before, entry: e})
}

func (k *known) same(e *raftpb.Entry) bool {
	return k.term == e.GetTerm() && (k.entry == e || k.entry.GetType() == e.GetType() && bytes.Equal(k.entry.Data, e.Data))
}

// leads checks a node that has become leader.
func (s *Safety) leads(n *observed, id uint64) {
	if other, ok := s.leaders[n.term]; ok && other != id {
		s.fail("election safety: term %d has two leaders, nodes %d and %d", n.term, other, id)
	}
	s.leaders[n.term] = id
	s.newest = max(s.newest, n.term)
	for i := range s.committed {
		c := &s.committed[i]
		if c.term == 0 || c.in >= n.term {
			continue
		}
		switch {
		case i >= len(n.log):
			s.fail("leader completeness: node %d leads in term %d with a log that ends with %d, but entry %d was committed in term %d",
				id, n.term, len(n.log)-1, i, c.in)
		case n.log[i] != c.term && n.log[i] != 0:
			s.fail("leader completeness: node %d leads in term %d with an entry %d of term %d, but one of term %d was committed in term %d",
				id, n.term, i, n.log[i], c.term, c.in)
		}
	}
}

// commits checks an entry that a node knows to be committed.
func (s *Safety) commits(id, term uint64, e *raftpb.Entry) {
	index := e.GetIndex()
	c := s.at(index)
	if c.term == 0 {
		*c = known{term: e.GetTerm(), in: term, entry: e}
		s.top = max(s.top, index)
		return
	}
	c.in = min(c.in, term)
	if !c.same(e) {
		s.fail("state machine safety: at index %d node %d has committed an entry of term %d, but another node one of term %d", index, id, e.GetTerm(), c.term)
	}
}

// applies checks an entry that a node applies.
func (s *Safety) applies(n *observed, id uint64, e *raftpb.Entry) {
	index := e.GetIndex()
	if index != n.applied+1 && n.applied > 0 {
		s.fail("state machine safety: node %d applies entry %d after entry %d", id, index, n.applied)
	}
	n.applied = index
	switch c := s.at(index); {
	case c.term == 0:
		s.fail("state machine safety: node %d applies entry %d of term %d, which no node knows to be committed", id, index, e.GetTerm())
	case !c.same(e):
		s.fail("state machine safety: node %d applies an entry %d of term %d, but the committed entry is of term %d", id, index, e.GetTerm(), c.term)
	}
}

// configured compares the configuration of a node with that of nodes that have applied the
// same entries.
func (s *Safety) configured(n *observed, id uint64, conf *raftpb.ConfState) {
	n.conf, n.confAt = conf, n.applied
	for uint64(len(s.confs)) <= n.applied {
		s.confs = append(s.confs, nil)
	}
	switch other := s.confs[n.applied]; {
	case other == nil:
		s.confs[n.applied] = conf
	case other != conf && !sameConf(other, conf):
		s.fail("one configuration: node %d has applied entry %d and has the configuration %s, but another node that had applied the same entries had %s",
			id, n.applied, raft.DescribeConfState(conf), raft.DescribeConfState(other))
	}
}

// sameConf reports whether two configurations are equal. Raft lists nodes in ascending
// order.
func sameConf(a, b *raftpb.ConfState) bool {
	return slices.Equal(a.Voters, b.Voters) && slices.Equal(a.Learners, b.Learners) && slices.Equal(a.VotersOutgoing, b.VotersOutgoing) &&
		slices.Equal(a.LearnersNext, b.LearnersNext) && a.GetAutoLeave() == b.GetAutoLeave()
}

func (s *Safety) restores(n *observed, id, index uint64) {
	if index < n.applied {
		s.fail("monotone state: node %d restores a snapshot of index %d over its state of index %d", id, index, n.applied)
	}
	n.applied = index
}

// judgeRead checks the read in an observation, if any.
func (s *Safety) judgeRead(id uint64, o *Observation) {
	if o.Asked > 0 {
		s.reads[o.Asked] = s.top
	}
	if top, ok := s.reads[o.Answered]; ok && o.Answered > 0 {
		delete(s.reads, o.Answered)
		if o.Index < top {
			s.fail("linearizable reads: node %d answers a read as of index %d, but entry %d was committed when the client asked", id, o.Index, top)
		}
	}
}
