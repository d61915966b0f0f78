// Package shrink makes a failing case smaller: its draws and the order of its steps
// together, until no part of it can be left out. It knows no actors and no
// properties: a Subject runs cases for it and returns their outcomes.
//
//	result := shrink.Shrink(ctx, subject, found, shrink.Options{})
//
// Package fuzz shrinks what it finds by this package; most users need only what fuzz
// prints.
//
// # What is smaller
//
// Outcome.Compare compares two failing runs. It compares the number of messages from
// outside, then of steps, then of constraints on plain order. Then it compares the
// draws, and last the nonzero answers, such as faults. Each run that Shrink accepts
// as smaller was really run, and failed with the signature of the first.
//
// # How
//
// A pass proposes changes of one kind, the big ones first. The cheap passes take turns
// until none of them finds anything smaller. Then come passes that cost more or seldom
// succeed; if one does, all start again.
//
//   - Order: deliveries that the failure does not need are moved behind it. Constraints
//     are left out, by halves, quarters and so on, and then one at a time; last, one
//     replaces two. From the other side, plain order is tried with each single
//     constraint and, while these are few, with each pair and so on.
//   - Draws: list elements are left out, and the numbers that generators read lowered.
//     Elements are moved to another list, swapped and copied, and two lists joined. Then
//     two numbers are lowered together, and last several parts change at random. Random
//     changes also start from other programs that fail in as few steps: they may lead to
//     a smaller one. If it is not known which numbers are an element, all short
//     sequences of numbers are tried. Other draws make another program, in which the
//     order that failed may mean nothing. So the Subject searches for an order in which
//     it fails, once for each program: first in few runs, and in more when nothing else
//     helps. Last come the programs with fewer messages from outside that were met on
//     the way.
//   - Answers: faults, early timers and the program's own choices become zero.
//
// Shrink does not pursue another failure that it meets. Result.Others has the first run
// of each, to be saved as a case of its own.
package shrink
