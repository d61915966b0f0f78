// Package shrink makes a failing case smaller until no part of it can be left out. It shrinks
// the draws and the order of the steps together. It does not depend on actors and properties: a
// Subject runs cases and returns their outcomes.
//
//	result := shrink.Shrink(ctx, subject, found, shrink.Options{})
//
// Package fuzz uses this package to shrink its findings, so most users do not need it.
//
// # What is smaller
//
// Outcome.Compare compares the sizes of two failing runs. It compares the number of messages
// from outside, the number of preemptions, the number of steps, the number of constraints on the
// order, the draws, and finally the nonzero answers, such as faults. Without constraints the run
// has plain order: the oldest message always comes first, and a goroutine runs until it blocks. Shrink runs each case before it accepts the case as smaller, and the run must
// fail with the signature of the given run.
//
// # How
//
// A pass tries changes of one kind, large ones first. The cheap passes are repeated until none
// of them makes the case smaller. Then passes follow that are expensive or seldom succeed. If
// one of them succeeds, Shrink restarts with the cheap passes.
//
//   - Order: deliveries that the failure does not need are moved behind it. Constraints are
//     removed, first half of them, then a quarter and so on, and finally one at a time. Two
//     constraints are replaced by one. Conversely, each single constraint is tried instead
//     of all constraints, and then each pair and so on, if there are few. Random constraints
//     are added, and then removed together with others.
//   - Draws: list elements are removed, and the numbers that generators read are lowered.
//     Elements are moved to another list, swapped, copied and added, and two lists are joined. Two
//     numbers are lowered together, and finally several parts are changed at random. Random
//     changes also start from other failing runs of equal size. If it is unknown which
//     numbers belong to an element, all short sequences of numbers are tried.
//   - Answers: faults, early timers and choices of the program become zero.
//
// If the draws change, the program is a different one, and the failing order may no longer
// apply. Therefore the Subject searches for a failing order, once for each program. It makes
// a few runs first, and more runs when nothing else helps. Finally it searches again in those
// programs that have fewer messages from outside and have not failed yet.
//
// The way to a smaller run may lead through a larger one. Simpler draws may fail in a longer run at
// first, and other failing runs of the same bug may become smaller than the given one. When single
// passes fail, Shrink makes such runs smaller by the cheap passes. It continues with a result that is
// smaller than the best run.
//
// Shrink does not shrink other failures that occur. Result.Others has the first run of each of
// them, so that it can be saved as a case.
package shrink
