// Package campaign searches for a long time, in several properties at once, with worker
// processes of their test binaries. A process that dies costs a batch of runs; its death
// is a finding, and the campaign continues.
//
// # Determinism
//
// The runs of a property are numbered, and grouped into batches. A share is a series of batches,
// about 2^20 steps long; up to eight shares of a property are in progress. The size of a share
// depends only on the share eight before it. So the runs of a property do not depend on other
// properties, on speed or on the number of workers. The same seed and number of runs give the
// same findings, with two exceptions: time ends the campaign, or a property is given up because
// its runs keep ending their processes.
//
// # Turns
//
// Each property has a lane. The next turn at a worker goes to the lane that has used the least
// of its part of the processor time. After two seconds a turn ends with its batch, and the rest
// of the share waits for the next turn. Half of the time is divided evenly, with less for
// properties with slow steps. The other half is divided by yield: the new receive pairs per
// second in the last shares. A process that waits or makes no progress does not occupy a worker.
// When the time is over, a share ends with its current run; if that makes no progress, it is a
// failure.
//
// Workers with the race detector have their own seed and state file: what the others find does
// not depend on them.
//
// # State
//
// A finding is saved as a case in the folder of its property before it is reported. Then a
// worker shrinks it, and the result replaces that case. The state file has the finished batches
// of each property: a campaign that resumes from it makes the following ones, with the results
// of an uninterrupted campaign. The file also has the receive pairs of this campaign and earlier
// ones, up to some memory, so that it does not grow without end. Options.Saturated and Read use
// the pairs of all campaigns. A new campaign with the same file adds 1 to the seed, and starts
// with the saved cases.
package campaign
