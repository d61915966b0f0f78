// Package explore runs a program in every order in which its messages can be
// received, or in every distinct order, and reports whether it ran them all.
// Package fuzz uses it for fuzz.Explore; it can also explore programs that are
// not properties.
//
//	result, err := explore.Explore(explore.Options{}, worker)
//
// A Worker runs the program once per call, with a strategy that makes all
// decisions. The Result holds the number of runs, the number of distinct orders,
// the failures, and whether the search is complete.
//
// # The search
//
// Every run is a path in one tree of decisions. The search is depth-first and
// stateless. Each run starts the program anew and repeats the decisions of the previous
// run up to the last one with an untried answer. From there it takes the default answers.
// Only one path is kept, so memory does not grow with the number of runs
// (Eta, section 3.2).
//
// Depth-first search stays in one corner of a large tree for a long time. So after
// 2,000 runs every other run is a probe, and after 16,000 probes one run in eight.
// A probe draws all its decisions at random, alternating between the strategies
// Random and POS. It only looks for failures and is counted in Result.Probes alone:
// all other counts are the same as without probes. There are no probes with
// Method.DepthFirst, with bounds on depth, delays or preemptions, or with
// random branches.
//
// Two orders in which every actor receives the same messages in the same order
// have the same effect: they are one distinct order, a Mazurkiewicz trace. A message
// races with an earlier step of its receiver if that step did not happen before the
// send, and the two messages are not from one channel. Reversing races is enough to
// run every distinct order; the reductions differ in what else they run.
//
// # Which reduction
//
// Optimal is the default and the best: it runs each distinct order once. Choose
// another one if Optimal does not support what you need:
//
//   - SourceSets to compare states, or to bound the depth.
//   - Everything to bound delays or preemptions, to search by random branches,
//     or if a property reads several actors during the run.
//   - PersistentSets, DCUTE and GoodSiblings to compare with the literature
//     (Basset, sections 2.3 and 4; Eta, section 5.2). They run some distinct
//     orders several times, fewer with Sleep.
//
// Explore refuses options that cannot be combined and says why. These are the rules:
//
//   - Sleep sets work with every reduction.
//   - State comparison works with every reduction but Optimal, which learns from
//     whole runs. It weakens the others, because a run that stops at a known state
//     does not show the races after it. Everything with Sleep also reaches all
//     states, with fewer runs: 0.7 per state instead of 2.2 for the 406,101 states
//     of a register with five clients.
//   - Bounds on delays and preemptions need Everything without Sleep. A reduction
//     runs one of several equivalent orders, and that one may exceed the bound
//     when another does not.
//   - Bounds on depth, runs and time work with every reduction.
//
// # When the search restarts with another reduction
//
// No reduction is proven for every feature of a program. If a run uses a feature that
// the reduction does not support, the search restarts: Optimal with SourceSets, any
// other with Everything, with or without sleep sets. Optimal does not support faults,
// early timers, conflicts other than messages (an actor's lifetime, test state) and a
// bound on depth; SourceSets does. Only Everything supports supervision, bounded
// mailboxes, timers that others stop, a pulse.Nemesis, and steps that read all earlier
// steps. Only Everything without sleep sets supports observers of the system, unless the
// worker sets Run.Watched: they see only the orders that are run.
//
// Result.Reduction is the reduction used in the end, Result.Sleep reports whether it
// used sleep sets, and Result.Because is why it differs from the one requested. The
// search calls Worker.Again when it restarts: runs reported before then do not count.
// The comment at the top of depthfirst.go has the full rules.
//
// # Wasted runs
//
// A run is wasted if the search gives it up because no continuation leads to a new
// distinct order. Result.Wasted counts such runs. They cost time and lose nothing.
// Optimal wastes none unless processes call ReceiveMatch; with sleep sets the number
// depends on the ordering.
//
// # Orderings
//
// The default is OrderFIFO. Optimal makes the same number of runs with every
// ordering, and OrderFIFO is the cheapest. The other orderings are for
// PersistentSets and DCUTE without Sleep. testdata/orderings.golden has the tables of
// Basset's sections 4.1 and 4.2. testdata/growth.golden shows how time and memory
// grow with a program.
//
// # Exploring in parts
//
// Begin returns an exploration that runs in parts of any size. Package fuzz uses it
// to let the inputs of a property take turns.
//
// # Workers
//
// Several workers divide the tree into subtrees, without a lock on it. Each runs
// the program on its own goroutine, so workers must lock whatever they share.
//
// With two or more workers, their number and speed do not affect which orders are
// distinct and which failure is the first. They do not affect which runs are made
// until a bound on runs ends the search, either. Workers proceed in rounds over all
// subtrees; most rounds make twice as many runs per subtree as the round before.
//
// Optimal makes the same runs with any number of workers. The other reductions prune
// as much with several workers as with one: between two rounds, the branches that a
// run requires above its subtree are added there. They may be added in another order,
// so a few runs more or fewer may be wasted.
//
// # Limits
//
// A property that reads several actors during the run sees only the orders that are
// run; pruned orders may reach other intermediate states. The same holds if,
// after the run, the property reads the trace, or the names or sites of actors that steps
// spawned. It also holds for the end time of a run with late messages to nobody. Partitions that
// nobody can notice are not made.
//
// ByHash treats two states as equal if their 64-bit hashes are equal. Among a hundred
// million states the chance of one collision is 1 in 3,700; Checked would find it.
//
// State comparison does not see state outside of actors, functions that handlers
// hold, or state behind functions that actors hold. For such an actor it uses the
// messages received so far instead. This is wrong if two of them share a variable;
// Result.Unread reports such states.
//
// Memory that actors share, and clocks and random numbers from outside, are not
// controlled. A nondeterministic program ends the search, and the Result says where
// it differed. The search notices this wherever a run repeats decisions of the
// previous one. It also repeats the first run and one run in 64 later (one in 256 in
// a long search). Repeated runs are compared including the readable contents of messages.
package explore
