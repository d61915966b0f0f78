package etcdraft_test

import (
	"math"
	"testing"
	"time"

	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/raftpb"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/adapt/etcdraft"
)

// byHand runs three nodes in a plain loop, as the tests of raft do. That is the
// least cost of a step. It returns the number of steps: messages passed to a node.
func byHand(proposals int) (steps int) {
	var nodes [3]*raft.RawNode
	var storages [3]*raft.MemoryStorage
	var queue []*raftpb.Message
	for i := range nodes {
		storages[i] = raft.NewMemoryStorage()
		_ = storages[i].ApplySnapshot(&raftpb.Snapshot{Metadata: &raftpb.SnapshotMetadata{Index: new(uint64(1)), Term: new(uint64(1)),
			ConfState: &raftpb.ConfState{Voters: []uint64{1, 2, 3}}}})
		nodes[i], _ = raft.NewRawNode(&raft.Config{ID: uint64(i + 1), ElectionTick: 5, HeartbeatTick: 1, MaxSizePerMsg: 1 << 20, MaxInflightMsgs: 256,
			Storage: storages[i], Applied: 1, Logger: etcdraft.Quiet})
	}
	drain := func(i int) {
		for n := nodes[i]; n.HasReady(); {
			rd := n.Ready()
			_ = storages[i].Append(rd.Entries)
			if !raft.IsEmptyHardState(rd.HardState) {
				_ = storages[i].SetHardState(rd.HardState)
			}
			queue = append(queue, rd.Messages...)
			n.Advance(rd)
		}
	}
	settle := func() {
		for len(queue) > 0 {
			m := queue[0]
			queue = queue[1:]
			_ = nodes[m.GetTo()-1].Step(m)
			drain(int(m.GetTo() - 1))
			steps++
		}
	}
	_ = nodes[0].Campaign()
	drain(0)
	settle()
	for range proposals { // the data is as long as in byCluster, where each proposal has a number
		_ = nodes[0].Propose([]byte("0123456789abcdef"))
		drain(0)
		settle()
		steps++
	}
	return steps
}

// BenchmarkStep divides the time of a step of byCluster by the time of a step of byHand.
// It uses the fastest batch of each, since other load on the machine only adds time.
func BenchmarkStep(b *testing.B) {
	const proposals = 200
	hand, ours := math.Inf(1), math.Inf(1)
	sys := pulse.New(pulse.Options{Horizon: time.Hour})
	defer sys.Close()
	for b.Loop() {
		start := time.Now()
		steps := byHand(proposals)
		hand = min(hand, float64(time.Since(start))/float64(steps))

		start = time.Now()
		steps = byCluster(b, sys, proposals)
		ours = min(ours, float64(time.Since(start))/float64(steps))
	}
	b.ReportMetric(hand, "ns/by-hand")
	b.ReportMetric(ours, "ns/step")
	b.ReportMetric(ours/hand, "ratio")
}

// byCluster does the same as byHand, but under jostle, with disks and monitors. It
// reuses its system, as a search does.
func byCluster(b *testing.B, sys *pulse.System, proposals int) (steps int) {
	sys.Reset(1)
	c := etcdraft.Config{Voters: 3}.Spawn(sys)
	leader, done := c.Ref(1), 0
	sys.Send(leader, etcdraft.Campaign{})
	sys.RunFor(time.Millisecond)
	sys.Go("client", func(p *pulse.Process) {
		for range proposals {
			if _, ok := p.Ask(leader, etcdraft.Propose{Data: []byte("01234567")}).(etcdraft.Result); ok {
				done++
			}
		}
	})
	sys.RunFor(time.Millisecond)
	if done != proposals || c.Err() != nil {
		b.Fatal(done, sys.Err(), c.Err())
	}
	return sys.Steps() - proposals // the client's own steps do not count
}
