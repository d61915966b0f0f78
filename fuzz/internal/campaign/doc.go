// Package campaign searches for a long time, in several properties at once, with worker
// processes of their test binaries. A process that dies costs a batch of runs; its death
// is a finding, and the campaign goes on.
//
// # What depends on what
//
// Each property has a lane of its own: its batches come in shares, in their order. A share
// has so many batches that it takes about 2^20 steps, by what the share eight before it of the
// same property has shown; up to eight are on at a time. So neither which runs a property has
// nor what its shares show depends on other properties, on how fast anything is or on how many
// workers there are. The same seed and the same number of runs give the same findings, unless
// time ends the campaign or a property is given up, because its runs keep ending their
// processes or would go on for ever.
//
// Which property has the next turn at a worker depends on time: the one that has had the least
// of its part of the processor time. After two seconds a turn ends with its batch, and what is
// left of the share waits for the next. One half of the time is divided evenly, with less for a
// property whose steps take long; the other half by yield: by how many ordered pairs of receives
// that no run had shown before the last shares have shown in a second. A process that waits, as
// one that stands still, keeps no other from its worker. When the time is over a share ends with
// the run that is on; if that stands still, it is a failure.
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
