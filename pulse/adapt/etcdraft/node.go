package etcdraft

import (
	"encoding/binary"
	"fmt"

	"github.com/jostle-go/jostle/pulse/adapt/machine"
	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/raftpb"
	"google.golang.org/protobuf/proto"
)

// A node is a machine.Machine that drives a RawNode.
type node struct {
	cluster *Cluster
	id      uint64
	raw     *raft.RawNode
	storage *raft.MemoryStorage
	journal journal
	timer   Timeouts
	leads   bool
	term    uint64

	state    StateMachine
	conf     *raftpb.ConfState
	applied  uint64 // the index of the last entry that is applied to state
	snapshot uint64 // the index of the last entry in the last snapshot

	taken uint64 // the highest index of a snapshot that raft has accepted from another node

	asked    uint64 // the number of client requests so far
	requests []request
	appends  []*raftpb.Message // with AsyncStorageWrites: appends not yet safe on disk
	applies  []*raftpb.Message // with AsyncStorageWrites: batches not yet applied

	seen    []Observation // the observations of this step
	told    int           // the number of observations in seen that were passed to Safety
	observe func()        // passes the next observation to Safety

	toldConf *raftpb.ConfState // the last configuration that was passed to Safety
	toldAt   uint64            // the index of the last applied entry when toldConf was passed to Safety
}

// isBehind reports whether raft has accepted a snapshot that state does not contain
// yet. With AsyncStorageWrites, older entries may be applied until the snapshot is
// safe on disk. By then raft has the snapshot's configuration, and panics on the
// older changes in these entries. The node must not make a snapshot of its own
// then, because that snapshot would be older.
func (n *node) isBehind() bool { return n.taken > n.applied }

// A request is a client's request that is not yet answered.
type request struct {
	number uint64
	client int
	isRead bool
	query  any
	index  uint64 // a read is answered once this index is applied; 0 while unknown
}

type output = machine.Output[any]

func (c *Cluster) newNode(id uint64, disk machine.Disk, out *output) *node {
	n := &node{cluster: c, id: id, state: c.config.StateMachine()}
	start := c.start
	if int(id) > c.config.Voters+c.config.Learners {
		start = nil
	}
	kept := n.journal.open(disk, start, out)
	n.storage = kept.storage()
	if kept.snap != nil {
		n.state.Restore(kept.snap.Data)
		n.conf = kept.snap.GetMetadata().GetConfState()
		n.applied = kept.snap.GetMetadata().GetIndex()
		n.snapshot = n.applied
	}
	rc := c.config.Raft
	rc.ID, rc.Storage, rc.Applied, rc.Logger = id, n.storage, n.applied, quiet{}
	raw, err := raft.NewRawNode(&rc)
	must(err)
	n.raw, n.timer, n.term = raw, TimeoutsOf(raw), kept.hard.GetTerm()
	n.observe = n.tell
	out.Do(func() { c.Safety.Started(id, kept.snap, kept.entries, rc.Applied) })
	n.drain(out)
	return n
}

// tell passes the next observation in n.seen to Safety.
func (n *node) tell() {
	o := &n.seen[n.told]
	if n.told++; n.told == len(n.seen) {
		n.seen, n.told = n.seen[:0], 0
	}
	n.cluster.Safety.observe(n.id, o)
}

// saw adds an effect to out that passes an observation to Safety.
func (n *node) saw(o Observation, out *output) {
	n.seen = append(n.seen, o)
	out.Do(n.observe)
}

// Tick is called at each tick of virtual time.
func (n *node) Tick(out *output) {
	n.timer.Tick(out.Choose)
	n.drain(out)
}

// Step handles a message.
func (n *node) Step(from int, msg any, out *output) {
	switch msg := msg.(type) {
	case Message:
		// The error is ignored. Raft refuses messages from unknown nodes, and a refused
		// message counts as lost.
		_ = n.raw.Step(received(msg.Message))
	case appended:
		n.appended(out)
	case applying:
		n.applyNext(out)
	case restoring:
		n.restore(msg.snap, out)
	case Propose:
		number := n.ask(request{client: from})
		data := binary.LittleEndian.AppendUint64(make([]byte, 0, header+len(msg.Data)), number)
		n.refused(n.raw.Propose(append(data, msg.Data...)), out)
	case ChangeConf:
		n.refused(n.raw.ProposeConfChange(numbered(msg.Change, n.ask(request{client: from}))), out)
	case Read:
		n.read(from, msg, out)
	case Transfer:
		n.raw.TransferLeader(msg.To)
	case Campaign:
		_ = n.raw.Campaign() // raft ignores the call if the node cannot lead
	default:
		out.Send(from, Dropped{Why: fmt.Sprintf("%T is not a client's message: send Propose, Read, ChangeConf, Transfer or Campaign", msg)})
	}
	n.drain(out)
}

// ask records a request, and returns its unique number.
func (n *node) ask(r request) uint64 {
	n.asked++
	r.number = n.id<<48 | uint64(n.journal.boot)<<24 | n.asked
	n.requests = append(n.requests, r)
	return r.number
}

// refused answers the last request with Dropped if err says that raft has refused it.
func (n *node) refused(err error, out *output) {
	if err != nil {
		last := len(n.requests) - 1
		out.Send(n.requests[last].client, Dropped{Why: err.Error()})
		n.requests = n.requests[:last]
	}
}

// numbered returns a copy of a configuration change, with a request number in its
// Context.
func numbered(change raftpb.ConfChangeI, number uint64) raftpb.ConfChangeI {
	context := binary.LittleEndian.AppendUint64(nil, number)
	if v1, ok := change.AsV1(); ok {
		c := proto.Clone(v1).(*raftpb.ConfChange)
		c.Context = context
		return c
	}
	c := proto.Clone(change.AsV2()).(*raftpb.ConfChangeV2)
	c.Context = context
	return c
}

func (n *node) read(from int, msg Read, out *output) {
	number := n.ask(request{client: from, isRead: true, query: msg.Query})
	n.saw(Observation{Asked: number}, out)
	if n.cluster.config.mistake == readsAlone && n.leads {
		n.requests[len(n.requests)-1].index = max(1, n.applied)
		n.saw(Observation{Answered: number, Index: n.applied}, out)
		n.answerReads(out)
		return
	}
	n.raw.ReadIndex(binary.LittleEndian.AppendUint64(nil, number))
}

// take removes the request with the number from n.requests and returns it.
func (n *node) take(number uint64) (r request, ok bool) {
	for i, r := range n.requests {
		if r.number == number {
			n.requests = append(n.requests[:i], n.requests[i+1:]...)
			return r, true
		}
	}
	return r, false
}

// answer answers the request whose number is at the start of data, if the request was
// made at this node.
func (n *node) answer(data []byte, index uint64, value any, out *output) {
	if len(data) < header {
		return
	}
	if r, ok := n.take(binary.LittleEndian.Uint64(data)); ok {
		out.Send(r.client, Result{Index: index, Value: value})
	}
}
