// Package search finds failing runs: it runs a property repeatedly until it fails or the
// search is over, and returns the run that failed, confirmed by replays, and what it ran.
// Package finding shrinks, explains and saves that run. Neither depends on package testing:
// tests, campaigns and commands call them.
//
// Sample draws inputs and orders at random. It divides the runs among arms. An arm is a
// strategy, or one of two that learn from earlier runs: bita forces receive pairs that no
// run has shown, after the paper of that name; guided changes runs that showed something
// new. Names lists all arms.
//
// Explore runs every distinct order of chosen inputs.
package search
