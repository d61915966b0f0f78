// Package desk answers questions about the properties of test binaries and about their runs: what
// happens in each step, what else could have happened, how often a run fails from there on, and
// why. The command's view in a browser and its tools for agents ask these questions. Worker
// processes make the runs, so a run that ends its process does not end the command.
package desk

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/fuzz/internal/campaign"
	"github.com/jostle-go/jostle/fuzz/internal/record"
	"github.com/jostle-go/jostle/fuzz/internal/session"
	"github.com/jostle-go/jostle/fuzz/internal/worker"
)

// A Desk answers questions about some properties. Several goroutines may use it.
type Desk struct {
	subjects []campaign.Subject
	bounds   worker.Command
	turns    chan struct{} // limits the requests that are carried out at the same time

	mu    sync.Mutex
	idle  map[int]*worker.Process // by index in subjects
	forks map[string]Run          // by ID; can be made again
}

// mostForks limits the forks that a Desk remembers.
const mostForks = 1000

// New returns a Desk. No two subjects may have the same binary, test and call. bounds has the limits
// of worker processes. At most requests requests are carried out at the same time.
func New(subjects []campaign.Subject, bounds worker.Command, requests int) *Desk {
	return &Desk{subjects: subjects, bounds: bounds, turns: make(chan struct{}, max(1, requests)), idle: map[int]*worker.Process{}, forks: map[string]Run{}}
}

// Close ends all worker processes. No request may be in progress.
func (d *Desk) Close() {
	for _, p := range d.idle {
		p.Stop()
	}
	clear(d.idle)
}

// A Property describes a property of the test binaries.
type Property struct {
	Number  int    `json:"number"` // identifies the property in questions
	Package string `json:"package"`
	Test    string `json:"test"`
	Name    string `json:"name"`
	Verb    string `json:"verb"`
	Cases   []Case `json:"cases"` // the saved cases, the smallest first
	// Problems says which files in the folder of the cases cannot be read.
	Problems []string `json:"problems,omitempty"`
}

// A Case describes a saved case.
type Case struct {
	ID        string `json:"id"` // the name of the file without its ending
	File      string `json:"file"`
	Headline  string `json:"headline"` // the first line of the case's comment
	Signature string `json:"signature"`
	Steps     int    `json:"steps"` // the number of messages that the run receives
	// Cause has the constraints that all failing orders meet, as text; "" if unknown.
	Cause string `json:"cause,omitempty"`
}

// Properties describes all properties with their saved cases.
func (d *Desk) Properties() (list []Property) {
	for i := range d.subjects {
		s := &d.subjects[i]
		p := Property{Number: i, Package: s.Binary.Package, Test: s.Property.Test, Name: s.Property.Name, Verb: s.Property.Verb, Cases: []Case{}}
		cases, problems := s.Cases().Load()
		for k := range cases {
			p.Cases = append(p.Cases, describe(&cases[k]))
		}
		for _, problem := range problems {
			if !errors.Is(problem, corpus.ErrElsewhere) {
				p.Problems = append(p.Problems, problem.Error())
			}
		}
		list = append(list, p)
	}
	return list
}

// IDOf returns the ID of the case in a file.
func IDOf(file string) string { return strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)) }

func describe(c *corpus.Case) Case {
	out := Case{ID: IDOf(c.Path), File: c.Path, Signature: c.Signature,
		Steps: c.Record.Received(), Cause: c.Condition}
	if len(c.Comment) > 0 {
		out.Headline = c.Comment[0]
	}
	return out
}

// A Run is a saved case or a fork.
type Run struct {
	// ID is the name of a case's file without its ending, followed by "@step:other" for each fork:
	// the run of the case 3bef39-b2b4b6 is forked to 3bef39-b2b4b6@4:0, and this run to
	// 3bef39-b2b4b6@4:0@6:2. The fork receives message number other of those that could have been
	// received in that step.
	ID       string `json:"id"`
	Property int    `json:"property"`       // the number of the property
	Case     string `json:"-"`              // the text of the case
	File     string `json:"file,omitempty"` // the file of a saved case
}

// Open returns the run with the given ID. The beginning of a case's name is enough, if it is the
// beginning of one name only.
func (d *Desk) Open(ctx context.Context, id string) (Run, error) {
	d.mu.Lock()
	run, known := d.forks[id]
	d.mu.Unlock()
	if known {
		return run, nil
	}
	of, change, is := cutLast(id, "@")
	if !is {
		return d.saved(id)
	}
	step, other := 0, 0
	if n, err := fmt.Sscanf(change+" ", "%d:%d ", &step, &other); n != 2 || err != nil {
		return Run{}, fmt.Errorf("the fork %q must end with @step:other, such as @4:0", id)
	}
	return d.Fork(ctx, of, step, other)
}

// cutLast cuts text around the last separator.
func cutLast(text, separator string) (before, after string, found bool) {
	i := strings.LastIndex(text, separator)
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+len(separator):], true
}

// saved returns the saved case with the given beginning of its name.
func (d *Desk) saved(id string) (Run, error) {
	found := map[string]Run{} // by file
	for i := range d.subjects {
		cases, _ := d.subjects[i].Cases().Load()
		for k := range cases {
			c := &cases[k]
			if _, known := found[c.Path]; known || !strings.HasPrefix(filepath.Base(c.Path), id) {
				continue
			}
			text, err := corpus.Encode(*c)
			if err != nil {
				return Run{}, err
			}
			found[c.Path] = Run{ID: describe(c).ID, Property: i, Case: string(text), File: c.Path}
		}
	}
	switch files := slices.Sorted(maps.Keys(found)); len(files) {
	case 0:
		return Run{}, fmt.Errorf("there is no case %q: give the name of a saved case, or its beginning", id)
	case 1:
		return found[files[0]], nil
	default:
		return Run{}, fmt.Errorf("the names of %d cases begin with %q: give more of the name", len(files), id)
	}
}

// do sends a request to a worker process of a property. If the process dies in the request, the
// error is a *worker.Death.
func (d *Desk) do(ctx context.Context, property int, q session.Request) (*session.Reply, error) {
	if property < 0 || property >= len(d.subjects) {
		return nil, fmt.Errorf("there is no property %d: there are %d, counted from 0", property, len(d.subjects))
	}
	select {
	case d.turns <- struct{}{}:
		defer func() { <-d.turns }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	p, err := d.take(ctx, property)
	if err != nil {
		return nil, err
	}
	r, err := p.Do(ctx, q)
	var refusal *worker.Refusal
	if err == nil || errors.As(err, &refusal) {
		d.put(property, p)
	}
	return r, err
}

// take returns an idle process of a property, or starts one.
func (d *Desk) take(ctx context.Context, property int) (*worker.Process, error) {
	d.mu.Lock()
	p := d.idle[property]
	delete(d.idle, property)
	d.mu.Unlock()
	if p != nil {
		return p, nil
	}
	return campaign.Start(ctx, d.subjects[property], d.bounds)
}

// put makes a process idle. It ends the process if another one of the property is idle.
func (d *Desk) put(property int, p *worker.Process) {
	d.mu.Lock()
	other := d.idle[property]
	if other == nil {
		d.idle[property] = p
	}
	d.mu.Unlock()
	if other != nil {
		p.Stop()
	}
}

// ask sends a request about a run.
func (d *Desk) ask(ctx context.Context, id string, q session.Request) (Run, *session.Reply, error) {
	run, err := d.Open(ctx, id)
	if err != nil {
		return run, nil, err
	}
	q.Case, q.File = run.Case, run.File
	r, err := d.do(ctx, run.Property, q)
	return run, r, err
}

// Replay replays a run. The reply has a record if the run fails.
func (d *Desk) Replay(ctx context.Context, id string) (*session.Reply, error) {
	_, r, err := d.ask(ctx, id, session.Request{Do: session.Replay})
	return r, err
}

// Walk describes count steps of a run, beginning with step first.
func (d *Desk) Walk(ctx context.Context, id string, first, count int) (*record.Walk, error) {
	_, r, err := d.ask(ctx, id, session.Request{Do: session.Walk, First: first, Count: count})
	if err != nil {
		return nil, err
	}
	return r.Walk, nil
}

// Fork makes a run that receives another message in a step: message number other of those that the
// description of the step lists.
func (d *Desk) Fork(ctx context.Context, id string, step, other int) (Run, error) {
	run, r, err := d.ask(ctx, id, session.Request{Do: session.Fork, First: step, Other: other})
	if err != nil {
		return Run{}, err
	}
	fork := Run{ID: fmt.Sprintf("%s@%d:%d", run.ID, step, other), Property: run.Property, Case: r.Case}
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.forks) == mostForks {
		clear(d.forks)
	}
	d.forks[fork.ID] = fork
	return fork, nil
}

// Continuations counts how n random continuations of a run from a step end. It counts fewer if the
// time is up.
func (d *Desk) Continuations(ctx context.Context, id string, step, n int, most time.Duration) (*record.Endings, error) {
	_, r, err := d.ask(ctx, id, session.Request{Do: session.Endings, First: step, Count: n, Time: most})
	if err != nil {
		return nil, err
	}
	return r.Endings, nil
}

// Explain shrinks and explains a run that fails, within a time. It saves nothing unless keep is
// set. A fork is first saved as it is.
func (d *Desk) Explain(ctx context.Context, id string, most time.Duration, keep bool) (*record.Record, error) {
	run, err := d.Open(ctx, id)
	if err != nil {
		return nil, err
	}
	if keep && run.File == "" {
		if run.File, err = d.Save(ctx, id); err != nil {
			return nil, err
		}
	}
	r, err := d.do(ctx, run.Property, session.Request{Do: session.Shrink, Case: run.Case, File: run.File, Fresh: keep, Keep: keep, Time: most, Where: "the run " + run.ID})
	if err != nil {
		return nil, err
	}
	if len(r.Findings) == 0 {
		return nil, fmt.Errorf("the run %s does not fail: there is nothing to explain", run.ID)
	}
	return &r.Findings[0], nil
}

// Save saves a run as a case, as it is, and returns the file. go test then runs it first. If the
// run passes, it is a regression test.
func (d *Desk) Save(ctx context.Context, id string) (file string, err error) {
	run, err := d.Open(ctx, id)
	if err != nil || run.File != "" {
		return run.File, err
	}
	c, err := corpus.Decode(run.ID, []byte(run.Case))
	if err != nil {
		return "", err
	}
	file, _, err = d.subjects[run.Property].Cases().Save(c)
	return file, err
}

// Check searches for a failing run of a property, within a time or a number of runs (zero means no
// limit). A failing run is explained and saved.
func (d *Desk) Check(ctx context.Context, property int, seed uint64, most time.Duration, runs int) (*session.Reply, error) {
	return d.search(ctx, property, session.Request{Do: session.Check, Seed: max(1, seed), Time: most, Runs: runs}, most)
}

// Explore runs every distinct order of a property, within a time or a number of runs.
func (d *Desk) Explore(ctx context.Context, property int, most time.Duration, runs int) (*session.Reply, error) {
	return d.search(ctx, property, session.Request{Do: session.Explore, Seed: 1, Time: most, Runs: runs}, most)
}

// search sends a request that may find failing runs, and explains and saves those that are new.
func (d *Desk) search(ctx context.Context, property int, q session.Request, most time.Duration) (*session.Reply, error) {
	r, err := d.do(ctx, property, q)
	if err != nil {
		return nil, err
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Known || f.Path != "" || f.Case == "" {
			continue
		}
		fresh := f.Save(d.subjects[property].Cases())
		out, err := d.do(ctx, property, session.Request{Do: session.Shrink, Case: f.Case, File: f.Path, Fresh: fresh, Keep: true, Time: most, Where: f.Where})
		if err == nil && len(out.Findings) > 0 {
			*f = out.Findings[0]
		}
	}
	return r, nil
}
