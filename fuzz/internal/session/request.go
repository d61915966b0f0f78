package session

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jostle-go/jostle/fuzz/internal/coverage"
	"github.com/jostle-go/jostle/fuzz/internal/distill"
	"github.com/jostle-go/jostle/fuzz/internal/record"
	"github.com/jostle-go/jostle/fuzz/search"
)

// A Kind says what a Request asks for.
type Kind string

// The kinds of requests.
const (
	Saved   Kind = "saved"   // run the saved cases
	Begin   Kind = "begin"   // run the saved cases, then every order if there are few orders
	Check   Kind = "check"   // run the saved cases, every order if there are few, and random runs until one fails
	Run     Kind = "run"     // run batches of a random search
	Again   Kind = "again"   // rerun a batch and report each decision, or end before one of them
	Shrink  Kind = "shrink"  // shrink and explain a case, and save the result
	Replay  Kind = "replay"  // run a case
	Walk    Kind = "walk"    // run a case and report some of its steps
	Fork    Kind = "fork"    // run a case with another message in one of its steps, and report the new case
	Endings Kind = "endings" // continue a case at random from one of its steps, and count the failures
	Repair  Kind = "repair"  // find a run with the failure of a case that cannot be replayed as saved, and save it
	Tidy    Kind = "tidy"    // remove cases that show the same failure as another case
	Explore Kind = "explore" // run every order
	Import  Kind = "import"  // run the inputs of go test -fuzz in a folder
	Export  Kind = "export"  // write a case as an input of go test -fuzz
)

// A Request asks a session to do something. Do says which other fields are used.
type Request struct {
	Do   Kind
	Seed uint64 `json:",omitempty"`

	// First is the number of the first batch (Run request), of the batch to rerun (Again
	// request), of the first step (Walk request), or of the step to change (Fork request, Endings
	// request).
	First int `json:",omitempty"`
	// Other is the index in Moment.Others of the message that a Fork request delivers.
	Other int `json:",omitempty"`
	// Count is the number of batches of a Run request, of steps of a Walk request, or of runs of
	// an Endings request.
	Count int `json:",omitempty"`
	// Without lists batches that a Run request leaves out.
	Without []int `json:",omitempty"`
	// Runs is the maximum number of runs of a Check, Run, Again, Shrink or Explore request;
	// zero means that the request sets no limit.
	Runs int `json:",omitempty"`
	// Hinted is the field Reply.Hinted of an earlier Begin request.
	Hinted bool `json:",omitempty"`
	// Time limits the time for the request. After this time a Run request begins no further
	// batch.
	Time time.Duration `json:",omitempty"`

	// Stop is the decision before which an Again request ends the run; nil for none.
	Stop *Decision `json:",omitempty"`
	// Signature is the signature of the case that an Again request returns.
	Signature string `json:",omitempty"`
	// Headline is the first line of the comment of the case that an Again request returns.
	Headline string `json:",omitempty"`

	// Case is the text of the case for a Shrink, Replay, Walk, Fork, Endings, Repair or Export
	// request.
	Case string `json:",omitempty"`
	// Columns is the number of columns of the terminal that shows the trace of a Replay request, 0 if there is
	// none.
	Columns int `json:",omitempty"`
	// File is the name of the case's file. If Case is "", the file is read, and the beginning
	// of its name is enough.
	File string `json:",omitempty"`
	// Fresh is set if a Shrink request may remove the file, because the file was made for this
	// finding.
	Fresh bool `json:",omitempty"`
	// Keep makes a Shrink request save the result.
	Keep bool `json:",omitempty"`
	// Where describes the run of a Shrink request.
	Where string `json:",omitempty"`
	// Folder is the folder with the inputs for Import or Export.
	Folder string `json:",omitempty"`
	// Pairs makes a Replay request return the receive pairs of a run that passes.
	Pairs bool `json:",omitempty"`
	// Pages asks for an HTML page next to the file of each failing case.
	Pages bool `json:",omitempty"`

	// If the context Enough is done, a Run request ends after its current run. Nil means never.
	Enough context.Context `json:"-"`
}

// A Reply is the result of a request.
type Reply struct {
	search.Tally
	// Notes are messages to report before Findings.
	Notes []string `json:",omitempty"`
	// Findings has one finding for each signature. They are reported after Notes.
	Findings []record.Record `json:",omitempty"`
	// Problems are messages to report after Findings. A test should fail for each.
	Problems []string `json:",omitempty"`
	// Doubts says why the results for an existing test may mean nothing. For a property, Problems has
	// such messages.
	Doubts []string `json:",omitempty"`
	// Text is reported last.
	Text string `json:",omitempty"`
	// Trace is the trace of the run of a Replay request, as text.
	Trace string `json:",omitempty"`

	// Complete says that every order was run, and how many orders there are. It is "" if some
	// order may not have been run.
	Complete string `json:",omitempty"`
	// Conditional is set if Complete assumes that actors share nothing but messages.
	Conditional bool `json:",omitempty"`
	// Hinted is set by a Begin request if the property gives hints, so that half of the runs
	// are to be guided.
	Hinted bool `json:",omitempty"`

	// Batch is the number of runs in a batch of a Run request.
	Batch int `json:",omitempty"`
	// Over is the number of batches that a Run request has finished or left out.
	Over int `json:",omitempty"`
	// Cut is set if Request.Enough ended a Run request within a batch.
	Cut bool `json:",omitempty"`
	// Share is the time of the search of a Check request, if Session.Share made it less than
	// Request.Time.
	Share time.Duration `json:",omitempty"`
	// Failed is the number of runs that failed.
	Failed int `json:",omitempty"`
	// Missed lists the situations of Sometimes that no run reached.
	Missed []string `json:",omitempty"`
	// Late describes failures caused by goroutines that outlived the last run.
	Late []string `json:",omitempty"`
	// Orders has the receive pairs of the runs of a Run request, encoded by coverage.Orders. If
	// a Begin request has set Complete, Orders has the receive pairs of its random runs.
	Orders []byte `json:",omitempty"`
	// Shown has the receive pairs of the runs that are not in Orders, encoded in the same way:
	// the runs of saved cases, of every order before the search, and of the findings.
	Shown []byte `json:",omitempty"`

	// Exact is set if a case ran as saved.
	Exact bool `json:",omitempty"`
	// Mended is set if the failure of a case is mended: see finding.Replayed.
	Mended bool `json:",omitempty"`
	// Renewed is the file of the passing run that a Repair request saved in place of a mended
	// case.
	Renewed string `json:",omitempty"`
	// Pairs has the receive pairs of the run of a Replay request.
	Pairs []distill.Pair `json:",omitempty"`
	// Fixed lists the files of saved cases whose failure is mended.
	Fixed []string `json:",omitempty"`
	// Gone lists the files that a Tidy request removed.
	Gone []string     `json:",omitempty"`
	Walk *record.Walk `json:",omitempty"`
	// Case is the text of the case that a Fork request made.
	Case    string          `json:",omitempty"`
	Endings *record.Endings `json:",omitempty"`

	// Verdict is the verdict of an Explore request.
	Verdict *search.Verdict `json:"-"`

	shown shown // collects the receive pairs for the field Shown
}

// Add adds the result of further batches of the same Run.
func (r *Reply) Add(o *Reply) {
	r.addRuns(&o.Tally, o.Missed)
	r.Over, r.Cut, r.Failed = r.Over+o.Over, o.Cut, r.Failed+o.Failed
	r.Late = append(r.Late, o.Late...)
	for _, f := range o.Findings {
		r.addFinding(f)
	}
}

// addRuns adds the counts of further runs, and removes situations that these runs have reached
// from r.Missed.
func (r *Reply) addRuns(runs *search.Tally, missed []string) {
	if r.Runs == 0 {
		r.Missed = missed
	} else if runs.Runs > 0 {
		r.Missed = slices.DeleteFunc(r.Missed, func(name string) bool { return !slices.Contains(missed, name) })
	}
	r.Tally.Add(runs)
}

// Fails reports whether a test should fail for the reply.
func (r *Reply) Fails() bool { return len(r.Findings)+len(r.Problems) > 0 }

// addFinding adds a finding, unless there is one with the same Exact signature.
func (r *Reply) addFinding(f record.Record) {
	if !slices.ContainsFunc(r.Findings, func(old record.Record) bool { return old.Exact == f.Exact }) {
		r.Findings = append(r.Findings, f)
	}
}

func (r *Reply) note(format string, args ...any) {
	r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
}

// complete records that every order was run, and stores the receive pairs of the confirming
// random runs. res is the result of these runs.
func (r *Reply) complete(x *search.Exhaustion, res *search.Result, seed uint64) (err error) {
	r.Complete, r.Conditional = x.Whole(), x.Conditional()
	r.Tally.Add(&res.Tally)
	r.Tally.Runs += x.Verdict.Runs
	r.Tally.Steps += x.Verdict.Steps
	shown := &coverage.Orders{Source: seed}
	shown.Append(res.Orders)
	r.Orders, err = shown.MarshalBinary()
	return err
}

// An Event is what a session reports while it carries out a request. Exactly one of its fields
// is set.
type Event struct {
	At     *At       `json:",omitempty"`
	Decide *Decision `json:",omitempty"`
}

// An At says which work a session begins. If Saved and What are "", that work is a batch of
// random runs.
type At struct {
	Batch int    `json:",omitempty"` // the number of the batch
	Saved string `json:",omitempty"` // the file of the saved case that it runs
	What  string `json:",omitempty"` // a description of work that is neither a batch nor a saved case
}

// String describes what the session begins to do, "" for a batch.
func (a *At) String() string {
	if a.Saved != "" {
		return "saved case " + a.Saved
	}
	return a.What
}

// A Decision is one decision of a run: a delivery or an answer to a question.
type Decision struct {
	Run    int // the number of the run
	Number int // the number of decisions before this one in the run
	// Delivery is the ID of the step that comes next; zero if the decision is an answer to a
	// question.
	Delivery uint64 `json:",omitempty"`
	// Choice is the answer to a question: the kind, the number of possible answers, and the
	// answer. It is nil if the decision is a delivery.
	Choice []uint32 `json:",omitempty"`
}
