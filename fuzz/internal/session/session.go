// Package session carries out the requests of verbs (such as fuzz.Check) and of the command
// jostle for one property. It runs saved cases and every order, searches, and shrinks, explains
// and saves failing runs.
//
// A session takes a Request and returns a Reply. Meanwhile it sends Events. A verb calls
// Session.Do in its own process. A worker process passes on the requests that it receives
// through a pipe. Package search finds failing runs, and package finding shrinks, explains and
// saves them. The session decides in which order, for how long, and in which files.
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
	// Folder is the folder of the property's cases.
	Folder corpus.Folder
	// Portfolio lists the arms (ways of planning runs) of random searches; an empty list means
	// the default portfolio.
	Portfolio []search.Entry
	// Workers is the number of goroutines that run the property concurrently.
	Workers int
	// Explore has the settings of an Explore request that are not in the Request.
	Explore search.ExploreOptions
	// Cache holds passing cases of earlier searches.
	Cache distill.Cache
	// Passed is called for each run of a search that passed. It may be nil.
	Passed func(arm string, res *props.Result)
	// FewFor limits the time in which Begin and Check requests try to run every order; zero
	// means that they do not try.
	FewFor time.Duration
	// Share is called when a Check request begins to search. It returns the time of the search, if
	// that is less than Request.Time, and a function to call when the search is over. It may be
	// nil. If the search has a reason to fail the test without a failing run, it is repeated with
	// Request.Time.
	Share func() (most time.Duration, over func())

	// Spent is the time that earlier runs of the property have taken. It counts toward the time of a
	// Check request.
	Spent time.Duration

	// Later leaves failing runs unshrunk, for a later request. If Later is not set, a failing
	// run is shrunk, explained and saved at once, and ends the request.
	Later bool
	// Shrink is the remaining time for shrinking and explaining. If it is not positive,
	// nothing is shrunk.
	Shrink time.Duration
	// Limit is the time at which all requests must end.
	Limit search.Limit
	// Pages asks for an HTML page next to the file of each case.
	Pages bool
	// Repair lets a better run with the same failure replace a saved case.
	Repair bool
	// Shortest saves only the shortest run of each failure.
	Shortest bool
	// Shown formats a path for messages; nil leaves paths unchanged.
	Shown func(path string) string
	// Shrinking, if not nil, is called before a run is shrunk. It returns a function to call
	// with the progress of shrinking, and a function to call when shrinking is over.
	Shrinking func() (tell func(shrink.Progress), over func())

	// Say receives events. It may be nil.
	Say func(Event)
	// Turn is called before each run of a Run request, and may wait. It may be nil.
	Turn func()

	early map[string]bool    // the files made by saveEarly that are not replaced yet
	alone map[string]int     // the number of failing runs by signature, if an exploration reports them itself
	kept  map[string]keptRun // for Shortest: the saved runs, by the result of failureOf
}

// Do carries out a request. The error says why nothing was done.
func (s *Session) Do(ctx context.Context, q *Request) (*Reply, error) {
	do, known := map[Kind]func(context.Context, *Request, *Reply) error{
		Saved: s.saved, Check: s.check, Begin: s.begin, Run: s.run, Again: s.again, Shrink: s.shrink, Replay: s.replay, Walk: s.walk, Fork: s.fork, Endings: s.endings,
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

// within returns a context that ends after the time d, if d is positive, and at the latest at
// s.Limit.
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

// options returns the options of a random search.
func (s *Session) options(q *Request) search.Options {
	return search.Options{Seed: q.Seed, Runs: q.Runs, Hinted: q.Hinted, CountAll: s.Later, Portfolio: s.Portfolio, Workers: s.Workers,
		Passed: s.Passed, Cache: s.Cache}
}

// old returns the folder in which format version 1 stored the test's cases. differs reports
// whether this is another folder than s.Folder.
func (s *Session) old() (f corpus.Folder, differs bool) {
	f = corpus.FolderOf(filepath.Dir(s.Folder.Dir), s.Property.Test)
	return f, f != s.Folder
}

// find returns the case of a request, from its text or from the named file.
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

// isLiteral reports whether the property has the name of its test, as function literals do. The
// function literals of one test share a folder of cases.
func (s *Session) isLiteral() bool { return s.Property.Name == s.Property.Test }
