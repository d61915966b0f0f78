package search

import (
	"testing"

	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/props"
)

// teller has a property that is a method.
type teller struct{}

func (teller) holds(*props.T)    {}
func (*teller) pointed(*props.T) {}

func declared(*props.T) {}

func generic[V any](*props.T) {}

func made(string) func(*props.T) { return func(*props.T) {} }

// TestNamesOfProperties checks the names under which the cases of properties are saved.
func TestNamesOfProperties(t *testing.T) {
	const test = "TestA/b"
	for _, c := range []struct {
		name     string
		property func(*props.T)
		want     string
	}{
		{"a declared function", declared, "declared"},
		{"one of another package", trial.Quarrel, "trial/Quarrel"},
		{"a literal", func(*props.T) {}, test},
		{"a literal that a function makes", made("a"), test},
		{"a method", teller{}.holds, test},
		{"a method of a pointer", (&teller{}).pointed, test},
		{"an instance", generic[int], test},
		{"another instance", generic[struct{ a int }], test},
		{"a method expression, bound", func(t *props.T) { teller.holds(teller{}, t) }, test},
	} {
		if got := PropertyOf(c.property, test); got.Name != c.want || got.Test != test {
			t.Errorf("%s: %q of %q, want %q", c.name, got.Name, got.Test, c.want)
		}
	}
	if got := nameOf(declared, "example.com/other", test); got != "search/declared" {
		t.Errorf("in a test binary of another package: %q", got)
	}
	if got := testedPackage(); got != "github.com/jostle-go/jostle/fuzz/search" {
		t.Errorf("the tested package is %q", got)
	}
}
