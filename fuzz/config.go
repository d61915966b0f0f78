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

// A Config holds the settings of Check, MustFind, Explore and Target, which are
// also its methods. The functions of these names use the zero value.
type Config struct {
	// Budget limits the time of Check, MustFind and Explore, Runs the number of
	// runs; the search ends at the first limit it reaches. If both are zero,
	// Explore has 10 seconds and the others have 2 (with -short, a tenth of
	// that). If one is zero, only the other is a limit. JOSTLE_BUDGET overrides both.
	Budget time.Duration
	Runs   int
	// Seed determines all inputs and orders; zero means 1. If Source is set, the
	// seed is drawn from it. JOSTLE_SEED overrides both.
	Seed   uint64
	Source exprand.Source
	// Workers is the number of goroutines that run the property; zero means one,
	// because a property may use variables of its test. The reported failure does
	// not depend on it. JOSTLE_WORKERS overrides it.
	Workers int
	// Folder is where cases are saved; empty means testdata/jostle. JOSTLE_OUT
	// overrides it. A relative path starts at the package's folder, even after
	// os.Chdir.
	Folder string

	// Shrink limits the time in which Check, Explore and Target shrink and explain a
	// failing case. Zero means 5 seconds (with -short, a tenth of that); a negative
	// time turns shrinking off. JOSTLE_SHRINK overrides it.
	Shrink time.Duration

	// The following fields are for the verbs that they name; to set one for
	// another verb is an error.

	// Strategies names the strategies that Check and MustFind use in turns;
	// search.Names lists them. Nil means a mix in which at least a quarter of the
	// runs are random. JOSTLE_STRATEGY overrides it.
	Strategies []string

	// Method is how Explore searches the tree of orders, and which reduction it
	// uses. The zero value runs each distinct order once.
	Method explore.Method
	// MustComplete makes Explore fail the test if it is not complete.
	MustComplete bool
	// KeepOn makes Explore continue after a failure and report the first failure
	// of each signature. By default the first failure ends it.
	KeepOn bool
	// For properties that use draws other than OneOf, Inputs is how many random
	// inputs Explore tries per combination of OneOf values; zero means 10. Explore
	// runs fewer if there seem to be no more different inputs.
	Inputs int
	// Estimate makes Explore compute Verdict.Estimate if it is not complete. That
	// takes extra runs, which no number counts.
	Estimate bool
	// Progress is where Explore prints its progress, with an estimate, once it has
	// taken some seconds: on a terminal in a line that it overwrites, else in a
	// line every five seconds. Nil means standard error with go test -v, and no
	// progress otherwise; io.Discard means none.
	Progress io.Writer
	// File is where Explore saves its position every 30 seconds and when its
	// budget is used up. The next Explore resumes there, unless a saved case fails
	// first. Explore removes the file when it is done; remove it yourself when the
	// program has changed. The property must have one input, and there must be one
	// worker, no state comparison, no random branches and no bound on delays or
	// preemptions.
	File string
}

const (
	checkBudget   = 2 * time.Second
	exploreBudget = 10 * time.Second // an exploration that never ends would hang its test
	shrinkBudget  = 5 * time.Second
	shorter       = 10 // how many times less with -short
)

// settle returns c with the environment and then the defaults applied. Usual is
// the default budget.
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
	if e.Workers > 0 && c.File == "" { // an exploration that resumes from a file has one
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

// packageFolder is where the test binary was started: go test starts it in the
// package's folder. Cases are saved there even if a test changes to a temporary
// folder.
var packageFolder = workingFolder()

func workingFolder() string {
	dir, err := os.Getwd()
	if err != nil {
		return "."
	}
	return dir
}

// inPackage returns path, made absolute from the package's folder.
func inPackage(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(packageFolder, path)
}

// shown returns a path as it is printed: relative if it is below the package's
// folder.
func shown(path string) string {
	rel, err := filepath.Rel(packageFolder, path)
	if err != nil || !filepath.IsLocal(rel) {
		return path
	}
	return rel
}

// refuse returns an error if a field is set that is not for this verb.
func (c *Config) refuse(verb string) error {
	searches := []string{"Check", "MustFind", "Explore"}
	for _, field := range []struct {
		name  string
		verbs []string
		how   string // to set it for Target
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
		{"Budget", searches, "; for Target use go test -fuzztime", c.Budget != 0},
		{"Runs", searches, "; for Target use go test -fuzztime", c.Runs != 0},
		{"Workers", searches, "; for Target use go test -parallel", c.Workers > 1},
	} {
		if field.set && !slices.Contains(field.verbs, verb) {
			last := len(field.verbs) - 1
			names := field.verbs[last]
			if last > 0 {
				names = strings.Join(field.verbs[:last], ", ") + " and " + names
			}
			return fmt.Errorf("fuzz.Config.%s is set for %s, but is only for %s%s", field.name, verb, names, field.how)
		}
	}
	return c.refuseValues()
}

// refuseValues returns an error if a field has an invalid value.
func (c *Config) refuseValues() error {
	for _, field := range []struct {
		name  string
		value int
		zero  string
	}{
		{"Runs", c.Runs, "no limit but Budget"},
		{"Workers", c.Workers, "one"},
		{"Inputs", c.Inputs, "10"},
	} {
		if field.value < 0 {
			return fmt.Errorf("fuzz.Config.%s is %d: set it to a number from 1 on, or to zero for %s", field.name, field.value, field.zero)
		}
	}
	switch {
	case c.Budget < 0:
		return fmt.Errorf("fuzz.Config.Budget is %v: set it to a time such as 30s, or to zero for no limit but Runs", c.Budget)
	case c.Strategies != nil && len(c.Strategies) == 0:
		return fmt.Errorf("fuzz.Config.Strategies is empty, so nothing would run: name some of %s, or leave it nil",
			strings.Join(search.Names(), ", "))
	}
	return nil
}
