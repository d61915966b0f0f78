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

// raceSeed makes the seed of the search with the race detector differ. That search makes one run
// for every raceRuns of the other.
const (
	raceSeed = 0xace
	raceRuns = 8
)

// raceSuffix ends the name of a subject in a test binary with the race detector.
const raceSuffix = " (race)"

// raceFile returns the state file of the search with the race detector.
func raceFile(file string) string {
	if file == "" {
		return ""
	}
	ext := filepath.Ext(file)
	return strings.TrimSuffix(file, ext) + ".race" + ext
}

// A pair is a campaign and another one in test binaries with the race detector. They share only
// the folders of cases: what the first finds does not depend on the other. The other one begins
// when the first has run the saved cases.
type pair struct {
	plain, race *campaign
	said        func(Event)

	mu     sync.Mutex
	told   map[string]bool // by subject and signature
	last   [2]Event        // of each, for the sums
	closed bool
}

// newPair returns both campaigns.
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
		race.Resume = false // the campaign ended before this one began
	}
	if p.plain, err = newCampaign(subjects, plain); err == nil {
		p.race, err = newCampaign(o.Races, race)
	}
	return p, err
}

// run runs both, and returns one report.
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
	if p.race.For > 0 { // it ends with the other
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

// tell passes on an event of one of them; a failure that both find only once.
func (p *pair) tell(of int, e Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	before := p.last[of]
	if p.last[of] = e; e.Kind != Went { // Went has the progress of all properties
		p.last[of].Properties = before.Properties
	}
	if e.Workers == 0 {
		p.last[of].Workers = before.Workers
	}
	e.Runs, e.Orders = p.last[0].Runs+p.last[1].Runs, p.last[0].Orders+p.last[1].Orders
	e.Seconds = p.plain.elapsed().Seconds()
	if e.Kind == Went || e.Kind == Ended {
		e.Workers = p.last[0].Workers + p.last[1].Workers
	}
	if e.Kind == Went {
		e.Properties = slices.Concat(p.last[0].Properties, p.last[1].Properties)
	}
	switch {
	case p.said == nil, e.Kind == Ended && !p.closed, e.Kind == Went && of == 1 && p.last[0].Kind != Ended:
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

// add adds the report of the search with the race detector. Failures that both have found count
// once.
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

// counts adds the runs of a finding of the other search, if out has it too, and reports that.
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

// readBeside adds the report in the state file of the search with the race detector.
func (r *Report) readBeside(path string) error {
	beside, err := Read(raceFile(path))
	if errors.Is(err, fs.ErrNotExist) { // the campaign ended before that search began
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
