// Package search runs a property again and again, until it does not hold or
// the search is over, and returns what it found and what it ran. It knows
// nothing of package testing: tests, campaigns and commands call it.
//
// Sample draws inputs and orders at random, by the arms of a portfolio. An
// arm is a strategy, or one of two that learn from runs for others: bita forces orders
// of two receives that no run has shown, after the paper of that name; guided changes
// runs that showed something new. Names lists them.
//
// Explore goes through every distinct order of chosen inputs.
package search
