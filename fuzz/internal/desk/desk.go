// Package desk answers questions about the properties of test binaries and about their runs: what
// happens in each step, what else could have happened, how often a run fails from there on, and
// why. The command's view in a browser and its tools for agents ask these questions. Worker
// processes make the runs, so a run that ends its process does not end the command.
package desk

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
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
	idle  map[int]*worker.Process // the idle processes; the keys are indices of subjects
	forks map[forking]Run         // the forks and how they were made; a run that is dropped here can be made again
	owner map[string]int          // maps the text of a case that several properties may have to its property
}

const (
	mostForks = 1000 // the maximum number of forks that a Desk remembers
	mostCases = 100  // the maximum number of cases in the description of a property
	mostIdle  = 4    // the maximum number of processes that wait for a request
)

// New returns a Desk. No two subjects may have the same binary, test and call. bounds has the limits of
// worker processes. The parameter requests is the maximum number of requests that are carried out at the
// same time.
func New(subjects []campaign.Subject, bounds worker.Command, requests int) *Desk {
	return &Desk{subjects: subjects, bounds: bounds, turns: make(chan struct{}, max(1, requests)), idle: map[int]*worker.Process{}, forks: map[forking]Run{}, owner: map[string]int{}}
}

// Close ends all worker processes. No request may be in progress.
func (d *Desk) Close() {
	for _, p := range d.idle {
		p.Stop()
	}
	clear(d.idle)
}

// Subjects returns the properties, in the order of their numbers.
func (d *Desk) Subjects() []campaign.Subject { return d.subjects }

// A Property describes a property of the test binaries.
type Property struct {
	Number  int    `json:"number"` // identifies the property in questions
	Package string `json:"package"`
	Test    string `json:"test"`
	Name    string `json:"name"`
	Verb    string `json:"verb"`
	Cases   []Case `json:"cases"` // the saved cases, the smallest first
	// Problems says which files in the folder of the cases cannot be read, and whether Cases omits some.
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
		for k := range cases[:min(len(cases), mostCases)] {
			p.Cases = append(p.Cases, describe(&cases[k]))
		}
		if len(cases) > mostCases {
			p.Problems = append(p.Problems, fmt.Sprintf("%d of %d cases are listed: jostle corpus list lists all", mostCases, len(cases)))
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
	ID   string
	Case string // the text of the case
	File string // the file of a saved case, "" for a fork
	// owners has the numbers of the properties to which the case may belong.
	owners []int
}

// A forking says how a fork was made. It has the text of the case and not its name, because a file may
// change.
type forking struct {
	from        string // the text of the case
	step, other int
}

// Open returns the run with the given ID. Instead of the name of a case, its path may be given, or
// the beginning of its name, if no other case's name begins so.
func (d *Desk) Open(ctx context.Context, id string) (Run, error) {
	if i := strings.LastIndex(id, "@"); i >= 0 {
		step, other := 0, 0
		if n, err := fmt.Sscanf(id[i:]+" ", "@%d:%d ", &step, &other); n == 2 && err == nil {
			return d.Fork(ctx, id[:i], step, other)
		}
	}
	owners, c, err := d.owners(id)
	if err != nil {
		return Run{}, err
	}
	text, err := os.ReadFile(c.Path)
	return Run{ID: IDOf(c.Path), Case: string(text), File: c.Path, owners: owners}, err
}

// Subject returns the property with the given number.
func (d *Desk) Subject(number int) (*campaign.Subject, error) {
	if number < 0 || number >= len(d.subjects) {
		return nil, fmt.Errorf("there is no property %d: there are %d, counted from 0", number, len(d.subjects))
	}
	return &d.subjects[number], nil
}

// Do sends a request to a worker process of a property. If the process dies in the request, the
// error is a *worker.Death.
func (d *Desk) Do(ctx context.Context, property int, q session.Request) (*session.Reply, error) {
	if _, err := d.Subject(property); err != nil {
		return nil, err
	}
	select {
	case d.turns <- struct{}{}:
		defer func() { <-d.turns }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if err := ctx.Err(); err != nil { // select may have taken the turn although the context is done
		return nil, err
	}
	p, err := d.take(ctx, property)
	if err != nil {
		return nil, err
	}
	r, err := p.Do(ctx, q)
	var refusal *worker.Refusal
	var death *worker.Death
	switch {
	case err == nil || errors.As(err, &refusal):
		d.put(property, p)
	case errors.As(err, &death):
		err = fmt.Errorf("the worker process ended: %w", err)
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

// put makes a process of a property idle. If the property already has an idle process, put ends that
// one. If there are too many idle processes, it ends one of another property.
func (d *Desk) put(property int, p *worker.Process) {
	d.mu.Lock()
	over, there := d.idle[property]
	if d.idle[property] = p; !there && len(d.idle) > mostIdle {
		for i := range d.idle {
			if i != property {
				over = d.idle[i]
				delete(d.idle, i)
				break
			}
		}
	}
	d.mu.Unlock()
	if over != nil {
		over.Stop()
	}
}

// DoCase sends a request about a case to each owner until one replies with a failure, and returns this
// reply and the owner. The owners are the properties to which the case may belong. If no owner replies
// with a failure, DoCase returns the error of an owner, if there is one. Otherwise it returns the reply
// of an owner that could run the case as it was saved, else the first reply. The death of a process is a
// failure.
func (d *Desk) DoCase(ctx context.Context, owners []int, q session.Request) (reply *session.Reply, owner int, err error) {
	for _, i := range owners {
		r, e := d.Do(ctx, i, q)
		var death *worker.Death
		if errors.As(e, &death) && !death.Outside() {
			r, e = &session.Reply{Exact: true, Findings: []record.Record{*death.Record()}}, nil
		}
		if e != nil && err == nil {
			err = e
		}
		if e == nil && (len(r.Findings) > 0 || q.Do == session.Export) {
			return r, i, nil
		}
		if e == nil && (reply == nil || r.Exact && !reply.Exact) {
			reply, owner = r, i
		}
	}
	if err != nil {
		return nil, 0, err
	}
	return reply, owner, nil
}

// DoRun sends a request about a run as DoCase does.
func (d *Desk) DoRun(ctx context.Context, run *Run, q session.Request) (*session.Reply, error) {
	q.Case, q.File = run.Case, run.File
	r, _, err := d.DoCase(ctx, run.owners, q)
	return r, err
}

// Dir returns the folder of the package of a run.
func (d *Desk) Dir(run *Run) string { return d.subjects[run.owners[0]].Binary.Dir }

// askOf sends a request about the run with the given ID to its owner.
func (d *Desk) askOf(ctx context.Context, id string, q session.Request) (*session.Reply, error) {
	run, err := d.Open(ctx, id)
	if err != nil {
		return nil, err
	}
	return d.ask(ctx, &run, q)
}

// ask sends a request about a run to its owner, and sets run.owners to this owner alone.
func (d *Desk) ask(ctx context.Context, run *Run, q session.Request) (*session.Reply, error) {
	owner, err := d.ownerOf(ctx, run)
	if err != nil {
		return nil, err
	}
	run.owners, q.Case, q.File = []int{owner}, run.Case, run.File
	return d.Do(ctx, owner, q)
}

// ownerOf returns the property of a run. If the run may belong to several properties, ownerOf replays it
// with each of them, and remembers the result.
func (d *Desk) ownerOf(ctx context.Context, run *Run) (int, error) {
	if len(run.owners) == 1 {
		return run.owners[0], nil
	}
	d.mu.Lock()
	owner, known := d.owner[run.Case]
	d.mu.Unlock()
	if known {
		return owner, nil
	}
	_, owner, err := d.DoCase(ctx, run.owners, session.Request{Do: session.Replay, Case: run.Case, File: run.File})
	if err != nil {
		return 0, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.owner[run.Case] = owner
	return owner, nil
}

// Replay replays a run. The reply has a record if the run fails.
func (d *Desk) Replay(ctx context.Context, id string) (*session.Reply, error) {
	run, err := d.Open(ctx, id)
	if err != nil {
		return nil, err
	}
	return d.DoRun(ctx, &run, session.Request{Do: session.Replay})
}

// Walk describes count steps of a run, beginning with step first.
func (d *Desk) Walk(ctx context.Context, id string, first, count int) (*record.Walk, error) {
	r, err := d.askOf(ctx, id, session.Request{Do: session.Walk, First: first, Count: count})
	if err != nil {
		return nil, err
	}
	return r.Walk, nil
}

// Fork makes a run that receives another message in a step: message number other of those that the
// description of the step lists.
func (d *Desk) Fork(ctx context.Context, id string, step, other int) (Run, error) {
	from, err := d.Open(ctx, id)
	if err != nil {
		return Run{}, err
	}
	how := forking{from.Case, step, other}
	d.mu.Lock()
	fork, known := d.forks[how]
	d.mu.Unlock()
	if !known {
		r, err := d.ask(ctx, &from, session.Request{Do: session.Fork, First: step, Other: other})
		if err != nil {
			return Run{}, err
		}
		fork = Run{Case: r.Case, owners: from.owners}
		d.mu.Lock()
		defer d.mu.Unlock()
		if len(d.forks) == mostForks {
			clear(d.forks)
		}
		d.forks[how] = fork
	}
	fork.ID = fmt.Sprintf("%s@%d:%d", from.ID, step, other)
	return fork, nil
}

// Continuations counts how n random continuations of a run from a step end. It counts fewer if the
// time is up.
func (d *Desk) Continuations(ctx context.Context, id string, step, n int, most time.Duration) (*record.Endings, error) {
	r, err := d.askOf(ctx, id, session.Request{Do: session.Endings, First: step, Count: n, Time: most})
	if err != nil {
		return nil, err
	}
	return r.Endings, nil
}

// Explain shrinks and explains a run that fails, within a time. It saves nothing.
func (d *Desk) Explain(ctx context.Context, id string, most time.Duration) (*record.Record, error) {
	r, err := d.askOf(ctx, id, session.Request{Do: session.Shrink, Time: most, Where: "the run " + id})
	if err != nil {
		return nil, err
	}
	return &r.Findings[0], nil
}

// caseOf returns a run as a case, and its property.
func (d *Desk) caseOf(ctx context.Context, id string) (run Run, c corpus.Case, of *campaign.Subject, err error) {
	if run, err = d.Open(ctx, id); err != nil {
		return run, c, nil, err
	}
	owner, err := d.ownerOf(ctx, &run)
	if err == nil {
		c, err = corpus.Decode(run.ID, []byte(run.Case))
	}
	return run, c, &d.subjects[owner], err
}

// Save saves a run as a case, as it is, and returns the file and the property. go test then runs the
// case first. If the run passes, it is a regression test.
func (d *Desk) Save(ctx context.Context, id string) (file string, of *campaign.Subject, err error) {
	run, c, of, err := d.caseOf(ctx, id)
	if err != nil || run.File != "" {
		return run.File, of, err
	}
	file, _, err = of.Cases().Save(c)
	return file, of, err
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

// search sends a request that may find failing runs, and keeps those that are new.
func (d *Desk) search(ctx context.Context, property int, q session.Request, most time.Duration) (*session.Reply, error) {
	r, err := d.Do(ctx, property, q)
	if err != nil {
		return nil, err
	}
	for i := range r.Findings {
		if f := &r.Findings[i]; !f.Known {
			d.Keep(ctx, property, f, most)
		}
	}
	return r, nil
}

// Keep saves the case of a finding. Then it shrinks and explains the finding within a time, and
// replaces the saved case. fresh is set if no saved case had the same run.
func (d *Desk) Keep(ctx context.Context, property int, f *record.Record, most time.Duration) (fresh bool) {
	if fresh = f.Save(d.subjects[property].Cases()); f.Path == "" {
		return fresh
	}
	r, err := d.Do(ctx, property, session.Request{Do: session.Shrink, Case: f.Case, File: f.Path, Fresh: fresh, Keep: true, Where: f.Where, Time: most})
	if err == nil {
		*f = r.Findings[0]
	}
	return fresh
}
