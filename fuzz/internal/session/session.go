// Package session carries out requests of verbs and commands for one property: it runs saved
// cases and every order, searches, shrinks, explains and saves.
//
// A Request comes in; a Reply and, meanwhile, Events go out. A verb calls Session.Do in its
// process; a worker passes on what comes through its pipe. Each failing run takes one way:
// package search finds it, then package finding shrinks, explains and saves it. The session
// says in which order, for how long and into which files.
package session

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/fuzz/internal/distill"
	"github.com/jostle-go/jostle/fuzz/search"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/shrink"
)

// A Session is one property with the settings of all its requests.
type Session struct {
	Property search.Property
	Folder   corpus.Folder // of its cases
	// Portfolio has the arms that search at random; none means the usual ones.
	Portfolio []search.Entry
	Workers   int // goroutines that run the property at the same time
	// Explore has the settings of Explore that no Request has.
	Explore search.ExploreOptions
	Cache   distill.Cache // of passing cases
	// Passed is called for each run of a search that passed. It may be nil.
	Passed func(arm string, res *props.Result)
	// FewFor is how long Begin may try to run every order; zero means not at all.
	FewFor time.Duration

	// Later leaves failing runs as they were found and continues; a later request shrinks
	// them. Otherwise each is shrunk, explained and saved at once, and ends the request.
	Later bool
	// Shrink is how much time is left to shrink and to explain; not more than zero, and
	// nothing is. Limit ends all requests.
	Shrink time.Duration
	Limit  search.Limit
	// Pages asks for pages next to cases. Repair lets saved cases give way to what shows the
	// same failure better. Shortest saves the shortest run of each failure only.
	Pages, Repair, Shortest bool
	// Shown returns a path as people see it; nil means all of it.
	Shown func(path string) string
	// Shrinking, if it is not nil, is called before a run is shrunk. It returns what reports
	// the progress of that, and what is called after it.
	Shrinking func() (tell func(shrink.Progress), over func())

	// Say takes events; Turn returns when a run of Run may begin. Both may be nil.
	Say  func(Event)
	Turn func()

	early map[string]bool    // the files saved before shrinking that nothing has replaced yet
	alone map[string]int     // signatures of failures that the search reports by themselves
	kept  map[string]keptRun // of Shortest, by signature and condition
}

// Do does what is asked for. The error says why nothing was done.
func (s *Session) Do(ctx context.Context, q *Request) (*Reply, error) {
	do, known := map[Kind]func(context.Context, *Request, *Reply) error{
		Saved: s.saved, Check: s.check, Begin: s.begin, Run: s.run, Again: s.again, Shrink: s.shrink, Replay: s.replay, Walk: s.walk,
		Repair: s.repair, Explore: s.explore, Import: s.importGo, Export: s.exportGo, Tidy: s.tidy,
	}[q.Do]
	if !known {
		return nil, fmt.Errorf("unknown request %q: the worker and the command are of different versions", q.Do)
	}
	if s.Later {
		s.Pages = q.Pages
	}
	r := &Reply{Tally: search.NewTally(), shown: shown{wanted: s.Later}}
	if err := do(ctx, q, r); err != nil {
		return nil, err
	}
	var err error
	r.Shown, err = r.shown.file()
	return r, err
}

// within returns a context that ends after a time, if it is set, and before the limit.
func (s *Session) within(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	var end time.Time
	if d > 0 {
		end = time.Now().Add(d)
	}
	if end = s.Limit.Before(end); end.IsZero() {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, end)
}

func (s *Session) say(e Event) {
	if s.Say != nil {
		s.Say(e)
	}
}

func (s *Session) shown(path string) string {
	if s.Shown == nil {
		return path
	}
	return s.Shown(path)
}

// options returns those of a search at random.
func (s *Session) options(q *Request) search.Options {
	return search.Options{Seed: q.Seed, Runs: q.Runs, Hinted: q.Hinted, CountAll: s.Later, Portfolio: s.Portfolio, Workers: s.Workers,
		Passed: s.Passed, Cache: s.Cache}
}

// old returns the folder that the test had for cases of version 1, if it is another one.
func (s *Session) old() (f corpus.Folder, is bool) {
	f = corpus.FolderOf(filepath.Dir(s.Folder.Dir), s.Property.Test)
	return f, f != s.Folder
}

// find returns the case of a request: its text, or the file of a name.
func (s *Session) find(q *Request) (c corpus.Case, err error) {
	if q.Case != "" {
		if c, err = corpus.Decode(q.File, []byte(q.Case)); err == nil {
			err = c.Of(s.Property.Name)
		}
		return c, err
	}
	c, err = s.Folder.Find(q.File)
	if old, is := s.old(); is && errors.Is(err, corpus.ErrElsewhere) {
		if c, err = old.Find(q.File); err == nil && c.Property != "" {
			err = corpus.ErrElsewhere
		}
	}
	return c, err
}

// isLiteral reports whether function literals of one test share the folder of the cases.
func (s *Session) isLiteral() bool { return s.Property.Name == s.Property.Test }
