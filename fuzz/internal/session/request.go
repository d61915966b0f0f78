package session

import (
	"context"
	"slices"
	"time"

	"github.com/jostle-go/jostle/fuzz/internal/distill"
	"github.com/jostle-go/jostle/fuzz/internal/record"
	"github.com/jostle-go/jostle/fuzz/search"
)

// A Kind is what a Request asks for.
type Kind string

// What a Request may ask for.
const (
	Saved   Kind = "saved"   // run the saved cases
	Begin   Kind = "begin"   // run the saved cases, then every order if they are few
	Check   Kind = "check"   // do so, and then search at random until a run fails
	Run     Kind = "run"     // run batches of a search at random
	Again   Kind = "again"   // rerun a batch and report each decision, or stop at one
	Shrink  Kind = "shrink"  // shrink and explain a case, and save the result
	Replay  Kind = "replay"  // run a case
	Walk    Kind = "walk"    // run a case and report some of its steps
	Repair  Kind = "repair"  // find a run near a stale case, and save it
	Tidy    Kind = "tidy"    // remove cases that show the failure of another
	Explore Kind = "explore" // run every order
	Import  Kind = "import"  // run the inputs of go test -fuzz in a folder
	Export  Kind = "export"  // write a case as such an input
)

// A Request asks for something. Do says which of the other fields matter.
type Request struct {
	Do   Kind
	Seed uint64 `json:",omitempty"`

	// Run and Again: Count batches from First on, without some. Walk: steps. Runs bounds the
	// runs of Check, Run, Shrink and Explore; zero is no bound of the request.
	First   int   `json:",omitempty"`
	Count   int   `json:",omitempty"`
	Without []int `json:",omitempty"`
	Runs    int   `json:",omitempty"`
	// Hinted is what Begin has replied.
	Hinted bool `json:",omitempty"`
	// Time bounds all. Run begins no batch but the first after that time.
	Time time.Duration `json:",omitempty"`

	// Again: the decision to stop before, nil for none, and the signature and the headline
	// that the case is to have.
	Stop      *Decision `json:",omitempty"`
	Signature string    `json:",omitempty"`
	Headline  string    `json:",omitempty"`

	// Shrink, Replay, Walk, Repair and Export: the text of a case and its file; without a text,
	// the file or the beginning of its name.
	Case string `json:",omitempty"`
	File string `json:",omitempty"`
	// Shrink: Fresh reports that the file was made for this finding, and may be removed for a
	// better one. Keep asks for the result to be saved. Where says which run it was.
	Fresh bool   `json:",omitempty"`
	Keep  bool   `json:",omitempty"`
	Where string `json:",omitempty"`
	// Import and Export: the folder of the inputs.
	Folder string `json:",omitempty"`
	// Replay: Pairs asks for the receive pairs of a run that passes.
	Pairs bool `json:",omitempty"`
	// Pages asks for pages next to each case that fails.
	Pages bool `json:",omitempty"`

	// Enough ends Run after the run that is on; nil for never.
	Enough context.Context `json:"-"`
}

// A Reply is the result of a request.
type Reply struct {
	search.Tally
	// Notes, Findings and Problems are to be reported in this order. Of findings there is one
	// for each signature. A test should fail for a problem.
	Notes    []string        `json:",omitempty"`
	Findings []record.Record `json:",omitempty"`
	Problems []string        `json:",omitempty"`
	// Text is what is to be shown last, Trace all steps of the run.
	Text  string `json:",omitempty"`
	Trace string `json:",omitempty"`

	// Begin: Complete says in words that every order was run, "" if that is not so.
	// Conditional reports that this holds only if actors share nothing but messages. Hinted
	// reports that the property gives hints: half of its runs are to be guided.
	Complete    string `json:",omitempty"`
	Conditional bool   `json:",omitempty"`
	Hinted      bool   `json:",omitempty"`

	// Run: how many runs a batch has, how many batches are over, and whether the next was
	// begun and ended by Enough. Failed is how many runs failed. Missed are the situations
	// that no run reached, Late is what goroutines did wrong after the last one.
	Batch  int      `json:",omitempty"`
	Over   int      `json:",omitempty"`
	Cut    bool     `json:",omitempty"`
	Failed int      `json:",omitempty"`
	Missed []string `json:",omitempty"`
	Late   []string `json:",omitempty"`
	// Orders is the file of what the runs of Run have shown, or those of Begin after which
	// it is complete, as coverage.Orders writes it.
	Orders []byte `json:",omitempty"`
	// Shown is such a file of what other runs have shown: those of saved cases, of every order
	// before the search, and of the findings.
	Shown []byte `json:",omitempty"`

	// Exact reports that a case ran as it was saved, Mended that its failure is mended.
	// Renewed is the file that Repair wrote in its place, if it saved the run of today.
	Exact   bool           `json:",omitempty"`
	Mended  bool           `json:",omitempty"`
	Renewed string         `json:",omitempty"`
	Pairs   []distill.Pair `json:",omitempty"` // that the run of Replay has shown
	Gone    []string       `json:",omitempty"` // files that Tidy removed
	Walk    *record.Walk   `json:",omitempty"`

	// Verdict is that of Explore.
	Verdict *search.Verdict `json:"-"`

	shown shown // what Shown will be a file of
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

// addRuns adds further runs, and what these have missed.
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

// addFinding adds a finding, if it is the first of its signature.
func (r *Reply) addFinding(f record.Record) {
	if !slices.ContainsFunc(r.Findings, func(old record.Record) bool { return old.Exact == f.Exact }) {
		r.Findings = append(r.Findings, f)
	}
}

// An Event is what a session says while it does something. One of its fields is set.
type Event struct {
	At     *At       `json:",omitempty"`
	Decide *Decision `json:",omitempty"`
}

// An At says what a session begins with: a batch of a search, a saved case, or what is in
// words.
type At struct {
	Batch int    `json:",omitempty"`
	Saved string `json:",omitempty"` // the file
	What  string `json:",omitempty"`
}

// String says in words what it is, "" for a batch.
func (a *At) String() string {
	if a.Saved != "" {
		return "saved case " + a.Saved
	}
	return a.What
}

// A Decision is one decision of a rerun. Number counts the decisions before it in the run.
type Decision struct {
	Run, Number int
	// Delivery is the identity of the step that comes next, Choice the answer to a
	// question; one of them is set.
	Delivery uint64   `json:",omitempty"`
	Choice   []uint32 `json:",omitempty"` // kind, number of answers, answer
}
