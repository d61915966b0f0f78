// Package campaign searches for a long time, in several properties at once, with worker
// processes of their test binaries. A process that dies costs a batch of runs; its death
// is a finding, and the campaign goes on.
//
// # What depends on what
//
// A campaign goes in rounds. In each round every property is given one share of batches,
// and as many further shares as there are properties are divided by yield: by how many
// orders of two receives the property's last shares have shown that none before had, so
// that a property of which all is seen does not get as much time as one with more to see.
// What shares have shown is put together in the order of their runs. A share has so many batches
// that it takes about 2^20 steps. Both follow from the round before the last, so that
// workers need not wait for each other at the end of each round, and neither depends on
// how fast anything is. So the same seed and the same number of runs give the same
// findings, with any number of workers, unless time ends the campaign or a property is
// given up, because its runs keep ending their processes or would go on for ever.
//
// Workers with the race detector search beside these, with a seed and a file of their own:
// what the others find does not depend on them.
//
// # What is kept
//
// A finding is a case in the folder of its property before anybody is told of it. Then it
// is made smaller by a worker, in place of that case. A file says which batches of each
// property are over; a campaign that goes on from it makes those that follow, and comes
// to what it would have come to without an end. It also has what the runs have shown, and
// that of the campaigns before it, up to some memory, so that the file does not grow from
// night to night: so Options.Saturated and Read know what was seen in all nights. A night
// has the seed after that of the night before, and begins with the cases that were kept.
package campaign
