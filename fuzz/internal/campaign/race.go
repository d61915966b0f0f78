package campaign

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jostle-go/jostle/fuzz/internal/binary"
	"github.com/jostle-go/jostle/fuzz/internal/words"
	"github.com/jostle-go/jostle/pulse/hash"
)

// Constants of the search with the race detector.
const (
	raceSeed = 0xace // mixed into the seed of the race campaign, so that it differs from the seed of the plain campaign
	raceRuns = 8     // the race campaign performs one run for every raceRuns runs of the plain campaign
)

// raceSuffix is the end of the name of a subject whose test binary has the race detector.
const raceSuffix = " (race)"

// raceFile returns the path of the state file of the race campaign. The parameter file is the state
// file of the plain campaign. If file is "", the result is "".
func raceFile(file string) string {
	if file == "" {
		return ""
	}
	ext := filepath.Ext(file)
	return strings.TrimSuffix(file, ext) + ".race" + ext
}

// A pair is a plain campaign and a race campaign. The race campaign searches the same properties in
// test binaries with the race detector. The two campaigns share only the folders of cases, so the
// findings of the plain campaign do not depend on the race campaign. The race campaign begins when
// the plain campaign has run the saved cases.
type pair struct {
	plain, race *campaign
	said        func(Event) // the caller's Tell

	mu     sync.Mutex
	told   map[string]bool // the reported failures, by subject and signature
	last   [2]Event        // the last event of each campaign: first plain, then race
	closed bool            // set when both campaigns have ended
}

// newPair returns a plain campaign and a race campaign with the options o.
func newPair(subjects []Subject, o Options) (p *pair, err error) {
	p = &pair{said: o.Tell, told: map[string]bool{}}
	plain, race := o, o
	plain.Tell = func(e Event) { p.tell(0, e) }
	race.Tell = func(e Event) { p.tell(1, e) }
	race.Workers, race.Seed, race.File = max(1, o.RaceWorkers), hash.Seed(o.Seed, raceSeed)|1, raceFile(o.File)
	if o.Runs > 0 {
		race.Runs = max(1, o.Runs/raceRuns)
	}
	if _, err := os.Stat(race.File); errors.Is(err, fs.ErrNotExist) {
		race.Resume = false // the plain campaign ended before its race campaign began
	}
	if p.plain, err = newCampaign(subjects, plain); err == nil {
		p.race, err = newCampaign(o.Races, race)
	}
	return p, err
}

// run runs both campaigns and returns one report for both.
func (p *pair) run(ctx context.Context) (*Report, error) {
	var r *Report
	var err error
	over := make(chan struct{})
	go func() {
		defer close(over)
		r, err = p.plain.run(ctx)
	}()
	select {
	case <-p.plain.ready:
	case <-over:
	}
	if p.race.For > 0 { // let the race campaign end at the same time as the plain campaign
		p.race.For = p.race.before + max(time.Millisecond, p.plain.For-p.plain.elapsed())
	}
	beside, raceErr := p.race.run(ctx)
	<-over
	if err = errors.Join(err, raceErr); err != nil {
		return nil, err
	}
	r.add(beside)
	p.closed = true
	p.plain.tell(Event{Kind: Ended, Text: string(r.Ended)})
	return r, nil
}

// tell passes an event of one campaign to the caller. It replaces the counts in the event by the
// sums of both campaigns. From is 0 for the plain campaign and 1 for the race campaign. A failure
// that both campaigns find is passed on once.
func (p *pair) tell(from int, e Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	before := p.last[from]
	if p.last[from] = e; e.Kind != Went { // only events of the kind Went have Properties
		p.last[from].Properties, p.last[from].Doing = before.Properties, before.Doing
	}
	if e.Workers == 0 {
		p.last[from].Workers = before.Workers
	}
	if e.Deaths == 0 {
		p.last[from].Deaths = before.Deaths
	}
	e.Runs, e.Orders = p.last[0].Runs+p.last[1].Runs, p.last[0].Orders+p.last[1].Orders
	e.Seconds = p.plain.elapsed().Seconds()
	if e.Kind == Went || e.Kind == Ended {
		e.Workers = p.last[0].Workers + p.last[1].Workers
		e.Deaths = p.last[0].Deaths + p.last[1].Deaths
	}
	if e.Kind == Went {
		e.Properties = slices.Concat(p.last[0].Properties, p.last[1].Properties)
		e.Doing = slices.Concat(p.last[0].Doing, p.last[1].Doing)
	}
	switch {
	case p.said == nil, e.Kind == Ended && !p.closed, e.Kind == Went && from == 1 && p.last[0].Kind != Ended:
		return
	case e.Kind == Found:
		name := strings.TrimSuffix(e.Subject, raceSuffix) + "\x00" + e.Finding.Exact
		if p.told[name] {
			return
		}
		p.told[name] = true
	}
	p.said(e)
}

// add adds the report of the race campaign to r. It merges failures that both campaigns have found.
func (r *Report) add(beside *Report) {
	for _, out := range beside.Outcomes {
		for i := range r.Outcomes {
			if plain := &r.Outcomes[i]; plain.Subject.String()+raceSuffix == out.Subject.String() {
				all := len(out.Findings)
				out.Findings = slices.DeleteFunc(slices.Clone(out.Findings), plain.counts)
				if n := all - len(out.Findings); n > 0 {
					out.Notes = append(slices.Clone(out.Notes), words.Count(n, "failure")+" that the search without the race detector also found")
				}
			}
		}
		r.Outcomes = append(r.Outcomes, out)
	}
	r.Deaths += beside.Deaths
	r.Elapsed = max(r.Elapsed, beside.Elapsed)
	for _, why := range []End{EndInterrupted, EndTime} {
		if r.Ended == why || beside.Ended == why {
			r.Ended = why
			return
		}
	}
}

// counts reports whether out has a finding with the same signature as f. If so, it adds the number
// of runs with f to that finding.
func (out *Outcome) counts(f *Finding) bool {
	i := slices.IndexFunc(out.Findings, func(own *Finding) bool { return own.Exact == f.Exact })
	if i < 0 {
		return false
	}
	both := *out.Findings[i]
	both.Times += f.Times
	out.Findings = slices.Clone(out.Findings)
	out.Findings[i] = &both
	return true
}

// readBeside adds the report of the race campaign. Path is the state file of the plain campaign.
func (r *Report) readBeside(path string) error {
	beside, err := Read(raceFile(path))
	if errors.Is(err, fs.ErrNotExist) { // the plain campaign ended before its race campaign began
		return nil
	}
	if err != nil {
		return err
	}
	for i := range beside.Outcomes {
		s := &beside.Outcomes[i].Subject
		s.Binary = &binary.Binary{Package: s.Binary.Package, Dir: s.Binary.Dir, Race: true}
	}
	r.add(beside)
	return nil
}
