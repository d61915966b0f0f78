package bench

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jostle-go/jostle/fuzz/search"
	"github.com/jostle-go/jostle/fuzz/subjects"
)

// Options are the settings of Measure. With the zero value, Measure compares all arms on
// all subjects, with default limits.
type Options struct {
	Subjects []subjects.Subject // empty means all
	Arms     []Arm              // empty means all
	Seeds    int                // the number of seeds for each subject and arm, from 1; zero means 50
	Runs     int                // the maximum number of runs of a search; zero means 10,000
	// Time limits the time of each search; zero means one minute. Only searches of slow
	// subjects should reach it, because the result of a search that reaches it depends on
	// the machine.
	Time time.Duration
	// Workers is the number of concurrent searches; zero means one. With more workers
	// the measured times are longer, because the searches share the machine.
	Workers int
	// Kept has earlier searches that Measure does not repeat. It repeats only searches
	// that ran out of time.
	Kept *Table
	// Progress is called with the number of finished searches and the number of all
	// searches. It may be nil. Calls do not overlap.
	Progress func(over, all int)
}

// The defaults of Options.
const (
	defaultSeeds = 50
	defaultRuns  = 10_000
	defaultTime  = time.Minute
)

// withDefaults sets defaults, and returns an error for invalid options.
func (o Options) withDefaults() (Options, error) {
	if o.Seeds < 0 || o.Runs < 0 || o.Time < 0 || o.Workers < 0 {
		return o, fmt.Errorf("bench: %d seeds, %d runs, a time of %v and %d workers: none may be less than zero", o.Seeds, o.Runs, o.Time, o.Workers)
	}
	if len(o.Subjects) == 0 {
		o.Subjects = subjects.All()
	}
	if len(o.Arms) == 0 {
		o.Arms = Arms()
	}
	for i, a := range o.Arms {
		if slices.ContainsFunc(o.Arms[:i], func(b Arm) bool { return a.Name == b.Name }) {
			return o, fmt.Errorf("bench: there are two arms %q", a.Name)
		}
	}
	for i, s := range o.Subjects {
		if slices.ContainsFunc(o.Subjects[:i], func(b subjects.Subject) bool { return s.Name == b.Name }) {
			return o, fmt.Errorf("bench: there are two subjects %q", s.Name)
		}
	}
	set := func(n *int, to int) {
		if *n == 0 {
			*n = to
		}
	}
	set(&o.Seeds, defaultSeeds)
	set(&o.Runs, defaultRuns)
	set(&o.Workers, 1)
	if o.Time == 0 {
		o.Time = defaultTime
	}
	return o, nil
}

// Measure searches each subject with each arm and each seed. If the context is done, it
// returns the complete cells and the error of the context. If the options are invalid, it
// returns no table.
func Measure(ctx context.Context, o Options) (*Table, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	m := &measurement{Options: o, ctx: ctx}
	m.plan()
	var all sync.WaitGroup
	for range o.Workers {
		all.Go(m.work)
	}
	all.Wait()
	return m.table(), ctx.Err()
}

// A measurement is the state of one call to Measure.
type measurement struct {
	Options
	ctx      context.Context
	searches []Search
	todo     []todo
	next     atomic.Int64
	mu       sync.Mutex
	over     int // the number of finished searches
}

// A todo is a search that Measure still has to make.
type todo struct {
	subject subjects.Subject
	arm     Arm
	place   int // index in measurement.searches
}

// plan fills m.searches with all searches of the comparison, and m.todo with the searches
// that are not in Kept.
func (m *measurement) plan() {
	kept := map[Search]Search{}
	if m.Kept != nil {
		for _, s := range m.Kept.Searches {
			if s.End != OutOfTime {
				kept[s.key()] = s
			}
		}
	}
	for _, s := range m.Subjects {
		for _, a := range m.Arms {
			for seed := range uint64(m.Seeds) {
				one := Search{Subject: s.Name, Arm: a.Name, Seed: seed + 1, Most: m.Runs}
				if old, ok := kept[one]; ok {
					one = old
				} else {
					m.todo = append(m.todo, todo{s, a, len(m.searches)})
				}
				m.searches = append(m.searches, one)
			}
		}
	}
}

func (m *measurement) work() {
	for m.ctx.Err() == nil {
		i := int(m.next.Add(1)) - 1
		if i >= len(m.todo) {
			return
		}
		m.search(m.todo[i])
		if m.Progress != nil {
			m.mu.Lock()
			m.over++
			m.Progress(m.over, len(m.todo))
			m.mu.Unlock()
		}
	}
}

// search makes one search. It drops the result if the context was done before the search
// ended.
func (m *measurement) search(t todo) {
	s := &m.searches[t.place]
	ctx, cancel := context.WithTimeout(m.ctx, m.Time)
	defer cancel()
	p := search.Property{Name: s.Subject, Test: s.Subject, Func: t.subject.Property(false)}
	begun := time.Now()
	res := search.Sample(ctx, p, search.Options{Runs: m.Runs, Seed: s.Seed, Portfolio: t.arm.Portfolio})
	took := time.Since(begun).Round(time.Microsecond)
	switch {
	case res.Finding != nil:
		s.End = Found
	case res.Runs == m.Runs:
		s.End = OutOfRuns
	case m.ctx.Err() != nil:
		return
	default:
		s.End = OutOfTime
	}
	s.Runs, s.Time = res.Runs, took
}

func (m *measurement) table() *Table {
	t := &Table{}
	for c := range slices.Chunk(m.searches, m.Seeds) {
		if !slices.ContainsFunc(c, func(s Search) bool { return s.Runs == 0 }) {
			t.Searches = append(t.Searches, c...)
		}
	}
	return t
}
