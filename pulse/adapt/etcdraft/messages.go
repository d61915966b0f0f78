package etcdraft

import (
	"fmt"

	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/raftpb"
)

// Requests of clients to a node.
type (
	// Propose asks for an entry of the log. The answer is a Result. The asked node
	// sends it once it has applied the entry.
	Propose struct{ Data []byte }
	// Read queries the state machine by raft's ReadIndex. The answer is a Result.
	Read struct{ Query any }
	// ChangeConf asks for a change of the configuration. Change is a
	// *raftpb.ConfChange or a *raftpb.ConfChangeV2, whose Context the node sets. The
	// answer is a Result. The asked node sends it once it has applied the change.
	ChangeConf struct{ Change raftpb.ConfChangeI }
	// Transfer asks to transfer the leadership to another node. It has no answer.
	Transfer struct{ To uint64 }
	// Campaign makes the node start an election now. It has no answer.
	Campaign struct{}
)

// Answers of a node.
type (
	// Result is the answer of the state machine. Index is the index of the applied
	// entry. For a Read, Index is an index that the state had reached.
	Result struct {
		Index uint64
		Value any
	}
	// Dropped says why a request has no effect.
	Dropped struct{ Why string }
)

func (p Propose) String() string    { return fmt.Sprintf("propose(%q)", p.Data) }
func (r Read) String() string       { return fmt.Sprintf("read(%v)", r.Query) }
func (c ChangeConf) String() string { return "change(" + raft.DescribeConfChange(c.Change) + ")" }
func (t Transfer) String() string   { return fmt.Sprintf("transfer to %d", t.To) }
func (Campaign) String() string     { return "campaign" }
func (r Result) String() string     { return fmt.Sprintf("result(%d, %v)", r.Index, r.Value) }
func (d Dropped) String() string    { return "dropped: " + d.Why }

// A Message is a message from one node to another.
type Message struct{ *raftpb.Message }

func (m Message) String() string { return raft.DescribeMessage(m.Message, showEntry) }

// showEntry returns a text for a proposal, without the request number.
func showEntry(data []byte) string {
	if len(data) >= header {
		data = data[header:]
	}
	return fmt.Sprintf("%q", data)
}

// received returns the message to pass to raft. A message may be delivered twice,
// so raft gets a copy of each message that it changes. Raft changes messages that
// a follower forwards to its leader, and the entries of a proposal.
func received(m *raftpb.Message) *raftpb.Message {
	switch m.GetType() {
	case raftpb.MsgProp, raftpb.MsgReadIndex, raftpb.MsgTransferLeader:
	default:
		return m
	}
	c := &raftpb.Message{
		Type: m.Type, To: m.To, From: m.From, Term: m.Term, LogTerm: m.LogTerm, Index: m.Index, Commit: m.Commit, Vote: m.Vote,
		Entries: m.Entries, Snapshot: m.Snapshot, Reject: m.Reject, RejectHint: m.RejectHint, Context: m.Context, Responses: m.Responses,
	}
	if m.GetType() == raftpb.MsgProp {
		c.Entries = make([]*raftpb.Entry, len(m.Entries))
		for i, e := range m.Entries {
			c.Entries[i] = &raftpb.Entry{Term: e.Term, Index: e.Index, Type: e.Type, Data: e.Data}
		}
	}
	return c
}

// Messages that a node sends itself with AsyncStorageWrites.
type (
	appended struct{} // says that the first append in node.appends is safe on disk
	applying struct{} // says that the first batch in node.applies is to be applied
)

func (appended) String() string { return "appended" }
func (applying) String() string { return "apply" }

// header is the length of the request number in front of a proposal.
const header = 8
