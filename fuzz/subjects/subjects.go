// Package subjects lists example programs with a known bug, and builds each with its bug and
// without.
//
// Each program has a package with a Config and a Property. The zero Config is the smallest
// input that triggers the bug. The Property draws its inputs. Programs without a bug are in
// packages load, orders and trial. The file testdata/found.txt lists the number of runs that
// each strategy takes to find each bug. The file testdata/hard.txt lists these numbers for
// the hard subjects.
package subjects

import (
	"slices"

	"github.com/jostle-go/jostle/fuzz/subjects/attach"
	"github.com/jostle-go/jostle/fuzz/subjects/bank"
	"github.com/jostle-go/jostle/fuzz/subjects/barber"
	"github.com/jostle-go/jostle/fuzz/subjects/cache"
	"github.com/jostle-go/jostle/fuzz/subjects/chainrepair"
	"github.com/jostle-go/jostle/fuzz/subjects/closing"
	"github.com/jostle-go/jostle/fuzz/subjects/gatling"
	"github.com/jostle-go/jostle/fuzz/subjects/guard"
	"github.com/jostle-go/jostle/fuzz/subjects/messenger"
	"github.com/jostle-go/jostle/fuzz/subjects/paxoscommit"
	"github.com/jostle-go/jostle/fuzz/subjects/paxosquorum"
	"github.com/jostle-go/jostle/fuzz/subjects/pingreg"
	"github.com/jostle-go/jostle/fuzz/subjects/procreg"
	"github.com/jostle-go/jostle/fuzz/subjects/raftdupvote"
	"github.com/jostle-go/jostle/fuzz/subjects/raftvotecount"
	"github.com/jostle-go/jostle/fuzz/subjects/raftvotedfor"
	"github.com/jostle-go/jostle/fuzz/subjects/server"
	"github.com/jostle-go/jostle/fuzz/subjects/snapshotlate"
	"github.com/jostle-go/jostle/fuzz/subjects/threadring"
	"github.com/jostle-go/jostle/fuzz/subjects/twopc"
	"github.com/jostle-go/jostle/fuzz/subjects/writer"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

// A Subject is one example program.
type Subject struct {
	Name   string
	Source string // where the program comes from
	Wrong  string // what goes wrong
	// Depth is the smallest number of messages whose receipt must move, compared with the
	// oldest-first order, to trigger the bug. The oldest-first order always delivers the oldest
	// message. Faults, and messages that are not in this order, do not count. Zero means that
	// Broken fails in the oldest-first order too, or that only messages that do not count must
	// move. For a hard subject, Depth is the smallest number that a test has seen.
	Depth int
	// Options are the options of a system in which the bug can occur. The caller
	// adds strategy, seed and recording.
	Options pulse.Options
	// Broken and Mended add the program to a system that has just been made or
	// reset.
	Broken, Mended Build
	// Property returns the program as a property. The property draws its inputs, so they may
	// be larger or smaller than the inputs of Broken and Mended. A few properties draw
	// nothing and equal Smallest.
	Property func(mended bool) func(*props.T)
}

// Smallest returns a property with the smallest input that triggers the bug.
func (s Subject) Smallest(mended bool) func(*props.T) {
	build := s.Broken
	if mended {
		build = s.Mended
	}
	return func(t *props.T) {
		sys := t.SystemWith(s.Options)
		check := build(sys)
		sys.Run()
		if err := check(); err != nil {
			t.Error(err)
		}
	}
}

// A Build adds a program to a system. After a run without a failure, check returns an
// error if the property does not hold.
type Build = func(sys *pulse.System) (check func() error)

// All returns all subjects in this order: the easy subjects, the hard subjects, and the
// subjects of Apart.
func All() []Subject { return slices.Concat(Easy(), Hard(), Apart()) }

// Easy returns the subjects that are not hard. Tests that search every subject use Easy,
// because its subjects take little time.
func Easy() []Subject {
	return slices.Concat(fromBita(), fromOthers(), fromField(), fromReports(), whoseInputsMatter())
}

// Quick returns the easy subjects, except those whose failures take longest to shrink and to
// explain.
func Quick() []Subject {
	long := []string{"procreg", "procreg-forgets", "messenger", "paxos-quorum", "raft-votecount", "paxos-commit",
		"2pc-early", "raft-dupvote", "snapshot-late", "chain-repair"}
	return slices.DeleteFunc(Easy(), func(s Subject) bool { return slices.Contains(long, s.Name) })
}

// Few returns every second subject of Quick.
func Few() (list []Subject) {
	for i, s := range Quick() {
		if i%2 == 0 {
			list = append(list, s)
		}
	}
	return list
}

// fromBita returns the subjects from the papers on Bitá and PULSE.
func fromBita() []Subject {
	return []Subject{
		{
			Name: "writer", Source: "Bitá, Listing 1", Depth: 1,
			Wrong:    "a flush overtakes a write, whose result is not stored",
			Broken:   writer.Config{}.Build,
			Mended:   writer.Config{Mended: true}.Build,
			Property: writer.Property,
		},
		{
			Name: "writer-error", Source: "Bitá, Figure 2", Depth: 2,
			Wrong:    "a flush overtakes a write, and the report of the loss overtakes the question about it",
			Broken:   writer.Config{Check: true}.Build,
			Mended:   writer.Config{Check: true, Mended: true}.Build,
			Property: writer.ErrorProperty,
		},
		{
			Name: "gatling", Source: "Gatling's terminator, after Bitá", Depth: 1,
			Wrong:    "the end of a user overtakes a registration, which is then not understood",
			Broken:   gatling.Config{}.Build,
			Mended:   gatling.Config{Mended: true}.Build,
			Property: gatling.Property,
		},
		{
			Name: "gatling-records", Source: "Gatling's records, after Bitá", Depth: 1,
			Wrong:    "the record of an end overtakes that of the start",
			Broken:   gatling.Records{}.Build,
			Mended:   gatling.Records{Mended: true}.Build,
			Property: gatling.RecordsProperty,
		},
		{
			Name: "barber", Source: "the sleeping barber, after Bitá", Depth: 1,
			Wrong:    "a wake overtakes the news that sends the barber to sleep, and a customer waits forever",
			Broken:   barber.Config{}.Build,
			Mended:   barber.Config{Mended: true}.Build,
			Property: barber.Property,
		},
		{
			Name: "messenger", Source: "the messenger of Erlang's tutorial, after Bitá", Depth: 1,
			Wrong:    "a message that was sent comes to a client that has logged off",
			Broken:   messenger.Config{}.Build,
			Mended:   messenger.Config{Mended: true}.Build,
			Property: messenger.Property,
		},
		{
			Name: "procreg", Source: "PULSE, a process registry", Depth: 1,
			Wrong:    "registering a dead process is refused, because another registration comes in between",
			Broken:   procreg.Config{}.Build,
			Mended:   procreg.Config{Mended: true}.Build,
			Property: procreg.Property,
		},
		{
			Name: "procreg-forgets", Source: "similar to a bug that PULSE found", Depth: 1,
			Wrong:    "a late Down drops a name that another process has taken over",
			Broken:   procreg.Config{Forgets: true}.Build,
			Mended:   procreg.Config{Forgets: true, Mended: true}.Build,
			Property: procreg.ForgetsProperty,
		},
	}
}

// fromOthers returns the subjects from other papers.
func fromOthers() []Subject {
	return []Subject{
		{
			Name: "pingreg", Source: "Concuerror, Figure 1", Depth: 1,
			Wrong:    "a process ends before it is registered",
			Broken:   pingreg.Config{}.Build,
			Mended:   pingreg.Config{Mended: true}.Build,
			Property: pingreg.Property,
		},
		{
			Name: "attach", Source: "the registration server of Concuerror", Depth: 1,
			Wrong:    "a waiting client asks for a place before it is given back, and is refused",
			Broken:   attach.Config{}.Build,
			Mended:   attach.Config{Mended: true}.Build,
			Property: attach.Property,
		},
		{
			Name: "bank", Source: "TAP, Figure 1", Depth: 1,
			Wrong:    "a withdrawal overtakes the deposit that covers it",
			Options:  bank.Options(),
			Broken:   bank.Config{}.Build,
			Mended:   bank.Config{Mended: true}.Build,
			Property: bank.Property,
		},
		{
			Name: "threadring", Source: "Savina's ThreadRing, after TAP, Figure 12", Depth: 1,
			Wrong:    "the token comes to a passer before the link that says who is next",
			Broken:   threadring.Config{}.Build,
			Mended:   threadring.Config{Mended: true}.Build,
			Property: threadring.Property,
		},
		{
			Name: "server", Source: "Basset, Figure 3.1", Depth: 1,
			Wrong:    "a value is stored between two reads of it",
			Options:  server.Options(),
			Broken:   server.Config{}.Build,
			Mended:   server.Config{Mended: true}.Build,
			Property: server.Property,
		},
	}
}

// fromField returns the subjects that are common mistakes in protocols.
func fromField() []Subject {
	return []Subject{
		{
			Name: "raft-dupvote", Source: "a common mistake in Raft", Depth: 1,
			Wrong:    "a vote that the network delivers twice is counted twice, and a term has two leaders",
			Options:  raftdupvote.Options(),
			Broken:   raftdupvote.Config{}.Build,
			Mended:   raftdupvote.Config{Mended: true}.Build,
			Property: raftdupvote.Property,
		},
		{
			Name: "guard", Source: "a mistake of many small servers", Depth: 0,
			Wrong:    "a request for all that is left is refused",
			Broken:   guard.Config{}.Build,
			Mended:   guard.Config{Mended: true}.Build,
			Property: guard.Property,
		},
		{
			Name: "2pc-early", Source: "a mistake in two-phase commit", Depth: 1,
			Wrong:    "the only vote against comes last, after all the votes for it",
			Broken:   twopc.Config{}.Build,
			Mended:   twopc.Config{Mended: true}.Build,
			Property: twopc.EarlyProperty,
		},
		{
			Name: "2pc-stuck", Source: "a mistake in two-phase commit", Depth: 1,
			Wrong:    "a participant joins after the coordinator has begun to ask for votes, and is never asked",
			Broken:   twopc.Config{Stuck: true}.Build,
			Mended:   twopc.Config{Stuck: true, Mended: true}.Build,
			Property: twopc.StuckProperty,
		},
		{
			Name: "paxos-quorum", Source: "a mistake in Paxos", Depth: 1,
			Wrong:    "two quorums that are too small have no acceptor in common, and two values are chosen",
			Broken:   paxosquorum.Config{}.Build,
			Mended:   paxosquorum.Config{Mended: true}.Build,
			Property: paxosquorum.Property,
		},
	}
}

// fromReports returns the subjects from public bug reports.
func fromReports() []Subject {
	return []Subject{
		{
			Name: "raft-votecount", Source: "akka-raft, issues 45 and 46", Depth: 3,
			Wrong:    "two votes that one node gave in two terms are counted in the second, and a term has two leaders",
			Broken:   raftvotecount.Config{}.Build,
			Mended:   raftvotecount.Config{Mended: true}.Build,
			Property: raftvotecount.Property,
		},
		{
			Name: "raft-votedfor", Source: "akka-raft, issue 56, and etcd, pull request 2461", Depth: 1,
			Wrong:    "nodes that hear of their leader forget their votes and vote again, and a term has two leaders",
			Broken:   raftvotedfor.Config{}.Build,
			Mended:   raftvotedfor.Config{Mended: true}.Build,
			Property: raftvotedfor.Property,
		},
		{
			Name: "paxos-commit", Source: "similar to CASSANDRA-6023", Depth: 1,
			Wrong:    "a replica forgets what it has accepted without a promise, and two updates succeed",
			Options:  paxoscommit.Options(),
			Broken:   paxoscommit.Config{}.Build,
			Mended:   paxoscommit.Config{Mended: true}.Build,
			Property: paxoscommit.Property,
		},
		{
			Name: "chain-repair", Source: "a mistake in chain replication", Depth: 2,
			Wrong:    "a write comes to the tail after its value was copied to the next one, and is not handed on",
			Broken:   chainrepair.Config{}.Build,
			Mended:   chainrepair.Config{Mended: true}.Build,
			Property: chainrepair.Property,
		},
		{
			Name: "snapshot-late", Source: "Camunda, issue 6092", Depth: 1,
			Wrong:    "a snapshot that comes again takes away what was acknowledged, and a leader lacks it",
			Broken:   snapshotlate.Config{}.Build,
			Mended:   snapshotlate.Config{Mended: true}.Build,
			Property: snapshotlate.Property,
		},
	}
}

// whoseInputsMatter returns the subjects whose bug needs certain inputs. A search that tries
// many orders of each input finds such a bug late.
func whoseInputsMatter() []Subject {
	return []Subject{
		{
			Name: "cache", Source: "a mistake of many small caches", Depth: 1,
			Wrong:    "a get returns the value of another key that shares the slot",
			Broken:   cache.Config{}.Build,
			Mended:   cache.Config{Mended: true}.Build,
			Property: cache.Property,
		},
		{
			Name: "closing", Source: "a mistake of many programs that tidy up", Depth: 1,
			Wrong:    "an emptied account closes while a deposit to it is in transit",
			Broken:   closing.Config{}.Build,
			Mended:   closing.Config{Mended: true}.Build,
			Property: closing.Property,
		},
	}
}

// ByName returns the subject with a name. The result ok is false if there is none.
func ByName(name string) (subject Subject, ok bool) {
	for _, s := range All() {
		if s.Name == name {
			return s, true
		}
	}
	return Subject{}, false
}
