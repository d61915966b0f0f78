package etcdraft

import (
	"encoding/binary"
	"slices"
	"time"

	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/raftpb"
	"google.golang.org/protobuf/proto"
)

// drain handles each Ready of raft until there is none, and then answers reads.
func (n *node) drain(out *output) {
	for n.raw.HasReady() {
		rd := n.raw.Ready()
		if rd.SoftState != nil {
			n.leads = rd.RaftState == raft.StateLeader
		}
		if rd.HardState != nil && rd.GetTerm() > 0 {
			n.term = rd.GetTerm()
		}
		if n.cluster.config.Raft.AsyncStorageWrites {
			n.later(&rd, out)
		} else {
			n.now(&rd, out)
			n.raw.Advance(rd)
		}
	}
	if len(n.requests) > 0 {
		n.answerReads(out)
	}
}

// sawReady passes a Ready to Safety, unless the Ready has only messages and reads.
func (n *node) sawReady(rd *raft.Ready, out *output) {
	conf := n.conf
	if n.isBehind() || conf == n.toldConf && n.applied == n.toldAt {
		conf = nil // not passed: Safety has this configuration already, or raft has a newer one
	}
	written := rd.HardState != nil || rd.Snapshot != nil || len(rd.Entries) > 0
	if !written && conf == nil && rd.SoftState == nil && len(rd.CommittedEntries) == 0 {
		return
	}
	if conf != nil {
		n.toldConf, n.toldAt = conf, n.applied
	}
	n.saw(Observation{Term: n.term, Leads: n.leads, Commit: rd.HardState.GetCommit(), Conf: conf,
		Snapshot: rd.Snapshot, Appended: rd.Entries, Committed: rd.CommittedEntries}, out)
}

// now handles a Ready in the order that raft requires: it syncs the disk before it
// sends messages.
func (n *node) now(rd *raft.Ready, out *output) {
	wrong := n.cluster.config.mistake
	n.readStates(rd.ReadStates, out)
	if wrong == sendsBeforeSync {
		n.send(rd.Messages, out)
	}
	n.write(rd.HardState, rd.Snapshot, rd.Entries, out)
	n.keep(rd.HardState, rd.Snapshot, rd.Entries)
	if rd.MustSync || !raft.IsEmptySnap(rd.Snapshot) {
		out.Sync()
	}
	n.sawReady(rd, out)
	if wrong != sendsBeforeSync {
		n.send(rd.Messages, out)
	}
	n.stored(rd.Snapshot, rd.Entries, out)
	n.committed(rd.CommittedEntries, out)
}

// stored restores the snapshot of a Ready when that Ready is safe on disk. Only
// planted mistakes use the entries of the Ready here.
func (n *node) stored(snap *raftpb.Snapshot, entries []*raftpb.Entry, out *output) {
	wrong := n.cluster.config.mistake
	switch {
	case raft.IsEmptySnap(snap):
	case wrong == restoresLate:
		n.restoreLater(snap, out)
	default:
		n.restore(snap, out)
	}
	if wrong == changesEarly {
		n.changeConf(entries)
	}
	if wrong == appliesEarly {
		n.apply(entries, out)
	}
}

// committed applies the entries that raft has handed out to apply, unless the mistake
// appliesEarly has already applied them.
func (n *node) committed(entries []*raftpb.Entry, out *output) {
	if n.cluster.config.mistake != appliesEarly {
		n.apply(entries, out)
	}
}

// restoreLater makes the mistake restoresLate. The node sends itself a message and
// restores the snapshot when that message comes. With AsyncStorageWrites, entries to
// apply also come in messages from the node to itself. They could not overtake
// another such message, so the node uses a timer.
func (n *node) restoreLater(snap *raftpb.Snapshot, out *output) {
	if n.cluster.config.Raft.AsyncStorageWrites {
		out.After(time.Nanosecond, restoring{snap})
	} else {
		out.Send(int(n.id), restoring{snap})
	}
}

// restoring is the message that restores a snapshot in the mistake restoresLate.
type restoring struct{ snap *raftpb.Snapshot }

func (r restoring) String() string { return "restore " + raft.DescribeSnapshot(r.snap) }

// later handles a Ready with AsyncStorageWrites. It writes appends to the disk, to be
// synced in a later step, and queues entries to be applied.
func (n *node) later(rd *raft.Ready, out *output) {
	n.readStates(rd.ReadStates, out)
	n.sawReady(rd, out)
	for _, m := range rd.Messages {
		switch m.GetTo() {
		case raft.LocalAppendThread:
			n.write(hardOf(m), m.Snapshot, m.Entries, out)
			n.taken = max(n.taken, m.Snapshot.GetMetadata().GetIndex())
			n.appends = append(n.appends, m)
			out.SyncLater(appended{})
			if n.cluster.config.mistake == sendsBeforeSync {
				n.send(n.forOthers(m), out)
			}
		case raft.LocalApplyThread:
			n.applies = append(n.applies, m)
			out.Send(int(n.id), applying{})
		default:
			out.Send(int(m.GetTo()), Message{m})
		}
	}
}

// hardOf returns the state that a message asks to save, nil if there is none.
func hardOf(m *raftpb.Message) *raftpb.HardState {
	if m.Term == nil || m.Vote == nil || m.Commit == nil {
		return nil
	}
	return &raftpb.HardState{Term: m.Term, Vote: m.Vote, Commit: m.Commit}
}

// appended handles the oldest append (a message from raft with data to save), which
// is now safe on disk.
func (n *node) appended(out *output) {
	m := n.appends[0]
	n.appends = append(n.appends[:0], n.appends[1:]...)
	n.keep(hardOf(m), m.Snapshot, m.Entries)
	n.stored(m.Snapshot, m.Entries, out)
	n.respond(m.Responses, out)
}

// applyNext applies the oldest committed batch.
func (n *node) applyNext(out *output) {
	m := n.applies[0]
	n.applies = append(n.applies[:0], n.applies[1:]...)
	n.committed(m.Entries, out)
	n.respond(m.Responses, out)
}

// forOthers removes the responses to other nodes from a message to the storage, and
// returns these responses.
func (n *node) forOthers(m *raftpb.Message) (list []*raftpb.Message) {
	m.Responses = slices.DeleteFunc(m.Responses, func(r *raftpb.Message) bool {
		other := r.GetTo() != n.id
		if other {
			list = append(list, r)
		}
		return other
	})
	return list
}

// respond sends the responses that raft attached to a message to the storage.
func (n *node) respond(list []*raftpb.Message, out *output) {
	for _, m := range list {
		if m.GetTo() == n.id {
			_ = n.raw.Step(m) // raft refuses an outdated response
		} else {
			out.Send(int(m.GetTo()), Message{m})
		}
	}
}

// send sends messages. It reports no lost snapshots to raft, because raft learns of
// the loss from heartbeats.
func (n *node) send(list []*raftpb.Message, out *output) {
	for _, m := range list {
		out.Send(int(m.GetTo()), Message{m})
	}
}

// write writes a record to the disk, unless there is nothing to write.
func (n *node) write(hard *raftpb.HardState, snap *raftpb.Snapshot, entries []*raftpb.Entry, out *output) {
	r := record{entries: entries}
	if !raft.IsEmptyHardState(hard) {
		r.hard = hard
		if n.cluster.config.mistake == forgetsVote {
			r.hard = &raftpb.HardState{Term: hard.Term, Vote: new(uint64(0)), Commit: hard.Commit}
		}
	}
	if !raft.IsEmptySnap(snap) {
		r.snap = snap
	}
	if r.hard != nil || r.snap != nil || len(entries) > 0 {
		n.journal.write(r, out)
	}
}

// keep adds what was written to disk to the storage that raft reads.
func (n *node) keep(hard *raftpb.HardState, snap *raftpb.Snapshot, entries []*raftpb.Entry) {
	if !raft.IsEmptySnap(snap) {
		must(n.storage.ApplySnapshot(snap))
	}
	must(n.storage.Append(entries))
	if !raft.IsEmptyHardState(hard) {
		must(n.storage.SetHardState(hard))
	}
}

// restore replaces the state of the state machine with a snapshot.
func (n *node) restore(snap *raftpb.Snapshot, out *output) {
	n.state.Restore(snap.Data)
	n.conf = snap.GetMetadata().GetConfState()
	n.applied = snap.GetMetadata().GetIndex()
	n.snapshot = n.applied
	n.saw(Observation{Restored: snap}, out)
}

// apply applies entries. With AsyncStorageWrites it skips entries that a restored
// snapshot already contains.
func (n *node) apply(entries []*raftpb.Entry, out *output) {
	for len(entries) > 0 && entries[0].GetIndex() <= n.applied && n.cluster.config.Raft.AsyncStorageWrites {
		entries = entries[1:]
	}
	if len(entries) == 0 {
		return
	}
	n.saw(Observation{Applied: entries}, out)
	for _, e := range entries {
		n.applied = e.GetIndex()
		switch {
		case e.GetType() != raftpb.EntryNormal:
			if n.cluster.config.mistake != changesEarly && !n.isBehind() {
				n.changeConf([]*raftpb.Entry{e})
			}
			n.answer(changeOf(e).AsV2().Context, n.applied, nil, out)
		case len(e.Data) >= header:
			n.answer(e.Data, n.applied, n.state.Apply(n.applied, e.Data[header:]), out)
		}
	}
	if every := uint64(n.cluster.config.SnapshotEvery); every > 0 && n.applied-n.snapshot >= every && n.conf != nil && !n.isBehind() {
		n.makeSnapshot(out)
	}
}

// changeOf returns the configuration change in an entry.
func changeOf(e *raftpb.Entry) raftpb.ConfChangeI {
	if e.GetType() == raftpb.EntryConfChange {
		c := &raftpb.ConfChange{}
		must(proto.Unmarshal(e.Data, c))
		return c
	}
	c := &raftpb.ConfChangeV2{}
	must(proto.Unmarshal(e.Data, c))
	return c
}

// changeConf applies the configuration changes among entries.
func (n *node) changeConf(entries []*raftpb.Entry) {
	for _, e := range entries {
		if e.GetType() != raftpb.EntryNormal {
			n.conf = n.raw.ApplyConfChange(changeOf(e))
		}
	}
}

// makeSnapshot makes a snapshot of the state machine and drops the log before it.
func (n *node) makeSnapshot(out *output) {
	snap, err := n.storage.CreateSnapshot(n.applied, n.conf, n.state.Snapshot())
	if err != nil {
		return // another node has sent a newer snapshot
	}
	must(n.storage.Compact(n.applied))
	n.snapshot = n.applied
	n.journal.write(record{snap: snap, made: true}, out)
}

// readStates records for each read the index at which it may be answered.
func (n *node) readStates(list []raft.ReadState, out *output) {
	for _, s := range list {
		number := binary.LittleEndian.Uint64(s.RequestCtx)
		for i := range n.requests {
			if r := &n.requests[i]; r.number == number && r.index == 0 {
				r.index = max(1, s.Index)
				n.saw(Observation{Answered: number, Index: s.Index}, out)
			}
		}
	}
}

// answerReads answers the reads whose index is applied.
func (n *node) answerReads(out *output) {
	for i := 0; i < len(n.requests); i++ {
		if r := n.requests[i]; r.isRead && r.index > 0 && r.index <= n.applied {
			n.requests = append(n.requests[:i], n.requests[i+1:]...)
			out.Send(r.client, Result{Index: r.index, Value: n.state.Query(r.query)})
			i--
		}
	}
}
