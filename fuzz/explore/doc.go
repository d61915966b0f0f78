// Package explore runs a program in every order in which its messages can be received, or
// in one order of each equivalence class, and reports whether all were run. Package fuzz
// implements fuzz.Explore with package explore. A program need not be a property to be
// explored.
//
//	result, err := explore.Explore(explore.Options{}, worker)
//
// A Worker runs the program once per call, with a pulse.Strategy that makes all
// decisions. The Result holds the number of runs, the number of distinct orders, the
// failures, and whether the search is complete.
//
// # The search
//
// Every run is a path in one tree of decisions. The search is depth-first and stateless.
// Each run starts the program anew and repeats the decisions of the previous run up to
// the last decision with an untried answer. There the run takes the untried answer. All
// later decisions of the run are default answers. Only one path is kept, so memory does
// not grow with the number of runs. (See section 3.2 of the Eta paper: Simsa, Bryant and
// Gibson.)
//
// Depth-first search stays in one corner of a large tree for a long time. Therefore the
// search also makes probes, which are runs with random decisions. After the first 2,000
// runs every other run is a probe. After 16,000 probes, one run in eight is a probe. The
// strategies of probes alternate between Random and POS. A probe only looks for failures.
// Only Result.Probes counts probes; all other counts are the same with and without
// probes. There are no probes with Method.DepthFirst, with bounds on depth, delays or
// preemptions, or with random branches.
//
// Two orders in which every actor receives the same messages in the same order have the
// same effect. They are one distinct order (a Mazurkiewicz trace). A message races with
// an earlier step of its receiver if two conditions hold: the step did not happen before
// the send, and the step's message came through another channel. Reversing all races is
// enough to run every distinct order. The reductions differ in the additional orders that
// they run.
//
// # Which reduction
//
// Optimal is the default and the best, because it runs each distinct order once. Choose
// another reduction in these cases:
//
//   - SourceSets to compare states, or to bound the depth.
//   - Everything to bound delays or preemptions, to explore branches in random order, or
//     if a property reads several actors during the run.
//   - PersistentSets, DCUTE and GoodSiblings to compare with the literature: the Basset
//     thesis (Lauterburg 2011, sections 2.3 and 4) and the Eta paper (section 5.2). They
//     run some distinct orders several times. With Sleep they run fewer orders several
//     times.
//
// Explore returns an error for options that cannot be combined. These are the rules:
//
//   - Sleep sets work with every reduction.
//   - State comparison works with every reduction except Optimal, which needs complete
//     runs. State comparison makes the other reductions less effective, because a run
//     that stops at a known state does not contain the races after that state. Everything
//     with Sleep also reaches all states, and needs fewer runs. For a register with five
//     clients, which has 406,101 states, it needs 0.7 runs per state instead of 2.2.
//   - Bounds on delays and preemptions need Everything without Sleep. A reduction runs
//     one of several equivalent orders. That order may exceed the bound although an
//     equivalent order does not.
//   - Bounds on depth, runs and time work with every reduction.
//
// # When the search restarts with another reduction
//
// No reduction is proven for every feature of a program. If a run uses a feature that the
// reduction does not support, the search restarts with another reduction:
//
//   - Optimal restarts with SourceSets for faults, early timers and a bound on depth.
//   - Optimal, PersistentSets, DCUTE and GoodSiblings restart with SourceSets for
//     conflicts on an actor's lifetime or on test state (or with Everything, if states
//     are compared).
//   - Every reduction restarts with Everything for supervision, bounded mailboxes, timers
//     that another actor stops, a pulse.Nemesis, and steps that read all earlier steps.
//   - Every reduction restarts with Everything without sleep sets for observers, unless
//     Run.Watched is set.
//
// Result.Reduction is the reduction used in the end. Result.Sleep reports whether sleep
// sets were used. Result.Because says why the search restarted. Each restart calls
// Worker.Again; runs reported before do not count. The comment at the top of
// depthfirst.go has the full rules.
//
// # Wasted runs
//
// A run is wasted if the search stops it because no continuation leads to a new distinct
// order. Result.Wasted counts wasted runs. Wasted runs cost time, but no order is missed.
// Optimal wastes no run unless processes call ReceiveMatch. With sleep sets the number of
// wasted runs depends on the ordering.
//
// # Orderings
//
// The default is OrderFIFO. Optimal performs the same number of runs with every ordering,
// and OrderFIFO takes the least time. The other orderings are useful for PersistentSets
// and DCUTE without Sleep. testdata/orderings.golden has the tables of sections 4.1 and
// 4.2 of the Basset thesis. testdata/growth.golden shows how time and memory grow with a
// program.
//
// # Exploring in parts
//
// Begin returns an exploration that runs in parts of any size. With Begin, package fuzz
// explores several inputs of a property in turn.
//
// # Workers
//
// Several workers explore disjoint subtrees. Each worker runs the program on its own
// goroutine, so workers must lock whatever they share.
//
// The number of distinct orders and the first failure do not depend on the number of
// workers, if it is at least two, or on their speed. The set of runs is the same too,
// unless a bound on runs ends the search. Workers proceed in rounds over all subtrees.
// Most rounds make twice as many runs per subtree as the round before.
//
// Optimal performs the same runs with any number of workers. The other reductions prune
// as much with several workers as with one. Between two rounds, the search adds the
// branches that runs of one subtree require above that subtree. The order of these
// additions may differ, so the number of wasted runs may differ slightly.
//
// # Limits
//
// If a property reads several actors during the run, a reduction may miss failures,
// because pruned orders may reach other intermediate states. A reduction may also miss
// failures if the property, after the run, reads the trace, or the names or sites of
// actors that steps spawned, or the end time of a run with late messages to nobody.
// Searches with sleep sets make no partitions unless the program can notice them.
//
// ByHash treats two states as equal if their 64-bit hashes are equal. Among a hundred
// million states the chance of a collision is 1 in 3,700. Checked would detect the
// collision.
//
// State comparison ignores state outside of actors. An example is a handler that Become has
// replaced and that the property reads after the run. State comparison also cannot read
// functions that handlers hold or state captured by functions. For an actor with such functions it
// compares the messages received so far instead. This is wrong if two such actors share a
// variable. Result.Unread reports unreadable states.
//
// The search does not control accesses to memory that actors share, or clocks and random
// numbers from outside. Nondeterminism of the program ends the search, and
// Result.Nondeterminism describes it. The search detects nondeterminism when a run
// repeats decisions of the previous run but behaves differently. The search also repeats
// the first run and one later run in 64 (one in 256 in a long search). The comparison of
// repeated runs includes the readable contents of messages.
package explore
