package subjects

import (
	"slices"

	"github.com/jostle-go/jostle/fuzz/subjects/barber"
	"github.com/jostle-go/jostle/fuzz/subjects/casreplay"
	"github.com/jostle-go/jostle/fuzz/subjects/chainrepair"
	"github.com/jostle-go/jostle/fuzz/subjects/deposedread"
	"github.com/jostle-go/jostle/fuzz/subjects/evictable"
	"github.com/jostle-go/jostle/fuzz/subjects/paxoscommit"
	"github.com/jostle-go/jostle/fuzz/subjects/raftmember"
	"github.com/jostle-go/jostle/fuzz/subjects/raftoldterm"
	"github.com/jostle-go/jostle/fuzz/subjects/sessionlost"
	"github.com/jostle-go/jostle/fuzz/subjects/shardtwice"
	"github.com/jostle-go/jostle/fuzz/subjects/snapshotlate"
	"github.com/jostle-go/jostle/fuzz/subjects/writer"
	"github.com/jostle-go/jostle/fuzz/subjects/zabnewleader"
)

// Hard returns the subjects whose bug takes more than a thousand random runs to find,
// by the median in testdata/hard.txt. Use them to measure searches, because finding
// the bugs of the other subjects sooner means little.
func Hard() []Subject {
	list := slices.Concat(hardByNature(), hardBySize(), deepProtocols())
	for i := range list {
		if list[i].Property == nil {
			list[i].Property = list[i].Smallest
		}
	}
	return list
}

// hardByNature returns the subjects that are hard at any size.
func hardByNature() []Subject {
	return []Subject{
		{
			Name: "zab-newleader", Source: "ZOOKEEPER-4646", Depth: 0,
			Wrong:    "a follower acknowledges what it has not written, and it and the leader crash",
			Options:  zabnewleader.Options(),
			Broken:   zabnewleader.Config{Entries: 3}.Build,
			Mended:   zabnewleader.Config{Entries: 3, Mended: true}.Build,
			Property: zabnewleader.Property,
		},
		{
			Name: "evictable", Source: "Trino, issue 22285", Depth: 3,
			Wrong:    "a get puts back the token that one invalidation has taken out and another has not found",
			Broken:   evictable.Config{}.Build,
			Mended:   evictable.Config{Mended: true}.Build,
			Property: evictable.Property,
		},
		{
			Name: "cas-replay", Source: "CASSANDRA-6023", Depth: 0,
			Wrong:    "an old update looks newer than what was committed after it, and is committed again",
			Broken:   casreplay.Config{Replicas: 5}.Build,
			Mended:   casreplay.Config{Replicas: 5, Mended: true}.Build,
			Property: casreplay.Property,
		},
		{
			Name: "raft-member", Source: "Ongaro on raft-dev, 2015", Depth: 3,
			Wrong:    "one server is added and another removed by two leaders who know nothing of each other",
			Broken:   raftmember.Config{Timeouts: []int{1, 0, 2}}.Build,
			Mended:   raftmember.Config{Timeouts: []int{1, 0, 2}, Mended: true}.Build,
			Property: raftmember.Property,
		},
	}
}

// hardBySize returns larger versions of other subjects. Their properties draw no inputs.
func hardBySize() []Subject {
	return []Subject{
		{
			Name: "writer-error-30", Source: "Bitá, Figure 2, with 30 actions", Depth: 38,
			Wrong:  "a flush overtakes a write, and the report of the loss overtakes the question about it",
			Broken: writer.Config{Check: true, Actions: 30}.Build,
			Mended: writer.Config{Check: true, Actions: 30, Mended: true}.Build,
		},
		{
			Name: "barber-7", Source: "the sleeping barber, after Bitá, with 7 customers", Depth: 1,
			Wrong:  "a wake overtakes the news that sends the barber to sleep, and customers wait forever",
			Broken: barber.Config{Customers: 7, Chairs: 6}.Build,
			Mended: barber.Config{Customers: 7, Chairs: 6, Mended: true}.Build,
		},
		{
			Name: "paxos-commit-6", Source: "paxos-commit, with 6 replicas", Depth: 3,
			Wrong:   "two replicas forget what they have accepted without a promise, and two updates succeed",
			Options: paxoscommit.Options(),
			Broken:  paxoscommit.Config{Replicas: 6}.Build,
			Mended:  paxoscommit.Config{Replicas: 6, Mended: true}.Build,
		},
		{
			Name: "chain-repair-10", Source: "chain-repair, with a chain of 10 nodes", Depth: 3,
			Wrong:  "a write comes to the tail after its value was copied to the next one, and is not handed on",
			Broken: chainrepair.Config{Nodes: 10}.Build,
			Mended: chainrepair.Config{Nodes: 10, Mended: true}.Build,
		},
		{
			Name: "snapshot-late-5", Source: "snapshot-late, with 5 nodes", Depth: 4,
			Wrong:  "a snapshot that comes again takes away what was acknowledged, and a leader lacks it",
			Broken: snapshotlate.Config{Followers: 4}.Build,
			Mended: snapshotlate.Config{Followers: 4, Mended: true}.Build,
		},
		{
			Name: "evictable-5", Source: "evictable, with 5 processes", Depth: 5,
			Wrong:  "a get puts back the token that one invalidation has taken out and another has not found",
			Broken: evictable.Config{Readers: 2, Invalidators: 2}.Build,
			Mended: evictable.Config{Readers: 2, Invalidators: 2, Mended: true}.Build,
		},
	}
}

// deepProtocols returns protocols with bugs of kinds that were often reported. They are
// hard at any size.
func deepProtocols() []Subject {
	return []Subject{
		{
			Name: "raft-oldterm", Source: "Figure 8 of the Raft paper", Depth: 1,
			Wrong:    "a leader takes an entry of an older term as committed, and it is replaced",
			Broken:   raftoldterm.Config{Timeouts: []int{2, 0, 2, 0, 2}}.Build,
			Mended:   raftoldterm.Config{Timeouts: []int{2, 0, 2, 0, 2}, Mended: true}.Build,
			Property: raftoldterm.Property,
		},
		{
			Name: "deposed-read", Source: "similar to Consul's issue 54", Depth: 3,
			Wrong:    "a deposed leader answers a read because of a confirmation that it asked for earlier",
			Broken:   deposedread.Config{}.Build,
			Mended:   deposedread.Config{Mended: true}.Build,
			Property: deposedread.Property,
		},
		{
			Name: "session-lost", Source: "similar to RedisRaft's pull request 568", Depth: 0,
			Wrong:    "a backup restores a snapshot without the sessions of clients, and applies a command twice",
			Options:  sessionlost.Options(),
			Broken:   sessionlost.Config{}.Build,
			Mended:   sessionlost.Config{Mended: true}.Build,
			Property: sessionlost.Property,
		},
		{
			Name: "shard-twice", Source: "similar to reports on Akka's cluster sharding", Depth: 4,
			Wrong:    "a late answer to an earlier move lets a shard be assigned while its owner still has it",
			Options:  shardtwice.Options(),
			Broken:   shardtwice.Config{Writes: 4}.Build,
			Mended:   shardtwice.Config{Writes: 4, Mended: true}.Build,
			Property: shardtwice.Property,
		},
	}
}
