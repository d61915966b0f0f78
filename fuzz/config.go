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

// A Config holds settings for the verbs Check, MustFind, Explore and Target, which are
// its methods. The functions with these names use the zero Config.
type Config struct {
	// Budget limits the time of Check, MustFind and Explore; zero is no limit if Runs
	// is set. If both are zero, the limit is 10 seconds for Explore and 2 seconds for
	// Check and MustFind (with -short, a tenth of that). If a package has more than five
	// such Checks, they share ten seconds (see the function Check). JOSTLE_BUDGET
	// overrides Budget and Runs, and sets a limit for each Check that it does not share.
	Budget time.Duration
	// Runs limits the number of runs of Check, MustFind and Explore; zero is no limit.
	Runs int
	// Seed determines all inputs and orders; zero means 1. JOSTLE_SEED overrides Seed
	// and Source.
	Seed uint64
	// Source, if not nil, is a random source from which the seed is drawn.
	Source exprand.Source
	// Workers is the number of goroutines that run the property. Zero means one,
	// because a property may use variables of its test. The reported failure does
	// not depend on the number of workers. JOSTLE_WORKERS overrides Workers.
	Workers int
	// Folder is the folder for saved cases; "" means testdata/jostle. A relative path
	// is relative to the package's folder, even after os.Chdir. JOSTLE_OUT overrides
	// Folder.
	Folder string

	// Shrink limits the time in which Check, Explore and Target shrink and explain a
	// failing case. Zero means 5 seconds (with -short, a tenth of that). A negative
	// time turns shrinking off. JOSTLE_SHRINK overrides Shrink.
	Shrink time.Duration

	// The following fields apply only to the verbs that their comments name. It is an
	// error to set them for another verb.

	// Strategies lists the strategies that Check and MustFind use in turn (see
	// search.Names). Nil means a mix in which at least a quarter of the runs are
	// random. JOSTLE_STRATEGY overrides Strategies.
	Strategies []string

	// Method determines how Explore searches the tree of orders, and which reduction
	// it uses. The zero value runs each distinct order once.
	Method explore.Method
	// MustComplete makes Explore fail the test if the exploration is not complete.
	MustComplete bool
	// KeepOn makes Explore continue after a failure and report the first failure
	// of each signature. By default, Explore ends at the first failure.
	KeepOn bool
	// Inputs is the number of random inputs that Explore tries for each combination of
	// values drawn with props.OneOf; zero means 10. Inputs matters only if the property
	// also draws in other ways. Explore tries fewer inputs if there seem to be fewer
	// different inputs.
	Inputs int
	// Estimate makes Explore compute Verdict.Estimate if the exploration is not
	// complete. This takes extra runs, which the Verdict does not count.
	Estimate bool
	// Progress receives the progress of Explore, with an estimate, after some seconds.
	// On a terminal, Explore overwrites one line; elsewhere it writes a line every five
	// seconds. Nil means standard error with go test -v, and no progress without -v.
	// To print no progress, use io.Discard.
	Progress io.Writer
	// File is a file in which Explore saves its position every 30 seconds and when its
	// budget is used up. The next Explore resumes there, unless a saved case fails
	// first. Explore removes the file when the exploration is done. Remove the file
	// yourself if the program has changed. With File, the property must have exactly
	// one input, Workers must be one, and Method must not use state comparison, random
	// branches, or bounds on delays or preemptions.
	File string
}

const (
	checkBudget   = 2 * time.Second
	exploreBudget = 10 * time.Second // without a limit, a large exploration would hang its test
	shrinkBudget  = 5 * time.Second
	shorter       = 10 // the divisor of budgets with -short
)

// settle returns a copy of c with the overrides of the environment, and with defaults in place of
// zero values. The parameter usual is the default of Budget.
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
	if e.Workers > 0 && c.File == "" { // a search with a File must have one worker
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

// packageFolder is the folder of the tested package, in which go test starts the test
// binary. Cases are saved there even if a test changes to another folder.
var packageFolder = workingFolder()

func workingFolder() string {
	dir, err := os.Getwd()
	if err != nil {
		return "."
	}
	return dir
}

// inPackage returns an absolute path. A relative path is relative to packageFolder.
func inPackage(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(packageFolder, path)
}

// shown returns a path for messages. A path below packageFolder is made relative to it.
func shown(path string) string {
	rel, err := filepath.Rel(packageFolder, path)
	if err != nil || !filepath.IsLocal(rel) {
		return path
	}
	return rel
}

// refuse returns an error if a field is invalid or does not apply to the verb.
func (c *Config) refuse(verb string) error {
	searches := []string{"Check", "MustFind", "Explore"}
	for _, field := range []struct {
		name  string
		verbs []string
		how   string // how a user of Target sets the same limit
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
			return fmt.Errorf("fuzz.Config.%s is %d: set it to a number of at least 1, or to zero for %s", field.name, field.value, field.zero)
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
