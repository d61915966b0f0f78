package search

import (
	"path"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/jostle-go/jostle/fuzz/internal/flight"
	"github.com/jostle-go/jostle/props"
)

// A Property is what a search runs.
type Property struct {
	Name string // the name under which the property's cases are saved
	Test string // the name of the test that runs the property
	Func func(*props.T)
	// Existing is set if the property runs an existing test, which knows nothing of jostle. It gives no
	// hints, and messages about it name no settings of properties.
	Existing bool
	// Made is called with each new runner of the property. It may be nil.
	Made func(*props.Runner)
	// Recorder is notified of each run of a search before it begins. It may be nil.
	Recorder *flight.Recorder
}

// NewRunner returns a runner of the property. Close the runner when it is no longer
// needed.
func (p *Property) NewRunner() *props.Runner {
	r := props.NewRunner(p.Test, p.Func)
	if p.Made != nil {
		p.Made(r)
	}
	return r
}

// PropertyOf returns a property with the name under which its failing cases are saved. A
// declared function is saved under its own name, no matter which test runs it. A function
// literal, a method or an instance of a generic function may stand for many properties, so
// it is saved under the name of the test. If a declared function is not of the tested
// package, its name follows the name of its package: "bank/neverOverdrawn".
func PropertyOf(property func(*props.T), test string) Property {
	return Property{Name: nameOf(property, testedPackage(), test), Test: test, Func: property}
}

// FuncName returns the name of the property's function. The name of a literal includes the
// enclosing function.
func (p *Property) FuncName() string { return fullName(p.Func) }

func fullName(property func(*props.T)) string {
	return runtime.FuncForPC(reflect.ValueOf(property).Pointer()).Name()
}

func nameOf(property func(*props.T), tested, test string) string {
	full := fullName(property)
	slash := strings.LastIndexByte(full, '/')
	last, name, _ := strings.Cut(full[slash+1:], ".")
	if name == "" || strings.ContainsAny(name, ".-[(") {
		return test
	}
	if pkg := full[:slash+1] + last; strings.TrimSuffix(pkg, "_test") == tested {
		return name
	}
	return strings.TrimSuffix(path.Base(last), "_test") + "/" + name
}

// testedPackage returns the path of the package that this test binary tests. Names of its
// properties do not include it: see PropertyOf. The path is escaped as in function names. If
// the binary has no build information, testedPackage returns "".
func testedPackage() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	pkg, _ := strings.CutSuffix(info.Path, ".test")
	slash := strings.LastIndexByte(pkg, '/')
	return pkg[:slash+1] + strings.ReplaceAll(pkg[slash+1:], ".", "%2e")
}
