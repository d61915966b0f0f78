// Package etcdraft runs unchanged nodes of go.etcd.io/raft/v3 under jostle: each is a
// raft.RawNode with its storage, its log on a disk and the user's replicated state
// machine.
//
//	cluster := etcdraft.Config{
//		Voters:       3,
//		StateMachine: func() etcdraft.StateMachine { return newStore() },
//	}.Spawn(sys)
//	t.Always("raft", cluster.Err)
//	sys.Go("client", func(p *pulse.Process) {
//		answer, ok := p.AskTimeout(cluster.Ref(1), etcdraft.Propose{Data: put("x", "1")}, time.Second)
//		…
//	})
//	sys.Run()
//
// Nodes tick for ever, so a run needs an end: Options.Horizon.
//
// What goes wrong is said by pulse.Options.Faults or a pulse.Nemesis: messages that are
// lost, come twice or late, partitions, and crashes, also in the middle of a step, with
// what was not synced lost. Faults.RestartLost brings a crashed node back from its disk.
// RestartKept is not for these nodes: a process that has crashed keeps no memory.
//
// # What a client asks
//
// Propose, Read, ChangeConf, Transfer and Campaign are the messages that a client sends a
// node. The first three are answered, by Result, or by Dropped if raft refuses. A node that
// crashes, or that has no leader, answers nothing: ask by AskTimeout. A proposal that was
// not answered may be applied or not, and with Faults.Duplicate it may be applied twice,
// as with raft itself.
//
// # The driver
//
// The loop around the RawNode is this package's. One Ready is written as one record of the
// log on disk and synced if Ready.MustSync says so, its messages are sent after that, and
// then it is applied. With Config.Raft.AsyncStorageWrites what is to be appended and what
// is to be applied waits in two queues, and each comes to its end in a later step. Raft lets
// the queues overtake each other, but panics when it is told of a change of the configuration
// that is older than a snapshot it has taken: to leave such changes out is the driver's duty,
// of which the documentation of raft says nothing, and this driver does so. A node begins by
// reading its log until the first record that a crash has taken.
//
// # Monitors
//
// Cluster.Err returns the first violation that Safety has seen: of election safety, log
// matching, leader completeness, state machine safety, a commit index that goes back, a
// snapshot over newer state, or a read that misses what was committed before it was asked.
// Whether the answers of the user's state machine are linearizable is for props/linear: see
// the Example, whose store remembers its clients, since raft may apply a proposal twice and
// clients ask again.
//
// # Leaders that come and go
//
// The worst bugs of a consensus protocol need several leaders, each isolated at the wrong moment
// and elected again later. Faults at random moments hardly ever make such runs. A LeaderNemesis
// makes them on purpose:
//
//	nemesis := cluster.LeaderNemesis()
//	nemesis.Requests = []any{etcdraft.Propose{Data: put("x", "1")}}
//	sys.Go("nemesis", nemesis.Run)
//
// Two faults were planted in raft itself: an entry of an older term is counted as committed,
// which is Figure 8 of the Raft paper, and the configuration is changed while a change is
// pending. It finds them after 2,293 and 742 runs, by the medians of five seeds.
//
// # A driver of your own
//
// A driver that is not of this package, such as that of your product, uses three parts of it.
// Timeouts.Tick takes the place of RawNode.Tick, so that runs replay. A Safety judges: the
// driver calls Started when a node starts, with what its state machine has applied, and Observe
// after that. A LeaderNemesis sends it messages of your choice. machine.Config gives it a network
// and disks. The test TestOwnDriver of this package is a whole such driver in 100 lines.
//
// # What is controlled
//
// Time is virtual: Config.Tick is the time from one RawNode.Tick to the next. Raft draws its
// election timeouts from crypto/rand. Here they are decisions of the strategy, between
// ElectionTick and twice that, as there: see Timeouts, which writes a field of raft's that it
// finds by reflection. With a version of raft that has no such field Spawn panics.
// Raft logs nothing, and what it would end the process with fails the run.
//
// pulse.Options.Isolation is not for these nodes: values of protobuf keep notes in
// themselves when they are read, which is a change like any other.
package etcdraft
