// Package strategy holds the ways of making a run's decisions, one to a file.
//
//	plain.go   the oldest message first: what all else is compared with
//	random.go  any deliverable message
//	pct.go     priorities of channels that change at few points
//	pctcp.go   the same over chains of causality
//	pos.go     priorities of messages, drawn again after each race
//	urw.go     chances by how much is still to come
//	delay.go   the oldest first, but for a few that are delayed
//	replay.go  what a record says, strictly
//	lenient.go what a record says, as far as it still applies
//	ordered.go a schedule by identity: priorities, and this before that
//	repeat.go  the check that a program does the same twice
//
// What several of them need:
//
//	source.go  random numbers, and answers to choices
//	length.go  how long the run will be
//	changes.go where in it priorities change
//	chains.go  a partial order cut into chains while it grows
//	seeded.go  numbers that follow from a seed and an identity
//	names.go   strategies by name
//
// A strategy belongs to one system at a time. Each says what chance it gives
// to a bug of depth d: one that shows whenever d messages come in a certain
// order, whatever the order of the others.
//
// Some learn from a run what they use in the next: PCT and PCTCP its length
// (unless they are told), Delay too, URW its causality. A new value given the
// same seeds and the same programs in the same order gives the same answers.
package strategy
