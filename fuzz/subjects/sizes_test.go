package subjects_test

import (
	"strings"
	"testing"

	"github.com/jostle-go/jostle/fuzz/subjects"
	"github.com/jostle-go/jostle/fuzz/subjects/ackcompact"
	"github.com/jostle-go/jostle/fuzz/subjects/attach"
	"github.com/jostle-go/jostle/fuzz/subjects/bank"
	"github.com/jostle-go/jostle/fuzz/subjects/barber"
	"github.com/jostle-go/jostle/fuzz/subjects/cachefill"
	"github.com/jostle-go/jostle/fuzz/subjects/casreplay"
	"github.com/jostle-go/jostle/fuzz/subjects/chainrepair"
	"github.com/jostle-go/jostle/fuzz/subjects/gatling"
	"github.com/jostle-go/jostle/fuzz/subjects/gossipghost"
	"github.com/jostle-go/jostle/fuzz/subjects/messenger"
	"github.com/jostle-go/jostle/fuzz/subjects/paxoscommit"
	"github.com/jostle-go/jostle/fuzz/subjects/paxosquorum"
	"github.com/jostle-go/jostle/fuzz/subjects/pingreg"
	"github.com/jostle-go/jostle/fuzz/subjects/procreg"
	"github.com/jostle-go/jostle/fuzz/subjects/raftdupvote"
	"github.com/jostle-go/jostle/fuzz/subjects/raftmember"
	"github.com/jostle-go/jostle/fuzz/subjects/raftvotecount"
	"github.com/jostle-go/jostle/fuzz/subjects/raftvotedfor"
	"github.com/jostle-go/jostle/fuzz/subjects/server"
	"github.com/jostle-go/jostle/fuzz/subjects/snapshotlate"
	"github.com/jostle-go/jostle/fuzz/subjects/threadring"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/fuzz/subjects/twopc"
	"github.com/jostle-go/jostle/fuzz/subjects/votelog"
	"github.com/jostle-go/jostle/fuzz/subjects/writer"
	"github.com/jostle-go/jostle/fuzz/subjects/zabnewleader"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// TestSizes builds larger versions of the subjects. The broken form must pass in plain order and
// fail in some other order. The mended form must pass in all. By day it builds every second one.
func TestSizes(t *testing.T) {
	trial.Long(t)
	circle := [][]int{{1, 2}, {2, 0}, {0, 1}}
	against := []bool{false, true, true, true, true}
	for i, c := range []struct {
		name           string
		broken, mended subjects.Build
		failing        int    // number of failing runs, of 2,000 of the broken form
		text           string // the first line of the first failure
	}{
		{"writer", writer.Config{Actions: 3}.Build, writer.Config{Actions: 3, Mended: true}.Build,
			532, "stored 2 of 3 results"},
		{"writer-error", writer.Config{Actions: 3, Check: true}.Build, writer.Config{Actions: 3, Check: true, Mended: true}.Build,
			9, "the check for errors found lost results: [3]"},
		{"gatling", gatling.Config{Writers: 3, Actions: 2}.Build, gatling.Config{Writers: 3, Actions: 2, Mended: true}.Build,
			1779, "flushed 0 of 3 writers"},
		{"bank", bank.Config{Requests: []int{50, -30, 20, -140}}.Build, bank.Config{Requests: []int{50, -30, 20, -140}, Mended: true}.Build,
			296, "panic in server#1 ← withdraw(140): overdrawn: withdraws 140 of 100"},
		{"threadring", threadring.Config{Passers: 5, Hops: 12}.Build, threadring.Config{Passers: 5, Hops: 12, Mended: true}.Build,
			384, "Send token(10): the Ref is the zero Ref, which is nobody: it was never set (in passer.2#1 ← token(11))"},
		{"server", server.Config{Gets: 4}.Build, server.Config{Gets: 4, Mended: true}.Build,
			967, "the client read [0 5 5 5]"},
		{"raft-dupvote", raftdupvote.Config{Nodes: 7, Candidates: 3}.Build, raftdupvote.Config{Nodes: 7, Candidates: 3, Mended: true}.Build,
			21, "term 1 has two leaders: node.1 and node.3"},
		{"gatling-records", gatling.Records{Users: 3, Requests: 2}.Build, gatling.Records{Users: 3, Requests: 2, Mended: true}.Build,
			207, "user 3 ends before the start"},
		{"barber", barber.Config{Customers: 5, Chairs: 2}.Build, barber.Config{Customers: 5, Chairs: 2, Mended: true}.Build,
			16, "1 of 5 customers wait forever"},
		{"messenger", messenger.Config{Writes: circle}.Build, messenger.Config{Writes: circle, Mended: true}.Build,
			960, "message 2 from user 0 to user 2 was sent and not shown"},
		{"procreg", takeover(false, false).Build, takeover(false, true).Build,
			164, "no atomic registry answers like this:"},
		{"procreg-forgets", takeover(true, false).Build, takeover(true, true).Build,
			210, "no atomic registry answers like this:"},
		{"pingreg", pingreg.Config{Children: 3, Pings: 2}.Build, pingreg.Config{Children: 3, Pings: 2, Mended: true}.Build,
			655, "panic in pong#5 ← false: badarg: register ping 3"},
		{"attach", attach.Config{Limit: 2, Clients: 6}.Build, attach.Config{Limit: 2, Clients: 6, Mended: true}.Build,
			966, "client.4 was refused although a place was free"},
		{"2pc-early", twopc.Config{Votes: against}.Build, twopc.Config{Votes: against, Mended: true}.Build,
			398, "participant 2 has committed, participant 1 has aborted"},
		{"2pc-stuck", twopc.Config{Votes: against[1:], Stuck: true}.Build, twopc.Config{Votes: against[1:], Stuck: true, Mended: true}.Build,
			554, "the transaction is never decided"},
		{"paxos-quorum", paxosquorum.Config{Acceptors: 5, Values: []int{1, 2, 3}}.Build, paxosquorum.Config{Acceptors: 5, Values: []int{1, 2, 3}, Mended: true}.Build,
			275, "two values are chosen: 2 for proposer 2, 3 for proposer 3"},
		{"raft-votecount", raftvotecount.Config{Nodes: 7, Timeouts: []int{2, 2, 1}}.Build, raftvotecount.Config{Nodes: 7, Timeouts: []int{2, 2, 1}, Mended: true}.Build,
			310, "term 2 has two leaders: node.1 and node.3"},
		{"raft-votedfor", raftvotedfor.Config{Nodes: 5, Candidates: 3}.Build, raftvotedfor.Config{Nodes: 5, Candidates: 3, Mended: true}.Build,
			39, "term 1 has two leaders: node.1 and node.2"},
		{"paxos-commit", paxoscommit.Config{Replicas: 5, Coordinators: 3}.Build, paxoscommit.Config{Replicas: 5, Coordinators: 3, Mended: true}.Build,
			3, "the updates from 0 to 2 and from 0 to 3 have both succeeded"},
		{"chain-repair", chainrepair.Config{Nodes: 5, Repairs: 2, Writes: 4, Readers: 2, Reads: 3}.Build, chainrepair.Config{Nodes: 5, Repairs: 2, Writes: 4, Readers: 2, Reads: 3, Mended: true}.Build,
			202, "reader 1 read 1 and then 0"},
		{"snapshot-late", snapshotlate.Config{Entries: 4}.Build, snapshotlate.Config{Entries: 4, Mended: true}.Build,
			17, "follower 2 leads with a log up to entry 10, but entry 11 was committed"},
		{"zab-newleader", zabnewleader.Config{Entries: 12}.Build, zabnewleader.Config{Entries: 12, Mended: true}.Build,
			5, "the new leader has entries up to 10, but entries up to 12 were committed"},
		{"cas-replay", casreplay.Config{Coordinators: 6}.Build, casreplay.Config{Coordinators: 6, Mended: true}.Build,
			3, "update 1 was committed again after [1 3]"},
		{"ack-compact", ackcompact.Config{Messages: 12}.Build, ackcompact.Config{Messages: 12, Mended: true}.Build,
			3, "message 3 came again to subscriber 2 after its acknowledgment was confirmed"},
		{"vote-log", votelog.Config{Participants: 6, Transactions: 1}.Build, votelog.Config{Participants: 6, Transactions: 1, Mended: true}.Build,
			3, "transaction 1 has committed and has aborted"},
		{"gossip-ghost", gossipghost.Config{Rounds: 10}.Build, gossipghost.Config{Rounds: 10, Mended: true}.Build,
			48, "node 1 has the member again, which it had removed"},
		{"cache-fill", cachefill.Config{Readers: 9}.Build, cachefill.Config{Readers: 9, Mended: true}.Build,
			3, "the cache has the value 2, the source has 4"},
		{"raft-member", raftmember.Config{Timeouts: []int{1, 0, 0}}.Build, raftmember.Config{Timeouts: []int{1, 0, 0}, Mended: true}.Build,
			6, "node 1 leads in term 3 without what node 2 has committed in term 2"},
	} {
		if i%2 > 0 && !nightly() {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			s, _ := subjects.ByName(c.name)
			if err := run(newSystem(t, s, nil, false), 1, c.broken); err != nil {
				t.Errorf("broken, in plain order: %v", err)
			}
			sys, failing, text := newSystem(t, s, strategy.Random(), true), 0, ""
			for seed := range uint64(2000) {
				if err := run(sys, seed, c.mended); err != nil {
					t.Fatalf("mended, seed %d: %v", seed, err)
				}
				if err := run(sys, seed, c.broken); err != nil {
					if failing++; failing == 1 {
						text, _, _ = strings.Cut(err.Error(), "\n")
					}
				}
			}
			if failing != c.failing || text != c.text {
				t.Errorf("broken: %d runs fail, first with %q; want %d and %q", failing, text, c.failing, c.text)
			}
		})
	}
}

// takeover has a client that registers another process under the name of a
// dead one. At the same time others register the dead process under that name.
func takeover(forgets, mended bool) procreg.Config {
	const register = procreg.Register
	return procreg.Config{
		Before: []procreg.Command{{Op: register}},
		Clients: [][]procreg.Command{
			{{Op: procreg.Kill}, {Op: register, Process: 1}, {Op: procreg.WhereIs}},
			{{Op: register}, {Op: procreg.WhereIs}, {Op: register}},
			{{Op: procreg.Unregister, Name: 1}, {Op: register}, {Op: register, Name: 1, Process: 1}},
		},
		Forgets: forgets, Mended: mended,
	}
}

// TestFIFO checks that the bugs of the Unordered subjects need Unordered delivery.
func TestFIFO(t *testing.T) {
	for _, s := range subjects.All() {
		if s.Options.Delivery != pulse.DeliveryUnordered {
			continue
		}
		s.Options.Delivery = pulse.DeliveryFIFO
		if strings.HasPrefix(s.Name, "paxos-commit") { // checked by random runs, because it has too many orders to run them all
			sys := newSystem(t, s, strategy.POS(), false)
			for seed := range uint64(20_000) {
				if err := run(sys, seed, s.Broken); err != nil {
					t.Errorf("%s, seed %d: %v with FIFO delivery", s.Name, seed, err)
					break
				}
			}
			continue
		}
		if n := enumerate(s.Options, s.Broken); n.failing != 0 {
			t.Errorf("%s: %d of %d orders fail with FIFO delivery", s.Name, n.failing, n.all)
		}
	}
}
