package worker

import (
	"slices"
	"time"

	"github.com/jostle-go/jostle/fuzz/coverage"
	"github.com/jostle-go/jostle/fuzz/distill"
	"github.com/jostle-go/jostle/fuzz/page"
	"github.com/jostle-go/jostle/fuzz/search"
	"github.com/jostle-go/jostle/pulse/trace"
)

// Variable is the environment variable that makes a process a worker.
const Variable = "JOSTLE_WORKER"

// Version is that of the protocol. Whoever changes the meaning of a message raises it.
const Version = 3

// A Property is what a worker offers: one call of a verb.
type Property struct {
	// Test is the name of the test, Verb that of the verb, and Call the number of the
	// call among those of the test, from 0.
	Test, Verb string
	Call       int
	// Name is the name under which cases are kept, Folder the folder for them.
	Name, Folder string
	// Func is the name of the property's function.
	Func string
}

// A Message is what a worker says. One of its fields is set.
type Message struct {
	Hello  *Hello    `json:",omitempty"`
	Offer  *Property `json:",omitempty"`
	Beat   *Beat     `json:",omitempty"`
	At     *At       `json:",omitempty"`
	Decide *Decision `json:",omitempty"`
	Stall  string    `json:",omitempty"` // a run stands still: where
	Done   *Reply    `json:",omitempty"`
}

// A Hello is the first message.
type Hello struct{ Version int }

// A Beat says ten times a second, and when a request is done, that the process lives.
type Beat struct {
	// Memory is how many bytes the process has from the operating system, and CPU how much
	// processor time it has used, 0 if that is not known.
	Memory uint64
	CPU    time.Duration `json:",omitempty"`
	// Collected reports that the garbage was collected just before, as Collect asks.
	Collected bool `json:",omitempty"`
}

// An At says what a worker begins with: a batch of a search, or what is in words.
type At struct {
	Batch int    `json:",omitempty"`
	What  string `json:",omitempty"`
}

// SavedCase is what At.What begins with when a saved case is run; its path follows.
const SavedCase = "saved case "

// A Decision is one that was made in a run that is made again: what it was, and how many
// came before it in the run.
type Decision struct {
	Run, Number int
	// Delivery is the identity of the step that comes next, Choice the answer to a
	// question; one of them is set.
	Delivery uint64   `json:",omitempty"`
	Choice   []uint32 `json:",omitempty"` // kind, number of answers, answer
}

// What a Request may ask for.
const (
	Pass    = "pass"    // an offer is declined
	Take    = "take"    // an offer is taken
	Begin   = "begin"   // run saved cases, then every order if they are few
	Run     = "run"     // run batches
	Again   = "again"   // run a batch and tell of each decision, or stop at one
	Shrink  = "shrink"  // make a case smaller, explain it, and keep what comes of it
	Replay  = "replay"  // run a case
	Walk    = "walk"    // run a case and tell of some of its steps
	Repair  = "repair"  // find a run near a stale case, and keep it
	Tidy    = "tidy"    // remove cases that show the failure of another
	Explore = "explore" // run every order
	Import  = "import"  // run the inputs of go test -fuzz in a folder
	Export  = "export"  // write a case as such an input
	Stop    = "stop"    // let the test go on
)

// What a Request may ask for while another is being done. There is no reply.
const (
	Enough  = "enough"  // Run is to end after the run that is on
	Collect = "collect" // collect garbage, and say so by a Beat
	Pause   = "pause"   // Run is to begin no further run until Resume
	Resume  = "resume"
)

// A Request is what a command asks of a worker. Do says which of the other fields matter.
type Request struct {
	Do   string
	Seed uint64 `json:",omitempty"`

	// Of Run and Again: Count batches from First on, without some; no run from number
	// Runs on, if that is set. Of Walk they are steps. Of Begin and Explore Runs bounds the
	// runs.
	First   int   `json:",omitempty"`
	Count   int   `json:",omitempty"`
	Without []int `json:",omitempty"`
	Runs    int   `json:",omitempty"`
	// Hinted is what Begin has replied.
	Hinted bool `json:",omitempty"`
	// Of Again: the decision to stop before; nil is to stop at none.
	Stop *Decision `json:",omitempty"`

	// Of Shrink, Replay, Walk and Repair: a case as text, and the file that has it. Of Again
	// Path is the signature of the case.
	Case string `json:",omitempty"`
	Path string `json:",omitempty"`
	// Of Import Path is a folder, and of Export To is one.
	To string `json:",omitempty"`
	// Fresh reports that the file was made for this finding, and may be removed for a
	// better one. Keep reports that what comes of it is to be kept.
	Fresh, Keep bool `json:",omitempty"`
	// Where says which run it was; of Again, what the case is to say of its failure.
	Where string `json:",omitempty"`
	// Pairs asks Replay for the orders of two receives that a run shows that passes.
	Pairs bool `json:",omitempty"`
	// Pages asks for a page of HTML and one of JSON beside each case that fails.
	Pages bool `json:",omitempty"`
	// Milliseconds bounds Shrink, Repair and Explore. Run begins no batch but the first after
	// that time.
	Milliseconds int `json:",omitempty"`
}

// A Reply is what came of a request.
type Reply struct {
	Error string `json:",omitempty"` // why nothing was done
	search.Tally
	Batch int `json:",omitempty"` // how many runs a batch has
	// Hinted reports, of Begin, that the property gives hints: half of its runs are to be
	// guided.
	Hinted bool `json:",omitempty"`
	// Over is how many batches of Run are over. Cut reports that the next was begun, and
	// ended by Enough.
	Over int  `json:",omitempty"`
	Cut  bool `json:",omitempty"`
	// Orders is the file of what the runs of Run have shown, or those of Begin after which
	// it is complete, as coverage.Orders writes it.
	Orders []byte `json:",omitempty"`
	// Shown is such a file of what other runs have shown: those of saved cases, of every order
	// before the search, and of the findings.
	Shown []byte `json:",omitempty"`
	// Findings are the first of each signature, Failed how many runs failed.
	Findings []Finding `json:",omitempty"`
	Failed   int       `json:",omitempty"`
	// Missed are the situations that none of the runs reached, and Late is what
	// goroutines have done wrong after the last one.
	Missed []string `json:",omitempty"`
	Late   []string `json:",omitempty"`
	// Complete says in words that every order was run, "" when that is not so. Conditional
	// reports that this holds only if actors share nothing but messages. Text is
	// what is to be shown, Trace all steps of the run.
	Complete    string   `json:",omitempty"`
	Conditional bool     `json:",omitempty"`
	Text        string   `json:",omitempty"`
	Trace       string   `json:",omitempty"`
	Problems    []string `json:",omitempty"`
	Notes       []string `json:",omitempty"`
	// Walk has steps of the run, of Walk.
	Walk *page.Walk `json:",omitempty"`
	// Exact reports of a case that it was run as it was saved, Mended that its failure is
	// mended. Renewed is the file in its place, of Repair, if that has saved the run of today.
	Exact, Mended bool   `json:",omitempty"`
	Renewed       string `json:",omitempty"`
	// Pairs are the orders of two receives that a run has shown, and Gone the files that
	// Tidy has removed.
	Pairs []distill.Pair `json:",omitempty"`
	Gone  []string       `json:",omitempty"`

	shown *coverage.Orders // what Shown will be a file of
}

// Add adds what came of further batches of the same Run.
func (r *Reply) Add(o *Reply) {
	if r.Runs == 0 {
		r.Missed = o.Missed
	} else if o.Runs > 0 {
		r.Missed = slices.DeleteFunc(r.Missed, func(name string) bool { return !slices.Contains(o.Missed, name) })
	}
	r.Tally.Add(&o.Tally)
	r.Over, r.Cut, r.Failed = r.Over+o.Over, o.Cut, r.Failed+o.Failed
	r.Late = append(r.Late, o.Late...)
	for _, f := range o.Findings {
		if !slices.ContainsFunc(r.Findings, func(old Finding) bool { return old.Signature == f.Signature }) {
			r.Findings = append(r.Findings, f)
		}
	}
}

// A Finding is a run in which the property did not hold.
type Finding struct {
	Case      string // as text
	Signature string // what tells it from others of this build
	Lasting   string `json:",omitempty"` // the same without the line, as cases have it; "" of a process that died
	Headline  string
	Text      string // all that is to be shown
	Path      string `json:",omitempty"` // of the file, if there is one
	Saved     string `json:",omitempty"` // what became of the file, in words
	Where     string `json:",omitempty"` // which run it was
	Run       int    `json:",omitempty"` // its number in the search
	// Page is the run with all that is known of it, of a case that was run or made smaller.
	Page *page.Page `json:",omitempty"`
	// Worth reports that it is worth being kept as a case, Confirmed that it came out
	// the same each time.
	Worth, Confirmed bool
	// Condition is in which orders it fails, Cause what it has in common with other failures
	// of the same cause, and Faces are the lasting signatures of these: all as a case has them.
	Condition string   `json:",omitempty"`
	Cause     string   `json:",omitempty"`
	Faces     []string `json:",omitempty"`
	// Yields reports that it was not saved, since the case at Path has the same cause.
	Yields bool `json:",omitempty"`

	trace *trace.Trace // of the run, in the worker; nil if it had no system
}
