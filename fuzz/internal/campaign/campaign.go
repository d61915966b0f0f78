package campaign

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/fuzz/internal/binary"
	"github.com/jostle-go/jostle/fuzz/internal/coverage"
	"github.com/jostle-go/jostle/fuzz/internal/flight"
	"github.com/jostle-go/jostle/fuzz/internal/record"
	"github.com/jostle-go/jostle/fuzz/internal/worker"
	"github.com/jostle-go/jostle/pulse/hash"
)

// A Subject is a property in the test binary of its package.
type Subject struct {
	Binary   *binary.Binary
	Property worker.Property
}

// String names the subject: "example.com/bank TestBank, neverOverdrawn".
func (s *Subject) String() string {
	text := s.Binary.Package + " " + s.Property.Test
	if s.Property.Call > 0 {
		text += fmt.Sprintf(" (call %d)", s.Property.Call+1)
	}
	if s.Property.Name != s.Property.Test {
		text += ", " + s.Property.Name
	}
	if s.Binary.Race {
		text += raceSuffix
	}
	return text
}

// Cases returns the folder of the property's cases.
func (s *Subject) Cases() corpus.Folder {
	return corpus.Folder{Dir: s.Property.Folder, Property: s.Property.Name}
}

// Options say how Run searches.
type Options struct {
	// Workers is how many processes search at the same time; zero means one.
	Workers int
	// Races are the subjects once more, in test binaries with the race detector, in which
	// RaceWorkers further processes search, zero meaning one. Each has other runs than the
	// subject without it, and an eighth of Runs. What is found without it does not depend on
	// what is found with it.
	Races       []Subject
	RaceWorkers int
	// Seed is what all runs follow from. Zero means 1, or, when File has a campaign, one
	// more than that has: so that each night makes other runs. If Resume is set it means
	// that of the campaign there.
	Seed uint64
	// Runs is how many runs each property is given, For how long the campaign takes;
	// whichever is reached first ends the search. Zero is no bound.
	Runs int
	For  time.Duration
	// Saturated ends the search in a property when it is known that the next run at random
	// shows an order of two receives that none has shown with a smaller chance, as
	// coverage.Chance has it at most; zero is no bound. Of a property without runs in random
	// order that is never known: without another bound the search in it is given up.
	Saturated float64
	// First ends the search in a property at its first failure.
	First bool
	// Shrink is how long it may take to make one finding smaller; zero means 30 seconds.
	// Within that it takes a number of runs that does not depend on time.
	Shrink time.Duration
	// Memory bounds how many bytes a worker may have; zero is no bound.
	Memory uint64
	// Env is added to the environment of the workers.
	Env []string
	// File is where the campaign notes, and at its end, how far it is; "" is nowhere. It
	// does so as often as Every says; zero means every minute. Resume has it go on from
	// there.
	//
	// No other campaign has the file meanwhile, where the system has locks that end with
	// their process: not on Windows, Solaris, AIX, Plan 9 and WebAssembly.
	File   string
	Every  time.Duration
	Resume bool
	// Pages keeps a page of HTML and one of JSON beside each case.
	Pages bool
	// Say is how often Tell is told how far the campaign is; zero means every few seconds,
	// and after a minute every minute.
	Say time.Duration
	// Tell is told of all that happens, by one goroutine. It may be nil.
	Tell func(Event)
}

// A Kind says what happened.
type Kind string

// The kinds.
const (
	// Found: a finding, which is kept.
	Found Kind = "found"
	// Noted: something that people may want to know.
	Noted Kind = "noted"
	// Finished: nothing is left to search for in a property.
	Finished Kind = "finished"
	// Went is told every few seconds: how far the campaign is.
	Went Kind = "went"
	// Ended is told last: why the campaign has ended, as Report has it.
	Ended Kind = "ended"
)

// An Event is something that happened. EventSchema describes what it is as JSON.
type Event struct {
	Kind    Kind
	Subject string   `json:",omitempty"`
	Finding *Finding `json:",omitempty"`
	Text    string   `json:",omitempty"`
	Runs    int      // of all properties so far
	Orders  int      // of two receives that these have shown
	Seconds float64  // since the campaign began
	// Left is how many seconds more it takes, 0 if that is not known, and Properties how
	// far the search in each property is. Only events of the kind Went have them.
	Left       float64    `json:",omitempty"`
	Properties []Progress `json:",omitempty"`
	// Memory is how many bytes the campaign has from the operating system, and Workers how
	// many its workers together had when they were last at work. Only events of the kinds
	// Went and Ended have them.
	Memory  uint64 `json:",omitempty"`
	Workers uint64 `json:",omitempty"`
}

// A Finding is a failure of a property, or the death of a process.
type Finding struct {
	record.Record
	// Told reports that somebody was told of it, Fresh that its file was made for it.
	Told  bool `json:"told,omitempty"`
	Fresh bool `json:"fresh,omitempty"`
	// Rest reports that it was found out of turn, at the end of a campaign. One that goes
	// on from there may come to another run of it.
	Rest bool `json:"rest,omitempty"`
	// Times is how many runs have failed so.
	Times int `json:"times"`
}

// An Outcome is what came of a property.
type Outcome struct {
	Subject  Subject
	Findings []*Finding
	// Runs and Steps are of the batches of the search that came to their end, and of those that
	// the end of the time has cut off: a campaign that goes on makes these again. Ran says in
	// words what was run.
	Runs  int
	Steps int
	Ran   string
	// Complete says in words that every order was run, if so.
	Complete string
	// Complaints are why it tells less than it seems to, and why it was given up.
	Complaints []string
	// Notes are of saved cases.
	Notes []string
	// Arms has what each strategy has shown, by their names, and Orders is what the runs of
	// this campaign and of the campaigns before it have shown, and what saved cases and
	// shrunk runs have, which are not counted there. Missed are the situations that none has
	// reached.
	Arms   []Arm
	Orders *coverage.Orders
	Missed []string
}

// An End is why a campaign has ended: by time, by its context, or because nothing is left to
// search for. If that is so of its properties for several reasons, it is the last of these.
type End string

// The ends.
const (
	EndComplete    End = "complete"    // every order was run
	EndSaturated   End = "saturated"   // nothing or little is left
	EndFailures    End = "failures"    // the rest is searched no more because of them
	EndGivenUp     End = "given up"    // something was given up, and else nothing is left
	EndRuns        End = "runs"        // each property has had its runs
	EndTime        End = "time"        // Options.For
	EndInterrupted End = "interrupted" // the context was done before
)

// A Report is what came of a campaign.
type Report struct {
	Outcomes []Outcome
	Ended    End
	Elapsed  time.Duration
	Deaths   int    // of worker processes, whatever they died of
	Seed     uint64 // what its runs followed from
}

// Failures returns how many findings there are.
func (r *Report) Failures() (n int) {
	for i := range r.Outcomes {
		n += len(r.Outcomes[i].Findings)
	}
	return n
}

// Interrupted reports whether the campaign has ended before its bounds since its context was
// done.
func (r *Report) Interrupted() bool { return r.Ended == EndInterrupted }

// Complaints reports whether some property was tested less than it seems.
func (r *Report) Complaints() (n int) {
	for i := range r.Outcomes {
		n += len(r.Outcomes[i].Complaints)
	}
	return n
}

// ErrInUse is that another campaign has the file of this one.
var ErrInUse = errors.New("another campaign uses this state file")

// ErrForeign is that the file for a campaign has something that no campaign has noted.
var ErrForeign = errors.New("not the state file of a campaign, so it is not overwritten")

// Run searches in all subjects until nothing is left, the bounds are reached or the
// context is done. The error says that the campaign could not be begun.
func Run(ctx context.Context, subjects []Subject, o Options) (*Report, error) {
	if o.File != "" {
		if real, err := filepath.EvalSymlinks(o.File); err == nil { // a link is not written over
			o.File = real
		}
		if err := o.mayWrite(); err != nil {
			return nil, err
		}
		hold, who := flight.Take(o.File)
		if who != "" {
			return nil, fmt.Errorf("%s: %w: %s; wait until it ends, end it, or choose another file", o.File, ErrInUse, who)
		}
		defer hold.Release()
	}
	o.Workers, o.Seed = max(1, o.Workers), o.seed()
	o.Shrink, o.Every = cmp.Or(o.Shrink, usualShrink), cmp.Or(o.Every, noteEvery)
	if len(o.Races) > 0 {
		p, err := newPair(subjects, o)
		if err != nil {
			return nil, err
		}
		return p.run(ctx)
	}
	c, err := newCampaign(subjects, o)
	if err != nil {
		return nil, err
	}
	return c.run(ctx)
}

// newCampaign returns a campaign that is to be begun, or to go on.
func newCampaign(subjects []Subject, o Options) (*campaign, error) {
	c := &campaign{Options: o, began: time.Now(), ready: make(chan struct{})}
	for _, s := range subjects {
		c.targets = append(c.targets, newTarget(s))
	}
	c.room = max(leastRoom, min(mostRoom, allRoom/max(1, len(c.targets))))
	if o.Resume {
		if err := c.restore(); err != nil {
			return nil, err
		}
	} else {
		c.recall()
	}
	for _, t := range c.targets {
		t.seen.Source, t.seen.Bytes, t.shown.Bytes = hash.Seed(c.Seed, sources), c.room, c.room
	}
	return c, nil
}

const usualShrink = 30 * time.Second

// What the runs of a property have shown takes memory from leastRoom to mostRoom, and that
// of all some allRoom. Sources tells the names of what campaigns have seen from other
// hashes of their seeds.
const (
	leastRoom = 1 << 20
	mostRoom  = 16 << 20
	allRoom   = 256 << 20
	sources   = 0x5eed
)
