// Package subjects lists the example programs: what each shows, and how to
// build it with its bug and without.
//
// Each has a folder of its own, with a Config whose zero value is the smallest
// input that shows the bug. The loads of package load have no bug and are
// listed there.
package subjects

import (
	"github.com/jostle-go/jostle/fuzz/subjects/bank"
	"github.com/jostle-go/jostle/fuzz/subjects/gatling"
	"github.com/jostle-go/jostle/fuzz/subjects/raftdupvote"
	"github.com/jostle-go/jostle/fuzz/subjects/server"
	"github.com/jostle-go/jostle/fuzz/subjects/threadring"
	"github.com/jostle-go/jostle/fuzz/subjects/writer"
	"github.com/jostle-go/jostle/pulse"
)

// A Subject is one example program.
type Subject struct {
	Name   string
	Source string // where it comes from
	Wrong  string // what goes wrong
	// Depth is the fewest messages that must move from their places in plain
	// order, oldest first, at their receivers; faults do not count.
	Depth int
	// Options are those of a system in which the bug can show; strategy, seed
	// and recording are for the caller to add.
	Options pulse.Options
	// Broken and Mended add the program to a system that has just been made
	// or reset. When the run is over, check says whether what must hold does.
	Broken, Mended Build
}

// Build adds a program to a system. When its run is over without a failure,
// check says whether what must hold does.
type Build = func(sys *pulse.System) (check func() error)

// All returns the subjects in the order in which they are listed.
func All() []Subject {
	return []Subject{
		{
			Name: "writer", Source: "Bitá, Listing 1", Depth: 1,
			Wrong:  "a flush overtakes a write, whose result is not stored",
			Broken: writer.Config{}.Build,
			Mended: writer.Config{Mended: true}.Build,
		},
		{
			Name: "writer-error", Source: "Bitá, Figure 2", Depth: 2,
			Wrong:  "a flush overtakes a write, and the news of the loss overtakes the question for it",
			Broken: writer.Config{Check: true}.Build,
			Mended: writer.Config{Check: true, Mended: true}.Build,
		},
		{
			Name: "gatling", Source: "Gatling's terminator, after Bitá", Depth: 1,
			Wrong:  "the end of a user overtakes a registration, which is then not understood",
			Broken: gatling.Config{}.Build,
			Mended: gatling.Config{Mended: true}.Build,
		},
		{
			Name: "bank", Source: "TAP, Figure 1", Depth: 1,
			Wrong:   "a withdrawal overtakes the deposit that covers it",
			Options: bank.Options(),
			Broken:  bank.Config{}.Build,
			Mended:  bank.Config{Mended: true}.Build,
		},
		{
			Name: "threadring", Source: "Savina's ThreadRing, after TAP, Figure 12", Depth: 1,
			Wrong:  "the token comes to a passer before the link that says who is next",
			Broken: threadring.Config{}.Build,
			Mended: threadring.Config{Mended: true}.Build,
		},
		{
			Name: "server", Source: "Basset, Figure 3.1", Depth: 1,
			Wrong:   "a value is stored between two reads of it",
			Options: server.Options(),
			Broken:  server.Config{}.Build,
			Mended:  server.Config{Mended: true}.Build,
		},
		{
			Name: "raft-dupvote", Source: "a common mistake in Raft", Depth: 1,
			Wrong:   "a vote that the network delivers twice is counted twice, and a term has two leaders",
			Options: raftdupvote.Options(),
			Broken:  raftdupvote.Config{}.Build,
			Mended:  raftdupvote.Config{Mended: true}.Build,
		},
	}
}

// ByName returns the subject of that name; ok is false when there is none.
func ByName(name string) (subject Subject, ok bool) {
	for _, s := range All() {
		if s.Name == name {
			return s, true
		}
	}
	return Subject{}, false
}
