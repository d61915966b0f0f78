package campaign

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/jostle-go/jostle/corpus"
)

// stateVersion is that of the file. Whoever changes the meaning of a field raises it.
const stateVersion = 1

// A state is what a file has of a campaign.
type state struct {
	Version int
	Seed    uint64
	Runs    int
	Elapsed time.Duration
	Deaths  int
	Targets []targetState
}

// A targetState is a target with the names by which it is known.
type targetState struct {
	Package, Test, Name, Func string
	Call                      int
	Target                    *target
}

func (t *target) state() targetState {
	p := &t.subject.Property
	return targetState{t.subject.Binary.Package, p.Test, p.Name, p.Func, p.Call, t}
}

// same reports whether two states are of one property.
func (s *targetState) same(o *targetState) bool {
	return s.Package == o.Package && s.Test == o.Test && s.Name == o.Name && s.Func == o.Func && s.Call == o.Call
}

// checkpoint writes the file. Whoever reads it meanwhile sees the old one or the new one.
func (c *campaign) checkpoint() {
	if c.File == "" {
		return
	}
	s := state{Version: stateVersion, Seed: c.Seed, Runs: c.Runs, Elapsed: c.elapsed(), Deaths: c.deaths}
	for _, t := range c.targets {
		s.Targets = append(s.Targets, t.state())
	}
	err := s.write(c.File)
	if err != nil && c.broken == nil {
		c.broken = err
		c.tell(Event{Kind: Noted, Text: fmt.Sprintf("how far the campaign is cannot be noted: %v", err)})
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
	temp, err := corpus.WriteAside(filepath.Dir(path), append(text, '\n'))
	if err != nil {
		return err
	}
	if err := os.Rename(temp, path); err != nil {
		return errors.Join(err, os.Remove(temp))
	}
	return nil
}

// restore goes on from the file. Properties that it does not know begin anew, and those
// that are no more are forgotten.
func (c *campaign) restore() error {
	text, err := os.ReadFile(c.File)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no campaign to go on with: there is no %s", c.File)
	}
	var s state
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	switch {
	case err != nil:
		return fmt.Errorf("the campaign cannot be gone on with: %s cannot be read (%w): remove it and begin anew", c.File, err)
	case s.Version != stateVersion:
		return fmt.Errorf("the campaign cannot be gone on with: %s is of version %d, expected %d: remove it and begin anew", c.File, s.Version, stateVersion)
	case s.Seed != c.Seed:
		return fmt.Errorf("the campaign cannot be gone on with: it had the seed %d, and is asked to go on with %d", s.Seed, c.Seed)
	}
	c.before, c.deaths = s.Elapsed, s.Deaths
	for i, t := range c.targets {
		own := t.state()
		for j := range s.Targets {
			if old := &s.Targets[j]; old.same(&own) && old.Target != nil {
				old.Target.subject, old.Target.early = t.subject, t.early
				old.Target.GivenUp = ""
				if size := old.Target.Batch; size > 0 && s.Runs > 0 && c.Runs != s.Runs { // the last batch may have been cut off
					old.Target.Done = min(old.Target.Done, s.Runs/size)
				}
				c.targets[i] = old.Target
			}
		}
	}
	return nil
}
