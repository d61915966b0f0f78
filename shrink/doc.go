// Package shrink makes a failing case smaller: its draws and the order of its steps
// together, until no part of it can be left out. It knows no actors and no
// properties: a Subject runs cases for it and says what came of them.
//
//	result := shrink.Shrink(ctx, subject, found, shrink.Options{})
//
// Package fuzz shrinks what it finds by this package; most users need no more than
// what it prints.
//
// # What is smaller
//
// Outcome.Compare says which of two failing runs is the smaller one: the one with
// fewer messages from outside; then with fewer steps; then with fewer constraints on
// plain order; then with smaller draws; then with fewer faults and other answers that
// are not zero. Every run that is taken for the smaller one was made, and failed with
// the signature of the first.
//
// # How
//
// A pass proposes changes of one kind, the big ones first. Passes are made in turns until
// none of their changes is taken any more; then come others that cost more or seldom come
// to something, and if one does, all begin again.
//
//   - Order: deliveries that the failure does not need are put off until it is there;
//     constraints are left out, by halves, quarters and so on, and then one at a time;
//     last one stands in for two. From the other side, plain order is tried with each one
//     constraint, and as long as there are few, with each two and so on.
//   - Draws: elements of lists are left out, and the numbers that generators read lowered;
//     elements are moved to another list, swapped and copied, and two lists joined; then
//     two numbers are lowered together, and last several parts change at random. Random
//     changes go on from all programs that come to as few steps: the way to a smaller one
//     may lead by these. Where it is not known which numbers are an element, all rows of
//     a few are tried.
//     Other draws make another program, in which the order that failed may mean nothing,
//     so the Subject searches for an order in which it fails, once for each program: first
//     in few runs, and when all else comes to nothing in more. Last of all come the programs
//     with fewer messages from outside that were met on the way.
//   - Answers: faults, early timers and the program's own choices become zero.
//
// Another failure that is met on the way is not followed. Result.Others has the first
// run of each, to be kept as a case of its own.
package shrink
