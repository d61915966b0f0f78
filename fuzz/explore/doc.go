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
// Steps have to do with each other by the life of an actor when one ends it and
// another watches it, ends a watch of it or asks by System.Alive whether it lives, and
// when two begin or end a watch of it. They have to do with each other by the test when
// two note calls or returns in histories, fail the T of a property or read whether it has
// failed. A search with a reduction that meets two such steps that no message puts in
// order begins again with SourceSets, which then turns their order round as it does with
// messages; with Everything when states are compared.
//
// The answer to a System.Ask conflicts with all steps: the test goes on when the answer
// comes, and sees what came before it. If anything else could come in place of the answer
// (a message to another actor, a crash, an early timer), a search with a reduction restarts
// in the same way. SourceSets then runs each set of steps that can come before the answer,
// and tries everything that could come in its place, even if it never comes in that run.
//
// Some steps have to do with each other by still more: when one Ask has two answers,
// under supervision, when a mailbox has a bound, when one calls a pulse.Nemesis, when one
// stops the timer of another or does something in its name by a Host, when an actor crashes
// within a step, by Ctx.MayCrash, or when a step looks at what all steps before it have done:
// System.Steps, Trace, Record, Warnings, Received and Timers. When a search with a reduction
// meets two of them that no message puts in order, it begins again with Everything.
//
// Sleep sets heed all these steps. A search that begins again has them if it had them
// before, as Optimal and SourceSets always do.
//
// Some things that sleep sets do not heed tell orders apart in which every actor
// receives the same: an observer, the isolation check, Options.Pending, and Ref.Index and
// Ref.String in a step where steps that no message puts in order have spawned
// actors. Then the search begins again with Everything without sleep sets, unless
// Run.Watched says that the worker itself tells of its observers, as package fuzz
// does.
//
// Optimal does not go through what may come between any two steps, but begins again as
// SourceSets. There the crash of an actor is picked as a message is: it has to do with
// the steps of that actor and, by lives, with those of others. A partition only holds
// messages back. While nothing comes with time, that leads to no order that there is not
// without: searches with sleep sets make none, and begin again with them when the program
// sets a timer, delays messages, or has a step look at what all steps before it have
// done. Then, and where crashed actors may be restarted or states
// are compared, what comes between steps has to do with all of them: wherever such a
// thing could come between two steps all messages are tried.
//
// That time passes early is picked as a message is, too, by SourceSets and by Everything
// with sleep sets. It has to do with the steps that read the time, or set or stop a timer,
// and with other passes. A timer's message is received after the pass at which it came
// due, and else as any other. SourceSets lets time pass early only where that has to do
// with a step, or lets something come before one. Two runs may differ in nothing but where
// time has passed, which nobody sees: then there are fewer distinct orders than runs. With
// faults, with periodic timers, which tick for as long as others send, and with a
// pulse.Nemesis, which may delay messages, an early pass has to do with all steps.
//
// What is not picked so has to do with more than one actor. A restart decides which of
// the messages are lost that are sent to its actor, so that it would have to do with each
// step that sends it one, and a trace does not show where messages were lost. A
// partition, where time passes, keeps all messages of an actor from coming before a timer:
// which it holds back depends on all that is sent while it lasts.
//
// A step that ends its run, by a failure or by a skip, has to do with all that were still
// to come: when the search goes on after it, Optimal begins again as SourceSets, all
// messages of such a run are tried, and nothing sleeps past such a step. Optimal becomes
// SourceSets with a bound on depth.
//
// Result.Reduction is the one that was used in the end, Sleep reports whether with
// sleep sets, and Because why it is another than was asked for. Worker.Again tells that
// the search begins again: what was told of the runs until then does not count.
//
// # Runs that are wasted
//
// A run is wasted when it was begun and then given up, because nothing that could
// come next leads to a distinct order that was not run. Result.Wasted counts such
// runs. They cost time and lose nothing.
//
// With sleep sets a run is wasted when all that could come next was run from another
// branch. Optimal wastes a run only to find out whether a process in ReceiveMatch
// would have taken a message that was sent when its wait was over: it begins an order
// in which the message comes in time, and gives it up if the process does not
// want it. It wastes none when no process is in ReceiveMatch, and none when only one
// is at a time: messages for such processes come last by default, so that they are
// there to be asked about. What is left are messages that lead from one such
// process to another while both wait. A question is asked once; with several workers,
// once in each subtree. SourceSets wastes runs where steps meet by lives or the test, or an
// early pass of time by timers: it begins an order in which the later of two comes first, with what that
// needs, and gives it up when all that could follow then sleeps. Beside processes that each
// ask with a timeout there are some: 9 beside 346 runs for three. How many runs are
// wasted depends on the ordering.
//
// # Orderings
//
// The default is OrderFIFO. Optimal makes the same number of runs with every
// ordering, and OrderFIFO costs the least. With PersistentSets and DCUTE without
// Sleep the ordering decides: OrderLCA is best in trees and pipelines,
// by a factor of up to 1,500, and OrderFIFO where one actor waits for all
// others. The tables, after Basset's 4.1 and 4.2, are in
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
