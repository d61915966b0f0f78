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
	"github.com/jostle-go/jostle/fuzz/internal/session"
	"github.com/jostle-go/jostle/fuzz/internal/worker"
	"github.com/jostle-go/jostle/fuzz/search"
	"github.com/jostle-go/jostle/pulse/hash"
)

// A Subject is a property together with the test binary of its package.
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

// Options are the limits and settings of Run.
type Options struct {
	// Workers is the number of processes that search at the same time; zero means one.
	Workers int
	// Races are the subjects again, in test binaries with the race detector. Additional workers
	// search them with a different seed, for an eighth of Runs. The findings in the other subjects
	// do not depend on Races.
	Races []Subject
	// RaceWorkers is the number of workers that search Races; zero means one.
	RaceWorkers int
	// Seed determines all runs. Zero means 1 more than the seed of the last campaign in File, or 1
	// if File has no campaign. With Resume, zero means the seed of the resumed campaign.
	Seed uint64
	// Runs limits the runs of each property; zero is no limit.
	Runs int
	// For limits the time of the campaign; zero is no limit.
	For time.Duration
	// Saturated stops a property once the estimated probability that the next random run contains a
	// new receive pair drops below Saturated (see coverage.Chance.High). Zero disables it. The
	// estimate needs random runs. A property without random runs and without another limit is given
	// up.
	Saturated float64
	// First stops a property at its first failure.
	First bool
	// Shrink limits the time to shrink one finding; zero means 30 seconds. The number of runs for
	// shrinking is limited too.
	Shrink time.Duration
	// Memory limits the memory of a worker, in bytes; zero is no limit.
	Memory uint64
	// Env has additional environment variables of the workers.
	Env []string
	// File is the path of the state file, "" for none. The file is locked against other
	// campaigns, except on Windows, Solaris, AIX, Plan 9 and WebAssembly. LiveFile(File) shows the
	// campaign to other processes while it runs.
	File string
	// Every is the interval at which File is written; zero means a minute. File is also written
	// at the end.
	Every time.Duration
	// Resume continues the campaign that is stored in File.
	Resume bool
	// Pages saves an HTML and a JSON page next to each case.
	Pages bool
	// Say is the interval between events of the kind Went. Zero means 5 seconds in the first
	// minute, and a minute after that.
	Say time.Duration
	// Tell is called for each event, by one goroutine at a time. It may be nil.
	Tell func(Event)
}

// A Kind is the kind of an Event.
type Kind string

// The kinds.
const (
	Found    Kind = "found"    // a failure was found
	Noted    Kind = "noted"    // Text is a note for the user
	Finished Kind = "finished" // the search in a property has ended
	Went     Kind = "went"     // reports the progress of the campaign every few seconds
	Ended    Kind = "ended"    // the last event; Text is Report.Ended
)

// An Event reports something that happened in a campaign. EventSchema describes its JSON.
type Event struct {
	Kind    Kind     `json:"kind"`
	Subject string   `json:"subject,omitempty"`
	Finding *Finding `json:"finding,omitempty"`
	Text    string   `json:"text,omitempty"`
	Runs    int      `json:"runs"`    // runs of all properties so far
	Orders  int      `json:"orders"`  // distinct receive pairs in the runs of all properties
	Seconds float64  `json:"seconds"` // seconds since the campaign began
	// Left is the estimated number of seconds left, 0 if unknown. It is set only in events of
	// the kind Went.
	Left float64 `json:"left,omitempty"`
	// Properties is the progress of each property. It is set only in events of the kind Went.
	Properties []Progress `json:"properties,omitempty"`
	// Memory is the number of bytes that the campaign's own process uses. It is set only in
	// events of the kinds Went and Ended.
	Memory uint64 `json:"memory,omitempty"`
	// Workers is the number of bytes that all workers use together. It is set only in events of
	// the kinds Went and Ended.
	Workers uint64 `json:"workers,omitempty"`
	// Deaths is the number of worker processes that have died so far. It is set only in events of
	// the kinds Went and Ended.
	Deaths int `json:"deaths,omitempty"`
	// Doing has the current request of each worker. It is set only in events of the kind Went.
	Doing []Doing `json:"doing,omitempty"`
}

// A Doing is the request on which a worker works.
type Doing struct {
	Subject string `json:"subject"`
	// Do is the kind of the request: "begin" for saved cases, "run" for runs of the search, or
	// "shrink".
	Do      session.Kind `json:"do"`
	Seconds float64      `json:"seconds"` // the cost of the request so far
	// Waits is set if the worker waits: for its turn, or because the program under test does.
	Waits bool `json:"waits,omitempty"`
}

// A Finding is a failure of a property, or the death of a process.
type Finding struct {
	record.Record
	// Told is set once the finding was reported.
	Told bool `json:"told,omitempty"`
	// Fresh is set if the file at Path was created for this finding.
	Fresh bool `json:"fresh,omitempty"`
	// Rest is set if the finding was recorded at the end of a campaign, although an earlier batch
	// is unfinished. A resumed campaign may find the same failure in a different run.
	Rest bool `json:"rest,omitempty"`
	// Times is the number of runs with this failure.
	Times int `json:"times"`
}

// An Outcome is the result of the search in one property.
type Outcome struct {
	Subject  Subject
	Findings []*Finding
	// Runs and Steps count the runs and steps of finished batches and of batches that the time
	// limit cut off. A resumed campaign reruns the batches that were cut off.
	Runs  int
	Steps int
	// Ran describes what was run: "120 runs, 4000 steps".
	Ran string
	// Complete says that every order was run. It is "" if some orders were not run.
	Complete string
	// Complaints say why the property was not tested sufficiently, or was given up.
	Complaints []string
	// Notes are remarks on saved cases, on the hints of the property and on saturation.
	Notes []string
	// Mended has the files of the saved cases whose failure is mended.
	Mended []string
	// Spent is the processor time of the property's runs.
	Spent time.Duration
	// Arms has the results of each strategy, sorted by name.
	Arms []Arm
	// Orders has the receive pairs of all runs of this campaign and of earlier campaigns. Its
	// number of runs does not include saved cases and the runs of shrinking.
	Orders *coverage.Orders
	// Missed are the names that the property gave to Sometimes for situations that no run has
	// reached.
	Missed []string
	// Reached is the number of runs that reached each of the other situations of Sometimes.
	Reached map[string]int
	// Labels has the values that the property gave to Label.
	Labels []search.Distribution
}

// An End is the reason why a campaign ended. If its properties ended for different reasons, End is
// the one of these reasons that is declared last below.
type End string

// The ends.
const (
	EndComplete    End = "complete"    // every order was run
	EndSaturated   End = "saturated"   // new receive pairs have become rare (see Options.Saturated)
	EndFailures    End = "failures"    // Options.First is set, and a property has failed
	EndGivenUp     End = "given up"    // a property was given up
	EndRuns        End = "runs"        // the limit Options.Runs was reached
	EndTime        End = "time"        // the limit Options.For was reached
	EndInterrupted End = "interrupted" // the context was done
)

// A Report is the result of a campaign.
type Report struct {
	Outcomes []Outcome
	Ended    End
	Elapsed  time.Duration
	Deaths   int    // number of worker processes that died for any reason
	Seed     uint64 // the seed that determined the runs
}

// Failures returns the number of findings of all properties.
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

// ErrInUse is returned by Run if another campaign uses the state file.
var ErrInUse = errors.New("another campaign uses this state file")

// ErrForeign is returned by Run if Options.File exists and is not a state file.
var ErrForeign = errors.New("not the state file of a campaign, so it is not overwritten")

// Run searches all subjects until nothing is left to run, a limit is reached or the context is
// done. It returns an error if the campaign could not start.
func Run(ctx context.Context, subjects []Subject, o Options) (*Report, error) {
	if o.File != "" {
		if real, err := filepath.EvalSymlinks(o.File); err == nil { // replace the target of a symbolic link, not the link
			o.File = real
		}
		if err := o.mayWrite(); err != nil {
			return nil, err
		}
		hold, who := flight.Take(o.File)
		if who != "" {
			return nil, fmt.Errorf("%s: %w: %s; wait until that campaign ends, stop it, or choose another file", o.File, ErrInUse, who)
		}
		defer hold.Release()
	}
	o.Workers, o.Seed = max(1, o.Workers), o.seed()
	o.Shrink, o.Every = cmp.Or(o.Shrink, usualShrink), cmp.Or(o.Every, noteEvery)
	o = o.withTeller()
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

// newCampaign returns a campaign with the subjects and options. If o.Resume is set, it resumes the
// campaign in o.File.
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

// Memory limits for receive pairs, in bytes.
const (
	leastRoom = 1 << 20   // the minimum memory for the pairs of one property
	mostRoom  = 16 << 20  // the maximum memory for the pairs of one property
	allRoom   = 256 << 20 // the approximate memory for the pairs of all properties together
)

// sources is mixed into the seed, so that coverage.Orders.Source differs from other hashes of the
// seed.
const sources = 0x5eed
