// Package search runs a property repeatedly until it fails or the search is over, and
// returns the failure and counts of the runs. It does not depend on package testing, so
// that tests, campaigns and commands can call it.
//
// Sample draws inputs and orders at random. It divides the runs among arms, which are ways
// of planning runs. Most arms are strategies of package strategy. Two others learn from
// earlier runs: bita forces receive pairs that were not seen before, as in the paper of
// that name; guided varies runs that contained something new. Names lists all arms.
//
// Explore runs every distinct order of chosen inputs.
package search
