// Package campaign searches for a long time, in several properties at once, with worker
// processes of their test binaries. A process that dies costs a batch of runs; its death
// is a finding, and the campaign goes on.
//
// # What depends on what
//
// A campaign goes in rounds. In each round every property is given one share of batches,
// and as many further shares as there are properties are divided by yield: by how many
// ordered pairs of receives the property's last shares have shown, so that a property
// with few orders does not get as much time as one with many. A share has so many batches
// that it takes about sharesteps steps. Both follow from the round before the last, so
// that workers need not wait for each other at the end of each round, and neither
// depends on how fast anything is. So the same seed and the same number of runs give the
// same findings, with any number of workers, unless time ends the campaign.
//
// # What is kept
//
// A finding is a case in the folder of its property before anybody is told of it. Then it
// is made smaller by a worker, in place of that case. A checkpoint says how far the
// rounds have come that are over; a campaign that goes on from it makes the rounds after
// it as if it had never ended.
package campaign
