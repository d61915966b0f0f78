package finding

import (
	"os"
	"slices"
	"testing"

	"github.com/jostle-go/jostle/corpus/golden"
	"github.com/jostle-go/jostle/fuzz/subjects"
	"github.com/jostle-go/jostle/props"
)

// search returns the first failing run that a search finds in the given number of runs, or nil. If arms is empty, it
// uses the default portfolio. See SearchWith.
var search func(p program, seed uint64, runs int, arms ...string) *Finding

// SearchWith sets the function search. Package finding_test calls it: this package cannot import package search,
// because package search imports it.
func SearchWith(sample func(name string, property func(*props.T), seed uint64, runs int, arms ...string) *Finding) bool {
	search = func(p program, seed uint64, runs int, arms ...string) *Finding {
		return sample(p.name, p.property, seed, runs, arms...)
	}
	return true
}

// A program is a property with the name of the test that runs it.
type program struct {
	name     string
	property func(*props.T)
}

func (p program) runner() *props.Runner { return props.NewRunner(p.name, p.property) }

// foundBy returns the first failure that a search with a seed finds. If arms is empty, it uses the default
// portfolio.
func foundBy(t testing.TB, property func(*props.T), seed uint64, arms ...string) (program, *Finding) {
	t.Helper()
	p := program{t.Name(), property}
	f := search(p, seed, 200_000, arms...)
	if f == nil {
		t.Fatalf("seed %d finds nothing", seed)
	}
	return p, f
}

// nightly reports whether the long versions of tests are wanted.
func nightly() bool { return os.Getenv("JOSTLE_NIGHTLY") != "" }

// shortSubjects returns the quick subjects by day, and all easy ones at night.
func shortSubjects() []subjects.Subject {
	if golden.Whole() {
		return subjects.Easy()
	}
	return subjects.Quick()
}

// fewSubjects returns the easy subjects at night. By day it returns some whose failures can be shrunk and explained
// quickly, including those that need the shrinker's passes most.
func fewSubjects() []subjects.Subject {
	list := subjects.Easy()
	if golden.Whole() {
		return list
	}
	few := []string{"writer", "barber", "threadring", "chain-repair"}
	return slices.DeleteFunc(list, func(s subjects.Subject) bool { return !slices.Contains(few, s.Name) })
}
