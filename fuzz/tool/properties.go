package tool

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/jostle-go/jostle/fuzz"
	"github.com/jostle-go/jostle/fuzz/internal/binary"
	"github.com/jostle-go/jostle/fuzz/internal/campaign"
	"github.com/jostle-go/jostle/fuzz/internal/flight"
	"github.com/jostle-go/jostle/fuzz/internal/worker"
)

// A chooser says which properties a command is for.
type chooser struct {
	race     bool
	tags     string
	property string
	memory   string
}

// flags adds the flags by which properties are chosen.
func (c *chooser) flags(cmd *Command) {
	f := cmd.Flags()
	f.BoolVar(&c.race, "race", false, "compile with the race detector, which then also sees variables that actors share")
	f.StringVar(&c.tags, "tags", "", "build tags, with commas between")
	f.StringVar(&c.property, "property", "", "only properties whose name or test has this in it")
	f.StringVar(&c.memory, "memory", "4GB", "how much memory a worker may have; 0 is no bound")
}

// bounds returns those of worker processes.
func (c *chooser) bounds() (b worker.Command, err error) {
	b.Memory, err = sizeOf(c.memory)
	b.Env = []string{"GORACE=halt_on_error=1"}
	return b, err
}

// sizeOf reads a number of bytes such as 512MB.
func sizeOf(text string) (uint64, error) {
	var n uint64
	var unit string
	if _, err := fmt.Sscanf(text+" ", "%d%s ", &n, &unit); err != nil && text != "0" {
		unit = "?"
	}
	for i, name := range []string{"", "KB", "MB", "GB", "TB"} {
		if strings.EqualFold(unit, name) && n < 1<<(60-10*i) {
			return n << (10 * i), nil
		}
	}
	return 0, fmt.Errorf("--memory is %q: set it to a size such as 512MB or 4GB, or to 0", text)
}

// builds begins the names of the folders with test binaries. One that is older than
// abandoned was left by a command that was killed.
const (
	builds    = "jostle-build-"
	abandoned = 7 * 24 * time.Hour
)

// clearBuilds removes what killed commands have left in a folder. What a command has still
// stays, however old it is; and so does all where nobody can know that.
func clearBuilds(dir string) {
	old, _ := filepath.Glob(filepath.Join(dir, builds+"*"))
	for _, path := range old {
		info, err := os.Stat(path)
		if err != nil || time.Since(info.ModTime()) <= abandoned {
			continue
		}
		if hold, _ := flight.Take(filepath.Join(path, inUse)); hold != nil {
			os.RemoveAll(path)
			hold.Release()
		}
	}
}

// inUse is the name by which a command has a folder with test binaries.
const inUse = "build"

// newBuild makes a folder for test binaries, which no other command clears until done is
// called. That removes it.
func newBuild(dir string) (path string, done func(), err error) {
	if path, err = os.MkdirTemp(dir, builds); err != nil {
		return "", func() {}, err
	}
	hold, _ := flight.Take(filepath.Join(path, inUse))
	return path, func() {
		hold.Release()
		os.RemoveAll(path)
	}, nil
}

// find compiles the tests of packages and returns their properties. Call done at the end.
func (c *chooser) find(ctx context.Context, patterns []string) (list []campaign.Subject, done func(), err error) {
	done = func() {}
	bounds, err := c.bounds()
	if err != nil {
		return nil, done, err
	}
	clearBuilds(os.TempDir())
	temp, done, err := newBuild("")
	if err != nil {
		return nil, done, err
	}
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	o := binary.Options{Temp: temp, Verbs: reflect.TypeFor[fuzz.Config]().PkgPath(), Race: c.race, Tags: c.tags}
	binaries, err := binary.Build(ctx, o, patterns...)
	if err != nil {
		return nil, done, err
	}
	all := 0
	for _, b := range binaries {
		command := b.Command("")
		command.Env = append(command.Env, bounds.Env...)
		properties, err := b.Properties(ctx, command)
		if err != nil {
			return nil, done, err
		}
		all += len(properties)
		for _, p := range properties {
			if strings.Contains(p.Name, c.property) || strings.Contains(p.Test, c.property) {
				list = append(list, campaign.Subject{Binary: b, Property: p})
			}
		}
	}
	switch {
	case all == 0:
		err = fmt.Errorf("no property in %s: no test there calls fuzz.Check, fuzz.Explore or fuzz.Target", strings.Join(patterns, " "))
	case len(list) == 0:
		err = fmt.Errorf("none of %d properties has %q in its name", all, c.property)
	}
	return list, done, err
}

// distinct returns the subjects without those that are given a function that another is
// given, too: by another verb, mostly.
func distinct(list []campaign.Subject) (out []campaign.Subject) {
	for _, s := range list {
		same := func(o campaign.Subject) bool {
			return o.Binary == s.Binary && o.Property.Func == s.Property.Func && o.Property.Name == s.Property.Name
		}
		if s.Property.Name == s.Property.Test || !slices.ContainsFunc(out, same) {
			out = append(out, s)
		}
	}
	return out
}
