// Package campaign searches for failures of several properties at once, for a long time, in
// worker processes of their test binaries. If a process dies, its batch of runs is lost, its
// death is reported as a finding, and the campaign continues.
//
// # Determinism
//
// The runs of a property are numbered and grouped into batches. A chunk is a series of batches
// with about 2^20 steps in total. Up to eight chunks of a property are in progress. The size of
// a chunk depends only on the chunk eight before it. Therefore the runs of a property do not
// depend on other properties, on speed or on the number of workers. The same seed and number of
// runs give the same findings, with two exceptions: the time limit ends the campaign, or a
// property is given up because its runs keep ending their processes.
//
// # Turns
//
// Each property has a lane, which is its queue for turns at the workers. The lane is charged for
// the processor time of the property's jobs. The next turn at a worker goes to the lane that has
// used the least time, relative to its weight. After two seconds a turn ends with its batch, and
// the unfinished chunk waits for its next turn. If the time limit is short, turns are shorter, so
// that each property gets at least eight.
//
// Half of the time is divided evenly, except that properties with slow steps get less. The other
// half is divided in proportion to the new receive pairs per second in the last chunks. While a
// process is idle, another job runs in its place. At the time limit a chunk ends with its current
// run. A run that makes no progress is reported as a failure.
//
// Workers with the race detector have their own seed and state file. Therefore the findings of
// the workers without the race detector do not depend on them.
//
// # State
//
// A finding is saved as a case in the folder of its property before it is reported. Then a
// worker shrinks it, and the result replaces that case. The state file records the finished
// batches of each property. A resumed campaign continues with the following batches and gives
// the results of an uninterrupted campaign. The file also stores the receive pairs of this
// campaign and earlier ones, up to a memory limit. Options.Saturated and Read use the pairs of
// all campaigns. A new campaign with the same file adds 1 to the seed and starts with the saved
// cases.
package campaign
