package etcdraft_test

import (
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/raftpb"

	"github.com/jostle-go/jostle/fuzz/search"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/adapt/etcdraft"
	"github.com/jostle-go/jostle/pulse/adapt/machine"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// An own is a driver outside of this package, like a user's driver. Its state
// machine is on disk.
type own struct {
	id      uint64
	raw     *raft.RawNode
	storage *raft.MemoryStorage
	timer   etcdraft.Timeouts
	state   durable
	term    uint64
	leads   bool
	ownCluster
}

// A durable is a state machine whose state is on disk.
type durable struct {
	applied uint64
	text    string
}

// An ownCluster holds the data that all drivers of a cluster share.
type ownCluster struct {
	safety *etcdraft.Safety
	flaw   flaw
}

// A flaw is a fault of a driver.
type flaw uint8

const (
	noFlaw       flaw = iota
	forgetsState      // the driver does not report applied entries to raft
	hidesState        // the driver does not report applied entries to Safety
	neverSyncs        // a crash may remove promised entries from the log
	ownTimeouts       // the election timeouts are raft's
)

// start starts a node from its disk.
func (c ownCluster) start(id int, disk machine.Disk, out *machine.Output[any]) machine.Machine[any] {
	first := &raftpb.Snapshot{Metadata: &raftpb.SnapshotMetadata{Index: new(uint64(1)), Term: new(uint64(1)), ConfState: &raftpb.ConfState{Voters: []uint64{1, 2, 3}}}}
	o := &own{id: uint64(id), storage: raft.NewMemoryStorage(), state: durable{applied: 1}, ownCluster: c}
	_ = o.storage.ApplySnapshot(first)
	hard := &raftpb.HardState{Term: new(uint64(1)), Vote: new(uint64(0)), Commit: new(uint64(1))}
	if kept, ok := disk.Read("hard"); ok {
		hard = kept.(*raftpb.HardState)
	}
	_ = o.storage.SetHardState(hard)
	o.term = hard.GetTerm()
	var log []*raftpb.Entry
	if list, ok := disk.Read("log"); ok {
		log = list.([]*raftpb.Entry)
		_ = o.storage.Append(log)
	}
	if state, ok := disk.Read("state"); ok {
		o.state = state.(durable)
	}
	rc := raft.Config{ID: o.id, Storage: o.storage, Applied: o.state.applied, ElectionTick: 2, HeartbeatTick: 1,
		MaxSizePerMsg: 1 << 20, MaxInflightMsgs: 256, Logger: etcdraft.Quiet}
	told := rc.Applied
	switch c.flaw {
	case forgetsState:
		rc.Applied = 1
	case hidesState:
		told = 0
	}
	raw, err := raft.NewRawNode(&rc)
	if err != nil {
		panic(err)
	}
	o.raw, o.timer = raw, etcdraft.TimeoutsOf(raw)
	out.Do(func() { o.safety.Started(o.id, first, log, told) })
	o.drain(out)
	return o
}

func (o *own) Tick(out *machine.Output[any]) {
	if o.flaw == ownTimeouts {
		o.raw.Tick()
	} else {
		o.timer.Tick(out.Choose)
	}
	o.drain(out)
}

func (o *own) Step(_ int, msg any, out *machine.Output[any]) {
	switch msg := msg.(type) {
	case etcdraft.Message:
		_ = o.raw.Step(msg.Message)
	case etcdraft.Propose:
		_ = o.raw.Propose(msg.Data)
	case etcdraft.Campaign:
		_ = o.raw.Campaign()
	}
	o.drain(out)
}

// drain handles each Ready of raft.
func (o *own) drain(out *machine.Output[any]) {
	for o.raw.HasReady() {
		rd := o.raw.Ready()
		if rd.SoftState != nil {
			o.leads = rd.RaftState == raft.StateLeader
		}
		o.write(&rd, out)
		saw := etcdraft.Observation{Term: o.term, Leads: o.leads, Commit: rd.HardState.GetCommit(), Appended: rd.Entries, Committed: rd.CommittedEntries}
		out.Do(func() { o.safety.Observe(o.id, saw) })
		for _, m := range rd.Messages {
			out.Send(int(m.GetTo()), etcdraft.Message{Message: m})
		}
		o.apply(rd.CommittedEntries, out)
		o.raw.Advance(rd)
	}
}

// write writes to disk what raft asks to save.
func (o *own) write(rd *raft.Ready, out *machine.Output[any]) {
	if !raft.IsEmptyHardState(rd.HardState) {
		o.term = rd.GetTerm()
		_ = o.storage.SetHardState(rd.HardState)
		out.Write("hard", rd.HardState)
	}
	if len(rd.Entries) > 0 {
		_ = o.storage.Append(rd.Entries)
		last, _ := o.storage.LastIndex()
		log, _ := o.storage.Entries(2, last+1, math.MaxUint64)
		out.Write("log", slices.Clone(log))
	}
	if o.flaw != neverSyncs {
		out.Sync()
	}
}

// apply applies entries to the state on disk. A crash may lose the last ones.
func (o *own) apply(entries []*raftpb.Entry, out *machine.Output[any]) {
	for _, e := range entries {
		o.state.applied, o.state.text = e.GetIndex(), o.state.text+string(e.Data)
		out.Write("state", o.state)
		out.Do(func() { o.safety.Observe(o.id, etcdraft.Observation{Applied: []*raftpb.Entry{e}}) })
	}
}

// contestedOwn is a property: drivers outside of this package under a LeaderNemesis.
func contestedOwn(f flaw) func(*props.T) {
	return func(t *props.T) {
		sys := t.SystemWith(pulse.Options{Horizon: time.Second, Steps: 20_000})
		c := ownCluster{etcdraft.NewSafety(3), f}
		nodes := machine.Config[any]{Nodes: 3, Name: "own", Tick: 100 * time.Millisecond, New: c.start}.Spawn(sys)
		t.Always("raft", c.safety.Err)
		sys.Go("nemesis", etcdraft.LeaderNemesis{
			Safety:   c.safety,
			Nodes:    []pulse.Ref{nodes.Ref(1), nodes.Ref(2), nodes.Ref(3)},
			Campaign: etcdraft.Campaign{},
			Requests: []any{etcdraft.Propose{Data: []byte("a")}},
			Episodes: 8,
			Crash:    true,
			Wait:     400 * time.Millisecond,
		}.Run)
		sys.Run()
	}
}

// TestNemesisOfNothing: an incomplete LeaderNemesis says what it lacks.
func TestNemesisOfNothing(t *testing.T) {
	for _, c := range []struct {
		n    etcdraft.LeaderNemesis
		want string
	}{
		{etcdraft.LeaderNemesis{Nodes: make([]pulse.Ref, 2)}, "etcdraft: LeaderNemesis.Safety is nil: give it the Safety that the nodes feed"},
		{etcdraft.LeaderNemesis{Safety: etcdraft.NewSafety(1), Nodes: make([]pulse.Ref, 1)}, "etcdraft: LeaderNemesis.Nodes has 1 nodes: give it two or more"},
		{etcdraft.LeaderNemesis{Safety: etcdraft.NewSafety(2), Nodes: make([]pulse.Ref, 2)}, "etcdraft: LeaderNemesis without Campaign and Wait elects nobody: give it one of them"},
	} {
		sys := pulse.New(pulse.Options{})
		sys.Go("nemesis", c.n.Run)
		sys.Run()
		if f := sys.Failure(); f == nil || !strings.Contains(f.Text, c.want) {
			t.Errorf("the run says %v, want %q", f, c.want)
		}
		sys.Close()
	}
}

// TestOwnDriver: a LeaderNemesis finds the planted flaws of a user's driver. It finds
// none in the correct driver, whose state machine is on disk.
func TestOwnDriver(t *testing.T) {
	for _, c := range []struct {
		name string
		flaw flaw
		want []string // the failure's text must contain one of these; nil if no run fails
	}{
		{"a state machine on disk", noFlaw, nil},
		{"raft is not told what is applied", forgetsState, []string{"state machine safety: node "}},
		{"Safety is not told what is applied", hidesState, []string{"state machine safety: node "}},
		{"the log is not synced", neverSyncs, []string{"election safety", "leader completeness", "log matching", "state machine safety", "raft: tocommit("}},
	} {
		res := search.Sample(t.Context(), search.PropertyOf(contestedOwn(c.flaw), "TestOwnDriver"), search.Options{Runs: 300, Seed: 1})
		switch {
		case res.Finding == nil && c.want != nil:
			t.Errorf("%s: %d runs find nothing", c.name, res.Runs)
		case res.Finding == nil:
		case !slices.ContainsFunc(c.want, func(said string) bool { return strings.Contains(res.Finding.Failure.Text, said) }):
			t.Errorf("%s: run %d finds %q, want one of %q", c.name, res.Index+1, res.Finding.Failure.Text, c.want)
		default:
			t.Logf("%s: run %d finds %q", c.name, res.Index+1, res.Finding.Failure.Text)
		}
	}
}

// TestOwnDriverReplays: with Timeouts the runs of a driver outside of this package
// replay. With raft's own timeouts they do not.
func TestOwnDriverReplays(t *testing.T) {
	trial.Long(t)
	traces := func(f flaw) uint64 {
		r := props.NewRunner("own", contestedOwn(f))
		defer r.Close()
		sum := fnv.New64a()
		for seed := range uint64(50) {
			res := r.Run(props.Plan{Seed: seed, Strategy: strategy.Random(), StrategySeed: seed})
			sum.Write([]byte(res.System.Trace().Text()))
		}
		return sum.Sum64()
	}
	if first, again := traces(noFlaw), traces(noFlaw); first != again {
		t.Errorf("the same runs have traces %x and then %x", first, again)
	}
	if first, again := traces(ownTimeouts), traces(ownTimeouts); first == again {
		t.Error("runs with the timeouts that raft draws have the same traces: the test sees nothing")
	}
}
