package tool

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/fuzz/internal/coverage"
	"github.com/jostle-go/jostle/fuzz/internal/desk"
	"github.com/jostle-go/jostle/fuzz/internal/record"
	"github.com/jostle-go/jostle/fuzz/internal/session"
	"github.com/jostle-go/jostle/fuzz/internal/words"
)

// Parameters that several questions have.
var (
	ofProperty = Parameter{Name: "property", About: "the number of a property, as listed by properties", Required: true}
	ofRun      = Parameter{Name: "run", About: "the name of a saved case, or its beginning; @step:other after it names a fork", Text: true, Required: true}
	ofStep     = Parameter{Name: "step", About: "the number of a step of the run, from 0", Required: true}
	forSeconds = Parameter{Name: "seconds", About: "the time limit", Usual: 5, Least: 1, Most: 120}
	ofRuns     = Parameter{Name: "runs", About: "the limit of runs; 0 is no limit"}
)

// Questions returns all questions.
func Questions() []Question {
	return []Question{
		{"properties", "which properties there are, and their saved cases", nil, false, askProperties},
		{"check", "search for a failing run of a property; a failure is shrunk, explained and saved", []Parameter{ofProperty, forSeconds, ofRuns,
			{Name: "seed", About: "another seed makes other runs", Usual: 1}}, true, askCheck},
		{"explore", "run every distinct order of a property", []Parameter{ofProperty, forSeconds, ofRuns}, true, askExplore},
		{"replay", "run a saved case or a fork again, and show the failure and its messages", []Parameter{ofRun}, false, askReplay},
		{"cause", "why a run fails: in which orders, which step decides, which draws matter", []Parameter{ofRun, forSeconds}, false, askCause},
		{"steps", "what happens in some steps of a run: message, state before and after, and what else could have come",
			[]Parameter{ofRun, {Name: "first", About: "the first step"}, {Name: "count", About: "the number of steps", Usual: 10, Most: 100}}, false, askSteps},
		{"fork", "receive another message in a step, and follow the run from there; the answer names the new run",
			[]Parameter{ofRun, ofStep, {Name: "other", About: "the index of the message in others, a list of the step", Required: true}}, false, askFork},
		{"continuations", "how often random continuations of a run from a step fail", []Parameter{ofRun, ofStep, forSeconds,
			{Name: "runs", About: "the number of continuations", Usual: 50, Least: 1, Most: 10_000}}, false, askContinuations},
		{"gaps", "which orders of two messages the last campaign of jostle fuzz has not shown, although they seem possible", []Parameter{ofProperty}, false, askGaps},
		{"save", "save a fork as a case, which go test runs first from then on", []Parameter{ofRun}, true, askSave},
		{"test", "a Go test that replays exactly this run: a file for the package of its property", []Parameter{ofRun}, false, askTest},
	}
}

func askProperties(_ context.Context, d *desk.Desk, _ values) (any, error) {
	return map[string]any{"properties": d.Properties()}, nil
}

// A searched is the answer to a question that searches for failing runs.
type searched struct {
	Runs int `json:"runs"`
	shown
}

// A shown is the answer to a question that may show failing runs.
type shown struct {
	Said     []string  `json:"said,omitempty"`
	Failures []failure `json:"failures"`
}

// A failure describes a failing run.
type failure struct {
	Run       string              `json:"run,omitempty"` // the name of the saved case
	File      string              `json:"file,omitempty"`
	Signature string              `json:"signature"`
	Repeats   bool                `json:"repeats"`       // set if the failure repeated in every replay
	Text      string              `json:"text"`          // what failed, the messages, and why
	Why       *corpus.Explanation `json:"why,omitempty"` // set only in the answer to the question "cause"
}

// mostFailures is the maximum number of failures in an answer.
const mostFailures = 20

func failureOf(r *record.Record) failure {
	f := failure{File: r.Path, Signature: r.Signature, Repeats: r.Confirmed(), Text: r.Text(0)}
	if f.File != "" {
		f.Run = desk.IDOf(f.File)
	}
	return f
}

// shownBy returns the answer for a reply.
func shownBy(r *session.Reply) *shown {
	s := &shown{Said: slices.Concat(r.Notes, r.Problems, r.Doubts), Failures: []failure{}}
	for _, text := range []string{r.Complete, r.Text} {
		if text != "" {
			s.Said = append(s.Said, text)
		}
	}
	for i := range r.Findings {
		if i == mostFailures {
			s.Said = append(s.Said, fmt.Sprintf("%d of %d failures are listed; the question properties lists all cases", i, len(r.Findings)))
			break
		}
		s.Failures = append(s.Failures, failureOf(&r.Findings[i]))
	}
	return s
}

func askCheck(ctx context.Context, d *desk.Desk, a values) (any, error) {
	r, err := d.Check(ctx, a.numbers["property"], uint64(a.numbers["seed"]), a.seconds(), a.numbers["runs"])
	if err != nil {
		return nil, err
	}
	return searched{r.Runs, *shownBy(r)}, nil
}

func askExplore(ctx context.Context, d *desk.Desk, a values) (any, error) {
	r, err := d.Explore(ctx, a.numbers["property"], a.seconds(), a.numbers["runs"])
	if err != nil {
		return nil, err
	}
	return searched{r.Runs, *shownBy(r)}, nil
}

func askReplay(ctx context.Context, d *desk.Desk, a values) (any, error) {
	r, err := d.Replay(ctx, a.text["run"])
	if err != nil {
		return nil, err
	}
	return shownBy(r), nil
}

func askCause(ctx context.Context, d *desk.Desk, a values) (any, error) {
	f, err := d.Explain(ctx, a.text["run"], a.seconds())
	if err != nil {
		return nil, err
	}
	answer := failureOf(f)
	answer.Why = f.Why
	return answer, nil
}

func askSteps(ctx context.Context, d *desk.Desk, a values) (any, error) {
	return d.Walk(ctx, a.text["run"], a.numbers["first"], a.numbers["count"])
}

func askFork(ctx context.Context, d *desk.Desk, a values) (any, error) {
	run, err := d.Fork(ctx, a.text["run"], a.numbers["step"], a.numbers["other"])
	if err != nil {
		return nil, err
	}
	w, err := d.Walk(ctx, run.ID, a.numbers["step"], 10)
	return map[string]any{"run": run.ID, "walk": w}, err
}

func askContinuations(ctx context.Context, d *desk.Desk, a values) (any, error) {
	return d.Continuations(ctx, a.text["run"], a.numbers["step"], a.numbers["runs"], a.seconds())
}

// askGaps reads the state that the last campaign has saved.
func askGaps(_ context.Context, d *desk.Desk, a values) (any, error) {
	s, err := d.Subject(a.numbers["property"])
	if err != nil {
		return nil, err
	}
	r, err := (&night{}).read(a.patterns)
	if err != nil {
		return nil, err
	}
	for i := range r.Outcomes {
		if out := &r.Outcomes[i]; out.Subject.Binary.Package == s.Binary.Package && out.Subject.Property.Test == s.Property.Test && out.Subject.Property.Call == s.Property.Call {
			gaps := append([]coverage.OpenName{}, out.Orders.OpenNames()...) // not nil, which would be null in JSON
			return map[string]any{"gaps": gaps, "table": strings.Split(strings.TrimSpace(out.Orders.Text()), "\n")}, nil
		}
	}
	return nil, fmt.Errorf("the last campaign did not search %s", s.String())
}

func askSave(ctx context.Context, d *desk.Desk, a values) (any, error) {
	file, of, err := d.Save(ctx, a.text["run"])
	if err != nil {
		return nil, err
	}
	return map[string]string{"run": desk.IDOf(file), "file": file, "command": "go test -run " + words.Argument(words.Pattern(of.Property.Test)) + " " + of.Binary.Package}, nil
}

func askTest(ctx context.Context, d *desk.Desk, a values) (any, error) {
	source, err := d.Promote(ctx, a.text["run"])
	return map[string]string{"source": source}, err
}
