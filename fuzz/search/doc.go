// Package search finds failing runs. It runs a property repeatedly until the property fails
// or the search is over, and returns the failing run, confirmed by replays, and counts of
// the runs. Package finding shrinks, explains and saves that run. Neither depends on package
// testing, so that tests, campaigns and commands can call them.
//
// Sample draws inputs and orders at random. It divides the runs among arms, which are ways
// of planning runs. Most arms are strategies of package strategy. Two others learn from
// earlier runs. bita forces receive pairs that were not seen before, as in the paper Bitá
// (Tasharofi et al., ASE 2013). guided varies runs that contained something new. Names
// lists all arms.
//
// Explore runs every distinct order of chosen inputs.
package search
