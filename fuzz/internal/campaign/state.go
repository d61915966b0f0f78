package campaign

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/fuzz/internal/binary"
	"github.com/jostle-go/jostle/fuzz/internal/coverage"
	"github.com/jostle-go/jostle/fuzz/internal/worker"
)

// stateVersion is the version of the state file. Raise it when a field changes its meaning. Also
// raise it when the runs of a batch change, because a resumed campaign skips batches by their
// numbers.
const stateVersion = 4

// A state is the content of the state file.
type state struct {
	Version int
	Seed    uint64
	Runs    int
	Elapsed time.Duration
	Deaths  int
	Ended   End
	Race    bool `json:",omitempty"` // set if a second file (see raceFile) has the state of a campaign with the race detector
	Targets []targetState
}

// A targetState is a target in the state file, with the names that identify its property.
type targetState struct {
	Package, Dir, Test, Name, Func string
	Call                           int
	Target                         *target
	// Seen has the receive pairs of this campaign, Known the receive pairs of earlier campaigns.
	Seen, Known []byte
	// Shown has the receive pairs of runs that do not belong to the search, such as saved cases.
	Shown []byte `json:",omitempty"`
}

// state returns the target in the form of the state file, without its receive pairs.
func (t *target) state() targetState {
	p := &t.subject.Property
	return targetState{Package: t.subject.Binary.Package, Dir: t.subject.Binary.Dir, Test: p.Test, Name: p.Name, Func: p.Func, Call: p.Call, Target: t}
}

// same reports whether s and o belong to the same property.
func (s *targetState) same(o *targetState) bool {
	return s.Package == o.Package && s.Test == o.Test && s.Name == o.Name && s.Func == o.Func && s.Call == o.Call
}

// checkpoint replaces the state file atomically. It reports the first error as an event.
func (c *campaign) checkpoint() {
	for i, t := range c.targets {
		t.Spent = c.lanes.list[i].spent
	}
	if c.File == "" {
		return
	}
	s := state{Version: stateVersion, Seed: c.Seed, Runs: c.Runs, Elapsed: c.elapsed(), Deaths: c.deaths, Ended: c.ended, Race: len(c.Races) > 0}
	var err error
	for _, t := range c.targets {
		own := t.state()
		if own.Seen, err = t.seen.MarshalBinary(); err == nil {
			own.Known, err = t.known.MarshalBinary()
		}
		if err == nil {
			own.Shown, err = t.shown.MarshalBinary()
		}
		if err != nil {
			break
		}
		s.Targets = append(s.Targets, own)
	}
	if err == nil {
		err = s.write(c.File)
	}
	if err != nil && c.broken == nil {
		c.broken = err
		c.tell(Event{Kind: Noted, Text: fmt.Sprintf("cannot save the state of the campaign: %v", err)})
	}
}

func (s *state) write(path string) error {
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return corpus.Replace(path, append(text, '\n'))
}

// noted matches the beginning of a state file, or of the file that LiveFile names, of any version.
var noted = regexp.MustCompile(`(?i)^\{"version":\d+,"seed":\d+,"runs":`)

// mayWrite returns an error if writing the state would overwrite a file that is not a state file.
// It checks nothing if the campaign resumes, because then the file is read before it is written.
func (o *Options) mayWrite() error {
	files := []string{o.File, LiveFile(o.File)}
	if len(o.Races) > 0 {
		files = append(files, raceFile(o.File))
	}
	for _, path := range files {
		if info, err := os.Lstat(path); o.Resume || errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode().IsRegular() && info.Size() == 0 {
			continue
		} else if err != nil {
			return err
		} else if !info.Mode().IsRegular() || !begins(path, noted) {
			return fmt.Errorf("%s: %w: remove it, or choose another file", path, ErrForeign)
		}
	}
	return nil
}

// begins reports whether the file at path can be read and its text matches the pattern, which is
// that of a state file.
func begins(path string, pattern *regexp.Regexp) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	return pattern.MatchReader(bufio.NewReader(f))
}

// restore resumes from the state file. Properties that are not in the file start from the
// beginning. Properties that no longer exist are dropped.
func (c *campaign) restore() error {
	s, err := readState(c.File)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("no campaign to resume: there is no %s", c.File)
	case err != nil:
		return fmt.Errorf("cannot resume the campaign: %w: remove the file and start again", err)
	case s.Seed != c.Seed:
		return fmt.Errorf("cannot resume the campaign: it had the seed %d, not %d", s.Seed, c.Seed)
	}
	c.before, c.deaths = s.Elapsed, s.Deaths
	for i, t := range c.targets {
		own := t.state()
		for j := range s.Targets {
			if old := &s.Targets[j]; old.same(&own) && old.Target != nil {
				old.Target.subject, old.Target.early = t.subject, t.early
				if err := old.decode(); err != nil {
					return fmt.Errorf("cannot resume the campaign: %s: %w", c.File, err)
				}
				old.Target.GivenUp, old.Target.Cut = "", nil
				if old.Target.Saturated > c.Saturated { // the old campaign stopped earlier than this limit allows
					old.Target.Saturated = 0
				}
				if size := old.Target.Batch; size > 0 && s.Runs > 0 && c.Runs != s.Runs { // the old limit of runs may have shortened the last batch
					old.Target.Done = min(old.Target.Done, s.Runs/size)
				}
				c.targets[i] = old.Target
			}
		}
	}
	return nil
}

// seed returns the seed of the campaign. If o.Seed is zero, the seed depends on o.File, as the
// comment of Options.Seed says.
func (o *Options) seed() uint64 {
	if o.Seed != 0 || o.File == "" {
		return max(1, o.Seed)
	}
	s, err := readState(o.File)
	switch {
	case err != nil: // begin as if there were no earlier campaign
		return 1
	case o.Resume:
		return max(1, s.Seed)
	}
	return max(1, s.Seed+1)
}

// readState reads and checks a state file. The error is fs.ErrNotExist if there is no file.
func readState(path string) (s state, err error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, err
	}
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	if err != nil {
		return s, fmt.Errorf("%s cannot be read (%w)", path, err)
	}
	if s.Version != stateVersion {
		return s, fmt.Errorf("%s is of version %d, expected %d", path, s.Version, stateVersion)
	}
	if s.damaged() {
		return s, fmt.Errorf("%s is damaged: it has values that no campaign writes", path)
	}
	return s, nil
}

// damaged reports whether the state has values that no campaign writes.
func (s *state) damaged() bool {
	return s.Elapsed < 0 || min(s.Runs, s.Deaths) < 0 || slices.ContainsFunc(s.Targets, func(t targetState) bool {
		return t.Target != nil && t.Target.damaged()
	})
}

func (t *target) damaged() bool {
	n := &t.Tally
	return min(t.Done, t.Size, t.Batch, t.Deaths, n.Runs, n.Steps, n.Skipped, n.Timed, n.Early) < 0 ||
		n.By == nil || n.Fresh == nil || n.Rejected == nil || n.TooLarge == nil ||
		slices.Contains(t.Findings, nil) || slices.Contains(t.Met, nil)
}

// decode decodes the receive pairs into the fields of s.Target.
func (s *targetState) decode() error {
	t := s.Target
	t.seen, t.known, t.shown = &coverage.Orders{}, &coverage.Orders{}, &coverage.Orders{}
	err := errors.Join(t.seen.UnmarshalBinary(s.Seen), t.known.UnmarshalBinary(s.Known))
	if s.Shown != nil { // files of older versions have no Shown
		err = errors.Join(err, t.shown.UnmarshalBinary(s.Shown))
	}
	return err
}

// recall loads the receive pairs of earlier campaigns from the state file. If it cannot read the
// file, it reports a note. If the pairs of a property exceed c.room, it loads only the pairs of the
// last campaign.
func (c *campaign) recall() {
	if c.File == "" {
		return
	}
	s, err := readState(c.File)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	for _, t := range c.targets {
		own := t.state()
		for i := range s.Targets {
			old := &s.Targets[i]
			if err != nil || !old.same(&own) || old.Target == nil {
				continue
			}
			if err = old.decode(); err == nil {
				t.known = old.Target.seen
				if old.Target.known.Memory() < c.room {
					t.known = old.Target.all()
				}
				t.shown = old.Target.shown
			}
		}
	}
	if err != nil {
		c.tell(Event{Kind: Noted, Text: fmt.Sprintf("the coverage of earlier campaigns is lost: %v", err)})
	}
}

// Read returns the report of the campaign whose state file is at path.
func Read(path string) (*Report, error) {
	s, err := readState(path)
	if err != nil {
		return nil, err
	}
	r := &Report{Ended: s.Ended, Elapsed: s.Elapsed, Deaths: s.Deaths, Seed: s.Seed}
	for i := range s.Targets {
		old := &s.Targets[i]
		if old.Target == nil {
			return nil, fmt.Errorf("%s is damaged: it has a property without data", path)
		}
		if err := old.decode(); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		old.Target.subject = Subject{Binary: &binary.Binary{Package: old.Package, Dir: old.Dir},
			Property: worker.Property{Test: old.Test, Name: old.Name, Func: old.Func, Call: old.Call}}
		r.Outcomes = append(r.Outcomes, old.Target.outcome(s.Ended == EndInterrupted))
	}
	if s.Race {
		err = r.readBeside(path)
	}
	return r, err
}
