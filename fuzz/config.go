package fuzz

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	exprand "golang.org/x/exp/rand"

	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/fuzz/internal/env"
	"github.com/jostle-go/jostle/fuzz/search"
)

// A Config says how Check, MustFind, Explore and Target search; each is a method of it,
// too. The zero value is what the functions of these names use.
type Config struct {
	// Budget is how long Check, MustFind and Explore may take, Runs how many
	// runs they may make; whichever is reached first ends them. If both are
	// zero, Explore has 10 seconds and the others have 2, and a tenth of that
	// with -short; else zero is no bound. JOSTLE_BUDGET overrides both.
	Budget time.Duration
	Runs   int
	// Seed is what all inputs and orders follow from; zero means 1. Source, if
	// set, supplies it instead. JOSTLE_SEED overrides both.
	Seed   uint64
	Source exprand.Source
	// Workers is how many goroutines run the property at the same time; zero
	// means one, because a property may touch what its test shares. The
	// failure that is reported does not depend on it. JOSTLE_WORKERS overrides it.
	Workers int
	// Folder is where cases are kept; empty means testdata/jostle beside the
	// test. JOSTLE_OUT overrides it. A relative path begins at the package's
	// folder, wherever the test has gone since.
	Folder string

	// Shrink is how long Check, Explore and Target may take to make a failing case
	// smaller and to say in which orders it fails; zero means 5 seconds, and a tenth of
	// that with -short; a negative time, not at all. JOSTLE_SHRINK overrides it.
	Shrink time.Duration

	// What follows is for the verbs that it names; to set it for another is an
	// error.

	// Strategies are for Check and MustFind: the names of strategies to use in
	// turns, as search.Names lists them; nil means a portfolio in which at least
	// a quarter of the runs is random. JOSTLE_STRATEGY overrides them.
	Strategies []string

	// Method is for Explore: how the tree of orders is gone through and what
	// of it is left out. The zero value runs each distinct order once.
	Method explore.Method
	// MustComplete has Explore fail the test when a bound was hit.
	MustComplete bool
	// KeepOn has Explore go on after a failure and show the first failure of
	// each signature; else the first failure ends it.
	KeepOn bool
	// Inputs is how many inputs Explore draws at random for each choice of
	// OneOf's values, if the property draws otherwise; zero means 10. Fewer
	// are run when there seem to be no more that differ.
	Inputs int
	// Estimate has Explore make Verdict.Estimate when it is not complete.
	// That takes runs of its own, which are not counted.
	Estimate bool
	// Progress is where an exploration that takes more than seconds tells how
	// far it is: on a terminal in a line that is written over, else in a line
	// every five seconds. It makes the estimate, too. Nil means standard error
	// with go test -v, and nowhere else; io.Discard is nowhere at all.
	Progress io.Writer
	// File is where Explore keeps what is left when its budget is used up, and
	// every 30 seconds: the next time it goes on from there, unless a saved
	// case fails before. The file is removed at the end; remove it also when
	// the program has changed. The property must have one input, and there
	// must be one worker, no state comparison, no random branches and no bound
	// on delays or preemptions.
	File string
}

const (
	checkBudget   = 2 * time.Second
	exploreBudget = 10 * time.Second // an exploration that never ends would hang its test
	shrinkBudget  = 5 * time.Second
	shorter       = 10 // how many times less with -short
)

// settle fills in what is open, from the environment, then from the defaults.
// Usual is the budget of a search that has none.
func (c Config) settle(e *env.Settings, usual time.Duration) Config {
	c.Workers = max(1, c.Workers)
	if c.Source != nil {
		c.Seed = c.Source.Uint64()
	}
	c.Seed = cmp.Or(e.Seed, c.Seed, 1)
	least := shrinkBudget
	if testing.Short() {
		least /= shorter
	}
	c.Shrink = cmp.Or(e.Shrink, c.Shrink, least)
	if e.Budget > 0 || e.Runs > 0 {
		c.Budget, c.Runs = e.Budget, e.Runs
	}
	if e.Workers > 0 && c.File == "" { // an exploration that goes on from a file has one
		c.Workers = e.Workers
	}
	if e.Strategies != nil {
		c.Strategies = e.Strategies
	}
	if c.Budget == 0 && c.Runs == 0 {
		c.Budget = usual
		if testing.Short() {
			c.Budget /= shorter
		}
	}
	c.Folder = inPackage(cmp.Or(e.Out, c.Folder, filepath.FromSlash("testdata/jostle")))
	if c.File != "" {
		c.File = inPackage(c.File)
	}
	return c
}

// packageFolder is where the test binary was started, which go test does in the
// folder of the package. A test may go elsewhere, to a folder that vanishes with
// it: cases must not.
var packageFolder = workingFolder()

func workingFolder() string {
	dir, err := os.Getwd()
	if err != nil {
		return "."
	}
	return dir
}

// inPackage returns a path of which the start is the package's folder.
func inPackage(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(packageFolder, path)
}

// shown returns a path as it is told: below the package's folder from there, else
// the whole of it.
func shown(path string) string {
	rel, err := filepath.Rel(packageFolder, path)
	if err != nil || !filepath.IsLocal(rel) {
		return path
	}
	return rel
}

// refuse returns what is set that is not for a verb.
func (c *Config) refuse(verb string) error {
	searches := []string{"Check", "MustFind", "Explore"}
	for _, field := range []struct {
		name  string
		verbs []string
		how   string // it is said else
		set   bool
	}{
		{"Strategies", searches[:2], "", c.Strategies != nil},
		{"Method", searches[2:], "", c.Method != explore.Method{}},
		{"MustComplete", searches[2:], "", c.MustComplete},
		{"KeepOn", searches[2:], "", c.KeepOn},
		{"Inputs", searches[2:], "", c.Inputs != 0},
		{"Estimate", searches[2:], "", c.Estimate},
		{"Progress", searches[2:], "", c.Progress != nil},
		{"File", searches[2:], "", c.File != ""},
		{"Budget", searches, ": go test -fuzztime is Target's", c.Budget != 0},
		{"Runs", searches, ": go test -fuzztime is Target's", c.Runs != 0},
		{"Workers", searches, ": go test -parallel is Target's", c.Workers > 1},
	} {
		if field.set && !slices.Contains(field.verbs, verb) {
			last := len(field.verbs) - 1
			names := field.verbs[last]
			if last > 0 {
				names = strings.Join(field.verbs[:last], ", ") + " and " + names
			}
			return fmt.Errorf("fuzz.Config.%s is set for %s, and is for %s%s", field.name, verb, names, field.how)
		}
	}
	return c.refuseValues()
}

// refuseValues returns what is set to a value that means nothing.
func (c *Config) refuseValues() error {
	for _, field := range []struct {
		name  string
		value int
		zero  string
	}{
		{"Runs", c.Runs, "no bound but Budget"},
		{"Workers", c.Workers, "one"},
		{"Inputs", c.Inputs, "10"},
	} {
		if field.value < 0 {
			return fmt.Errorf("fuzz.Config.%s is %d: set it to a number from 1 on, or to zero for %s", field.name, field.value, field.zero)
		}
	}
	switch {
	case c.Budget < 0:
		return fmt.Errorf("fuzz.Config.Budget is %v: set it to a time such as 30s, or to zero for no bound but Runs", c.Budget)
	case c.Strategies != nil && len(c.Strategies) == 0:
		return fmt.Errorf("fuzz.Config.Strategies names none, so that there would be no run: name some of %s, or leave it nil",
			strings.Join(search.Names(), ", "))
	}
	return nil
}
