package campaign

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/jostle-go/jostle/fuzz/internal/record"
)

// A Live is what other processes can see of a campaign while it runs: the content of a small file
// next to the state file, which is written every second.
type Live struct {
	Version int    `json:"version"`
	Seed    uint64 `json:"seed"`
	Runs    int    `json:"runs"`
	Process int    `json:"process"` // the ID of the campaign's process
	Ended   End    `json:"ended,omitempty"`
	// Last is the last event of the kind Went or Ended, with the properties and workers that were
	// last reported, and without the results of each strategy.
	Last Event `json:"last"`
	// Curve has the growth of the coverage. Its points have about equal distances in time.
	Curve    []LivePoint `json:"curve"`
	distance float64     // the least time between two points of Curve, in seconds
	// Found has the first findings. FoundAll is the number of all findings.
	Found    []LiveFinding `json:"found"`
	FoundAll int           `json:"foundAll"`
}

// A LivePoint says how far a campaign was at a time.
type LivePoint struct {
	Seconds float64 `json:"seconds"`
	Runs    int     `json:"runs"`
	Orders  int     `json:"orders"`
}

// A LiveFinding describes a finding.
type LiveFinding struct {
	Subject  string  `json:"subject"`
	Headline string  `json:"headline"`
	Cause    string  `json:"cause,omitempty"` // the result of Record.Brief
	Share    string  `json:"share,omitempty"` // the result of Record.Share: the share of orders that fail
	Path     string  `json:"path,omitempty"`  // the file of the case
	Seconds  float64 `json:"seconds"`         // when it was reported, in seconds since the campaign began; 0 if unknown
}

// NewLiveFinding describes a finding in a subject that was reported after some seconds, 0 if unknown.
func NewLiveFinding(subject string, f *record.Record, seconds float64) LiveFinding {
	return LiveFinding{Subject: subject, Headline: f.Headline(), Cause: f.Brief(), Share: f.Share(), Path: f.Path, Seconds: seconds}
}

const (
	liveVersion   = 1
	liveEvery     = time.Second // the interval between writes of the file, and between events for it
	mostLive      = 300         // the maximum length of Live.Curve
	mostLiveFound = 200         // the maximum length of Live.Found
)

// LiveFile returns the path of the file that shows other processes the campaign with the given
// state file.
func LiveFile(state string) string {
	ext := filepath.Ext(state)
	return strings.TrimSuffix(state, ext) + ".live" + ext
}

// A teller passes the events of a campaign to Options.Tell, and writes the file for other processes.
type teller struct {
	tell    func(Event) // may be nil
	say     time.Duration
	began   time.Time
	said    time.Time // when an event of the kind Went was last passed on
	file    string    // the path of the file, "" for none
	written time.Time
	live    Live
}

// withTeller returns the options of a campaign that passes all events to a new teller.
func (o Options) withTeller() Options {
	t := &teller{tell: o.Tell, say: o.Say, began: time.Now(), said: time.Now(), live: Live{Version: liveVersion, Seed: o.Seed, Process: os.Getpid()}}
	if o.File != "" {
		t.file = LiveFile(o.File)
	}
	o.Tell = t.take
	if o.Say == 0 || o.Say > liveEvery {
		o.Say = liveEvery
	}
	return o
}

// take passes on an event and notes it.
func (t *teller) take(e Event) {
	if t.tell != nil && (e.Kind != Went || t.due()) {
		t.tell(e)
	}
	if t.file == "" || e.Kind == Noted || e.Kind == Finished {
		return
	}
	t.live.Note(e)
	if e.Kind != Went || time.Since(t.written) > liveEvery*9/10 {
		t.write()
	}
}

// due reports whether an event of the kind Went is to be passed on, as Options.Say demands.
func (t *teller) due() bool {
	wait := t.say
	if wait == 0 {
		if wait = sayEvery; time.Since(t.began) > sayLater {
			wait = sayLater
		}
	}
	if wait > liveEvery && time.Since(t.said) < wait-liveEvery/2 {
		return false
	}
	t.said = time.Now()
	return true
}

// Note adds an event of a campaign.
func (l *Live) Note(e Event) {
	if f := e.Finding; f != nil {
		if l.FoundAll++; len(l.Found) < mostLiveFound {
			l.Found = append(l.Found, NewLiveFinding(e.Subject, &f.Record, e.Seconds))
		}
		return
	}
	if e.Kind == Ended {
		l.Ended, e.Properties = End(e.Text), l.Last.Properties
	}
	e.Properties = slices.Clone(e.Properties)
	for i := range e.Properties {
		e.Properties[i].Arms = nil
	}
	l.Last, l.Runs = e, e.Runs
	if n := len(l.Curve); n > 0 && e.Kind != Ended && e.Seconds < l.Curve[n-1].Seconds+l.distance {
		return
	}
	if len(l.Curve) == mostLive { // keep every second point
		l.distance = 2 * (l.Curve[mostLive-1].Seconds - l.Curve[0].Seconds) / (mostLive - 1)
		for i := range mostLive / 2 {
			l.Curve[i] = l.Curve[2*i]
		}
		l.Curve = l.Curve[:mostLive/2]
	}
	l.Curve = append(l.Curve, LivePoint{e.Seconds, e.Runs, e.Orders})
}

// write replaces the file. Errors have no effect, because the file holds nothing that is needed
// later. For the same reason the file is not synced.
func (t *teller) write() {
	t.written = time.Now()
	text, err := json.Marshal(&t.live)
	if err != nil {
		return
	}
	temp := t.file + ".tmp"
	if os.MkdirAll(filepath.Dir(t.file), 0o755) == nil && os.WriteFile(temp, append(text, '\n'), 0o644) == nil {
		os.Rename(temp, t.file)
	}
}
