// Package etcdraft runs unchanged nodes of go.etcd.io/raft/v3 under jostle. A node consists of
// a raft.RawNode with its storage, a log on disk, and the user's replicated state machine.
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
// Nodes tick forever, so a run needs an end: set Options.Horizon.
//
// Set pulse.Options.Faults or use a pulse.Nemesis for faults: lost, duplicated and late
// messages, partitions, and crashes, which may come in the middle of a step. A crash loses all
// writes that were not synced. Faults.RestartLost restarts a crashed node from its disk. Do
// not use RestartKept with these nodes, because a crashed process keeps no memory.
//
// # Requests of clients
//
// A client sends a node Propose, Read, ChangeConf, Transfer and Campaign. The node answers the
// first three with Result, or with Dropped if raft refuses the request. A node that crashes or
// has no leader does not answer: use AskTimeout. A proposal without an answer may or may not
// be applied. With Faults.Duplicate it may be applied twice, as with raft itself.
//
// # The driver
//
// The loop around the RawNode belongs to this package. The loop writes a Ready as one record
// of the log on disk, and syncs the record if Ready.MustSync says so. Then it sends the
// messages. Last, it applies the entries. With Config.Raft.AsyncStorageWrites, appends and
// applies wait in two queues, and each is done in a later step. Raft lets the queues overtake
// each other. But raft panics on a configuration change that is older than a snapshot it has
// accepted. The driver must skip such changes, which the documentation of raft does not say.
// This driver skips them. When a node starts, it reads its log up to the first record that a
// crash has lost.
//
// # Monitors
//
// Cluster.Err returns the first violation that Safety has seen: of election safety, log
// matching, leader completeness, state machine safety, a commit index that goes back, a
// snapshot over newer state, or a read that misses earlier commits. Use props/linear to check
// that the answers of your state machine are linearizable. See the Example, whose store
// recognizes repeated requests. It must, because raft may apply a proposal twice and clients
// retry.
//
// # Leaders that come and go
//
// The worst bugs of a consensus protocol need several leaders, each isolated at the wrong
// moment and elected again later. Faults at random moments hardly ever lead to such runs. A
// LeaderNemesis causes such runs on purpose:
//
//	nemesis := cluster.LeaderNemesis()
//	nemesis.Requests = []any{etcdraft.Propose{Data: put("x", "1")}}
//	sys.Go("nemesis", nemesis.Run)
//
// This nemesis finds two bugs that were planted in raft itself, after 2,293 and 742 runs
// (medians of five seeds). In the first, an entry of an older term counts as committed (Figure
// 8 of the Raft paper). In the second, the configuration changes while another change is
// pending.
//
// # A driver of your own
//
// Your own driver, such as that of your product, uses three parts of this package.
// Timeouts.Tick replaces RawNode.Tick, so that runs replay. A Safety checks the nodes: the
// driver calls Started when a node starts, and Observe for what the node does. A LeaderNemesis
// sends messages of your choice. Use machine.Config for the network and the disks. The test
// TestOwnDriver of this package contains a complete driver in 100 lines.
//
// # What is controlled
//
// Time is virtual: Config.Tick is the time from one RawNode.Tick to the next. Raft itself
// draws its election timeouts from crypto/rand. Here the strategy chooses each timeout in the
// same range, from ElectionTick to twice that. Timeouts sets a field of raft that it finds by
// reflection. Spawn panics if this version of raft has no such field. Raft's log is discarded.
// A fatal error of raft fails the run.
//
// Do not use pulse.Options.Isolation with these nodes. Reading a protobuf value changes caches
// inside the value, which Isolation would report.
package etcdraft
