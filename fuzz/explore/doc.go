// Package explore runs a program in every order in which its messages can be
// received, or in every order that makes a difference, and says honestly when
// it was not every one. It is what fuzz.Explore is made of.
//
// # The tree and the loop
//
// Every run is a path in one tree of decisions. The tree is gone through
// depth-first: the program is run from its start, decided as before up to the
// last node of which something is left, and in plain order from there. Only
// the path is kept, so memory does not grow with the number of runs (Eta,
// section 3.2).
//
// Two orders in which every actor receives the same messages in the same order
// do the same: they are one distinct order, a Mazurkiewicz trace. A delivery
// races with an earlier step of its receiver when that step does not happen
// before the sending of the message and the two are not of one channel. What
// the reductions have in common is in past.go (what happened before what) and
// races.go; each says in a file of its own what a race calls for:
//
//	optimal.go     TruSt's revisits: each distinct order once, no run wasted
//	source.go      source sets, with sleep sets (sleep.go)
//	persistent.go  Basset's two methods, and Eta's
//
// # What goes together
//
// Sleep sets go with everything. State comparison goes with all but Optimal,
// which learns from whole runs; with the others it costs much of the reduction,
// because a run that ends at a known state does not show what would have raced.
// Bounds on delays and preemptions go with no reduction: of orders that do the
// same a reduction keeps one, which may be beyond the bound when another is
// not. A bound on depth, runs or time goes with all. Options that cannot go
// together are refused with a message.
//
// Some steps have to do with each other by more than messages: Watch of an
// actor that is ending, two answers to one Ask, supervision. Traces list these
// as touches. Sleep sets heed them; when a search with another reduction meets
// two that no message puts in order, it begins again with Everything and the
// sleep sets. When time may pass early or faults strike actors, that has to do
// with every step: Optimal hands over to Source, and all that could come is
// taken up wherever such a thing could come between. Verdict.Reduction says
// what was used in the end.
//
// A process that waits for particular messages is asked by a run whether it
// would have taken another one; when it would not, that run is given up and
// counted as wasted. It is the only waste that Optimal has: about one in a
// hundred runs of the random programs that it is tested with, most of which
// have such processes.
//
// # Orderings
//
// The default is FIFO. With Optimal, runs are as many with each ordering, and
// FIFO is the cheapest to keep. With Persistent and DCUTE without Sleep the
// ordering decides: LCA is best in trees and pipelines, by a factor of up to
// 1,500, and FIFO where one actor waits for all others; the tables, after
// Basset's 4.1 and 4.2, are in testdata/orderings.golden. How time and memory
// grow with a program is in testdata/growth.golden.
//
// # Workers
//
// Workers share the tree by subtrees and have no lock on it. Which orders are
// distinct and which failure is the first depends neither on their number nor
// on their speed. Optimal makes the same runs with any number. The other
// reductions take up all that does not sleep in the levels above the
// subtrees, so that several workers lose a part of what they leave out.
//
// # What is not seen
//
// A property that looks at several actors while the run goes on sees the
// states of the orders that are run; orders that are left out differ from them
// in between. Memory that actors share, clocks and random numbers of the
// outside are not controlled; a program that does not repeat itself is found
// out and ends the search. State comparison does not see what is kept outside
// of actors.
package explore
