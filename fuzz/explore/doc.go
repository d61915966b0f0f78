// Package explore runs a program in every order in which its messages can be
// received, or in every order that makes a difference, and says honestly when
// it was not every one. Package fuzz uses it for fuzz.Explore; programs that
// are no properties can be explored with it as well.
//
//	result, err := explore.Explore(explore.Options{}, worker)
//
// A Worker runs the program once each time it is asked, with a strategy that
// makes all its decisions. The Result says how many runs there were, how many
// distinct orders, which failures, and whether that is all.
//
// # What is gone through
//
// Every run is a path in one tree of decisions. The tree is gone through
// depth-first: the program is run from its start, with the decisions of the run
// before up to the last one that can be taken otherwise, and in plain order
// from there. Only one path is kept, so that memory does not grow with the
// number of runs (Eta, section 3.2).
//
// Depth-first search sees one corner of a large tree for long. So after 2,000
// runs every other run is a probe: all its decisions are drawn at random, from the
// root on, by the strategies Random and POS in turns. After 16,000 probes one run in
// eight is one. A probe looks for a failure and is counted in Result.Probes alone,
// so that what the Result says of the tree is the same as without probes; a tree
// that is done within 2,000 runs has none. Method.DepthFirst makes none, and there
// are none under bounds on depth, delays and preemptions, or with random branches.
//
// Two orders in which every actor receives the same messages in the same order
// do the same: they are one distinct order, a Mazurkiewicz trace. A message
// races with an earlier step of its receiver when that step did not happen
// before the message was sent, and the two are not of one channel. To run every
// distinct order it is enough to turn races round; the reductions differ in
// what else they run.
//
// # Which reduction
//
// Optimal is the default and the best: it runs each distinct order once. Take
// another one when Optimal does not go with what you ask for:
//
//   - SourceSets to compare states, or with a bound on depth.
//   - Everything to bound delays or preemptions, to go on with random branches,
//     or when a property looks at several actors while the run goes on.
//   - PersistentSets, DCUTE and GoodSiblings to compare with the literature
//     (Basset, sections 2.3 and 4; Eta, section 5.2). They run some distinct
//     orders several times, fewer with Sleep.
//
// Options that do not go together are refused with a message. Of those that do:
//
//   - Sleep sets go with every reduction.
//   - State comparison goes with all but Optimal, which learns from whole runs.
//     With the others it costs much of the reduction, because a run that is
//     given up at a known state does not show what would have raced. Everything
//     with Sleep comes to all states, too, and makes fewer runs for each: 0.7 in
//     place of 2.2 for the 406,101 states of a register with five clients.
//   - Bounds on delays and preemptions go with no reduction. Of orders that do
//     the same a reduction keeps one, which may be beyond the bound when another
//     is not.
//   - Bounds on depth, runs and time go with everything.
//
// # When another reduction is used
//
// No reduction is proven for all that a program can do. A search that meets what its
// reduction does not support restarts with another one: Optimal with SourceSets, and any
// with Everything, with sleep sets or without. Optimal does not support faults, early
// timers, what steps share besides messages (an actor's life, the test) and a bound on
// depth; SourceSets does. Only Everything supports supervision, bounded mailboxes,
// timers that others stop, a pulse.Nemesis, and steps that look at all steps before them;
// and only Everything without sleep sets supports observers that no worker watches.
//
// Result.Reduction is the one that was used in the end, Sleep reports whether with
// sleep sets, and Because why it is another than was asked for. Worker.Again tells
// that the search restarts: what was told of the runs until then does not count. The
// comment at the head of depthfirst.go has the rules in full.
//
// # Runs that are wasted
//
// A run is wasted when it was begun and then given up, because nothing that could
// come next leads to a distinct order that was not run. Result.Wasted counts such
// runs. They cost time and lose nothing. Optimal wastes none unless processes call
// ReceiveMatch; with sleep sets it depends on the ordering how many there are.
//
// # Orderings
//
// The default is OrderFIFO. Optimal makes the same number of runs with every
// ordering, and OrderFIFO costs the least. Other orderings are for PersistentSets and
// DCUTE without Sleep. The tables, after Basset's 4.1 and 4.2, are in
// testdata/orderings.golden. How time and memory grow with a program is in
// testdata/growth.golden.
//
// # In parts
//
// Begin returns an exploration that is made in parts, of as many runs as one asks
// for, with anything else between them: package fuzz has the inputs of a property
// take turns.
//
// # Workers
//
// Several workers share the tree by subtrees, without a lock on it. Each runs
// the program on a goroutine of its own, so that they must share nothing that
// is not locked. Which orders are distinct and which failure is the first
// depends neither on their number nor on their speed, if there are two or more;
// nor does what they run until a bound on runs ends the search. They go on from
// one round over all subtrees to the next, mostly of twice as many runs of each. Optimal
// makes the same runs with any number of workers. The other reductions leave out as much with
// several as with one: what a run calls for above its subtree is taken over between two
// rounds, and nothing else is run there. But it may be marked in another order, so that
// a few runs more or fewer may be wasted.
//
// # What is not seen
//
// A property that looks at several actors while the run goes on sees the states
// of the orders that are run; orders that are left out may come to other states
// in between. So does one that reads the trace, or the names and places of actors
// that steps have spawned, when the run is over, and one that asks when it ended, where
// messages came late to nobody. Partitions that nobody notices are not made.
//
// ByHash takes two states for one when their hashes of 64 bits are equal. That two of a
// hundred million are has a chance of one in 3,700; Checked would find it.
//
// State comparison does not see what is kept outside of actors, nor what handlers
// keep that are functions, or functions that actors hold. It takes what such an actor
// has received for its state, which is wrong when two of them share a variable;
// Result.Unread tells of such states.
//
// Memory that actors share, clocks and random numbers from outside are not
// controlled: a program that does not repeat itself ends the search, and the
// result says where it differed. That is seen where a run should go as the one
// before, and in the first run and one in 64 later ones, which are repeated, or one
// in 256 of a long search; what messages hold is compared too, as far as it can be
// read.
package explore
