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
	// Workers is the number of processes that search at the same time; zero means one.
	Workers int
	// Races are the same subjects in test binaries with the race detector. RaceWorkers further
	// processes search them; zero means one. They make other runs, an eighth of Runs, and do
	// not change what the other workers find.
	Races       []Subject
	RaceWorkers int
	// Seed determines all runs. Zero means 1 or, if File has a campaign, one more than its
	// seed, so that each night makes other runs. With Resume zero means its seed.
	Seed uint64
	// Runs limits the runs of each property, For the time of the campaign; the search ends at
	// the first limit. Zero is no limit.
	Runs int
	For  time.Duration
	// Saturated stops a property once the estimated probability that the next random run shows
	// a new receive pair drops below this (see coverage.Chance.High). Zero disables it. Without
	// random runs there is no estimate: a property without another limit is given up then.
	Saturated float64
	// First stops a property at its first failure.
	First bool
	// Shrink limits the time to shrink one finding; zero means 30 seconds. A number of runs
	// limits it too.
	Shrink time.Duration
	// Memory limits the bytes of a worker; zero is no limit.
	Memory uint64
	// Env is added to the environment of the workers.
	Env []string
	// File is the state file, "" for none. The campaign writes it every Every (zero means a
	// minute) and at its end. Resume makes it continue from the file.
	//
	// The file is locked against other campaigns, if the system's locks end with their
	// process: not on Windows, Solaris, AIX, Plan 9 and WebAssembly.
	File   string
	Every  time.Duration
	Resume bool
	// Pages saves an HTML and a JSON page next to each case.
	Pages bool
	// Say is how often Tell gets an event Went; zero means every few seconds, and after a
	// minute every minute.
	Say time.Duration
	// Tell is called for each event, by one goroutine at a time. It may be nil.
	Tell func(Event)
}

// A Kind says what happened.
type Kind string

// The kinds.
const (
	// Found: a finding, which is saved.
	Found Kind = "found"
	// Noted: a note for people.
	Noted Kind = "noted"
	// Finished: the search in a property has ended.
	Finished Kind = "finished"
	// Went: the progress of the campaign, every few seconds.
	Went Kind = "went"
	// Ended: the last event, with Report.Ended as its text.
	Ended Kind = "ended"
)

// An Event is something that happened. EventSchema describes its JSON.
type Event struct {
	Kind    Kind
	Subject string   `json:",omitempty"`
	Finding *Finding `json:",omitempty"`
	Text    string   `json:",omitempty"`
	Runs    int      // of all properties so far
	Orders  int      // receive pairs that these have shown
	Seconds float64  // since the campaign began
	// Left is the estimated seconds left, 0 if unknown, Properties the progress of each
	// property. Only events of the kind Went have them.
	Left       float64    `json:",omitempty"`
	Properties []Progress `json:",omitempty"`
	// Memory is the bytes that the campaign has from the operating system, Workers those that
	// its workers last had together. Only events of the kinds Went and Ended have them.
	Memory  uint64 `json:",omitempty"`
	Workers uint64 `json:",omitempty"`
}

// A Finding is a failure of a property, or the death of a process.
type Finding struct {
	record.Record
	// Told reports that it was reported, Fresh that its file was made for it.
	Told  bool `json:"told,omitempty"`
	Fresh bool `json:"fresh,omitempty"`
	// Rest reports that it was found out of order, at the end of a campaign. A resumed campaign
	// may find another run of it.
	Rest bool `json:"rest,omitempty"`
	// Times is the number of runs with this failure.
	Times int `json:"times"`
}

// An Outcome is the result of a property.
type Outcome struct {
	Subject  Subject
	Findings []*Finding
	// Runs and Steps count the finished batches of the search, and those cut off by the end of
	// the time, which a resumed campaign reruns. Ran describes what was run.
	Runs  int
	Steps int
	Ran   string
	// Complete says that every order was run, "" if not.
	Complete string
	// Complaints say why the property was not tested sufficiently, or was given up.
	Complaints []string
	// Notes are of saved cases.
	Notes []string
	// Arms has the results of each strategy, sorted by name. Orders has the receive pairs of
	// this campaign and earlier ones; pairs of saved cases and shrunk runs are in it but not
	// counted. Missed are the situations that no run has reached.
	Arms   []Arm
	Orders *coverage.Orders
	Missed []string
}

// An End is why a campaign has ended: time, its context, or all of its properties have ended. If
// they ended for several reasons, it is the last of these constants.
type End string

// The ends.
const (
	EndComplete    End = "complete"    // every order was run
	EndSaturated   End = "saturated"   // hardly any new receive pairs
	EndFailures    End = "failures"    // Options.First: each property stops at its first failure
	EndGivenUp     End = "given up"    // some property was given up
	EndRuns        End = "runs"        // Options.Runs
	EndTime        End = "time"        // Options.For
	EndInterrupted End = "interrupted" // the context was done
)

// A Report is the result of a campaign.
type Report struct {
	Outcomes []Outcome
	Ended    End
	Elapsed  time.Duration
	Deaths   int    // of worker processes, for any reason
	Seed     uint64 // of its runs
}

// Failures returns how many findings there are.
func (r *Report) Failures() (n int) {
	for i := range r.Outcomes {
		n += len(r.Outcomes[i].Findings)
	}
	return n
}

// Interrupted reports whether the campaign ended because its context was done.
func (r *Report) Interrupted() bool { return r.Ended == EndInterrupted }

// Complaints returns the number of complaints of all properties.
func (r *Report) Complaints() (n int) {
	for i := range r.Outcomes {
		n += len(r.Outcomes[i].Complaints)
	}
	return n
}

// ErrInUse means that another campaign uses the state file.
var ErrInUse = errors.New("another campaign uses this state file")

// ErrForeign means that the file is not a state file.
var ErrForeign = errors.New("not the state file of a campaign, so it is not overwritten")

// Run searches all subjects until nothing is left, a limit is reached or the context is done. An
// error means that the campaign could not start.
func Run(ctx context.Context, subjects []Subject, o Options) (*Report, error) {
	if o.File != "" {
		if real, err := filepath.EvalSymlinks(o.File); err == nil { // do not overwrite a link
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

// newCampaign returns a new or resumed campaign.
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

// The receive pairs of a property take from leastRoom to mostRoom bytes, those of all properties
// about allRoom. Sources makes the names of coverage sources differ from other hashes of seeds.
const (
	leastRoom = 1 << 20
	mostRoom  = 16 << 20
	allRoom   = 256 << 20
	sources   = 0x5eed
)
