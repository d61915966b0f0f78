package tool

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/jostle-go/jostle/fuzz"
	"github.com/jostle-go/jostle/fuzz/existing"
	"github.com/jostle-go/jostle/fuzz/internal/binary"
	"github.com/jostle-go/jostle/fuzz/internal/campaign"
	"github.com/jostle-go/jostle/fuzz/internal/desk"
	"github.com/jostle-go/jostle/fuzz/internal/flight"
	"github.com/jostle-go/jostle/fuzz/internal/words"
	"github.com/jostle-go/jostle/fuzz/internal/worker"
)

// A chooser holds the flags that choose the properties of a command.
type chooser struct {
	race     bool
	tags     string
	property string
	memory   string
	tests    bool // also existing tests
	mayTest  bool // set if the command has the flag --tests
	// unoffered has the existing tests that cannot be searched.
	unoffered []string
}

// flags adds the flags to a command.
func (c *chooser) flags(cmd *Command) {
	f := cmd.Flags()
	f.BoolVar(&c.race, "race", false, "compile with the race detector, which also finds variables that actors share")
	f.StringVar(&c.tags, "tags", "", "build tags, comma-separated")
	f.StringVar(&c.property, "property", "", "only properties whose name or test contains this")
	f.StringVar(&c.memory, "memory", "4GB", "the memory limit of a worker; 0 is no limit")
}

// testsFlag adds the flag for existing tests to a command.
func (c *chooser) testsFlag(cmd *Command) {
	c.mayTest = true
	cmd.Flags().BoolVar(&c.tests, "tests", false, "existing tests too, under control as by jostle test")
}

// bounds returns a worker.Command with the memory limit and the environment of workers.
func (c *chooser) bounds() (b worker.Command, err error) {
	b.Memory, err = sizeOf(c.memory)
	b.Env = []string{"GORACE=halt_on_error=1"}
	return b, err
}

// sizeOf parses a size such as 512MB and returns the number of bytes.
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

// builds is the prefix of the names of folders with test binaries. If a folder is older than the
// constant abandoned, it was probably left behind by a command that was killed.
const (
	builds    = "jostle-build-"
	abandoned = 7 * 24 * time.Hour
)

// clearBuilds removes the folders that killed commands have left behind in dir. It removes no
// folder that is in use, or whose use it cannot determine because the system has no suitable locks.
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

// inUse is the name of the lock of a folder with test binaries.
const inUse = "build"

// newBuild creates a folder for test binaries, and locks it so that no other command removes it.
// The function done removes the folder.
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

// errNoProperty is in the error of packages whose tests have no property.
var errNoProperty = errors.New("no property")

// find compiles the tests of packages and returns their properties. The caller must call done when
// it no longer needs the test binaries, also after an error.
func (c *chooser) find(call *Call, patterns []string) (list []campaign.Subject, done func(), err error) {
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
	binaries, err := c.build(call, temp, patterns)
	if err != nil {
		return nil, done, err
	}
	c.unoffered = nil
	all, names := 0, []string(nil)
	for _, b := range binaries {
		command := b.Command("")
		command.Env = append(command.Env, bounds.Env...)
		properties, err := b.Properties(call.Context, command)
		if err != nil {
			return nil, done, err
		}
		all += len(properties)
		for _, test := range b.Tests {
			isTest := func(p worker.Property) bool { return p.Test == test }
			if b.Existing() && strings.Contains(test, c.property) && !slices.ContainsFunc(properties, isTest) {
				c.unoffered = append(c.unoffered, b.Package+" "+test)
			}
		}
		for _, p := range properties {
			names = append(names, p.Name, p.Test)
			if strings.Contains(p.Name, c.property) || strings.Contains(p.Test, c.property) {
				list = append(list, campaign.Subject{Binary: b, Property: p})
			}
		}
	}
	switch {
	case all == 0:
		err = fmt.Errorf("%w in %s: %s", errNoProperty, strings.Join(patterns, " "), c.whyNone())
	case len(list) == 0 && len(c.unoffered) > 0:
		err = fmt.Errorf("%s is not searched: jostle test -v says why", c.unoffered[0])
	case len(list) == 0:
		err = fmt.Errorf("none of %d properties has %q in its name%s", all, c.property, words.DidYouMean(c.property, "", names))
	}
	return list, done, err
}

// whyNone says why the packages have nothing to search.
func (c *chooser) whyNone() string {
	const calls = "no test there calls fuzz.Check, fuzz.Explore or fuzz.Target"
	switch {
	case c.tests && len(c.unoffered) > 0:
		return calls + ", and no other test is controlled: jostle test -v says why"
	case c.mayTest && !c.tests:
		return calls + "; --tests searches other tests"
	}
	return calls
}

// build compiles the tests of packages, and with the flag --tests once more for existing tests.
func (c *chooser) build(call *Call, temp string, patterns []string) ([]*binary.Binary, error) {
	o := binary.Options{Temp: temp, Verbs: reflect.TypeFor[fuzz.Config]().PkgPath(), Race: c.race, Tags: c.tags}
	compiled := func() {}
	o.Compiling = func(packages int) { compiled = call.sayCompiling(packages) }
	list, err := binary.Build(call.Context, o, patterns...)
	compiled()
	if err != nil || !c.tests {
		return list, err
	}
	with, err := newCompiler(call.Context, "")
	if err != nil {
		return nil, err
	}
	o.Temp = filepath.Join(temp, "existing")
	if err := os.Mkdir(o.Temp, 0o777); err != nil {
		return nil, err
	}
	o.Overlay, o.Command, o.CommandEnv, o.Env = with.flags, with.command, with.env, []string{existing.Variable + "=1"}
	tests, err := binary.Build(call.Context, o, patterns...)
	compiled()
	return append(list, tests...), err
}

// silence is how long the command may print nothing while it compiles.
const silence = 500 * time.Millisecond

// sayCompiling prints to a terminal that tests are compiled, unless done is called before silence
// has passed.
func (call *Call) sayCompiling(packages int) (done func()) {
	if call.sizeOf(call.Err) == nil {
		return func() {}
	}
	timer := time.AfterFunc(silence, func() { fmt.Fprintf(call.Err, "compiling %s…\n", words.Count(packages, "package")) })
	return func() { timer.Stop() }
}

// compiled compiles the tests of packages and returns a desk with their properties, without duplicates. The
// desk carries out up to the given number of requests at a time. The caller must call done, also after an
// error. It ends the desk's processes and removes the test binaries.
func (c *chooser) compiled(call *Call, patterns []string, requests int) (d *desk.Desk, done func(), err error) {
	bounds, err := c.bounds()
	if err != nil {
		return nil, func() {}, err
	}
	subjects, remove, err := c.find(call, patterns)
	if err != nil {
		return nil, remove, err
	}
	d = desk.New(distinct(subjects), bounds, requests)
	return d, func() { d.Close(); remove() }, nil
}

// distinct returns the properties without duplicates. A duplicate has the same function and name as
// an earlier property, for example because a test gives one property to fuzz.Check and
// fuzz.Explore.
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
