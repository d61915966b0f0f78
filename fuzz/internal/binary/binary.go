// Package binary compiles the tests of packages and finds their properties, which are the
// functions that tests pass to a verb of package fuzz: Check, Explore or Target.
//
// Package binary first reads the source to find the tests that call a verb, directly or through
// functions of the same package. It then starts only these tests, as a worker (see package
// fuzz/internal/worker) that offers properties instead of searching. Therefore it also finds the
// properties of subtests, and runs no other tests.
package binary

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/jostle-go/jostle/fuzz/internal/words"
	"github.com/jostle-go/jostle/fuzz/internal/worker"
)

// Options say how tests are compiled.
type Options struct {
	// Dir is the folder in which the go command runs; "" is the current folder.
	Dir string
	// Temp is the folder for compiled files.
	Temp string
	// Verbs is the import path of package fuzz, which has Check, Explore and Target.
	Verbs string
	// Race compiles with the race detector.
	Race bool
	// Tags are build tags, separated by commas.
	Tags string
	// Compiling is called with the number of packages before their tests are compiled. It may be nil.
	Compiling func(packages int)
	// Overlay has the flags of go build with which existing tests run under control. If it is not
	// nil, the tests are those that call no function of package fuzz.
	Overlay []string
	// Env has the environment variables by which the tests run under control. It is nil without
	// an overlay.
	Env []string
	// Command is the go command; "" is go.
	Command string
	// CommandEnv has the environment variables of the go command besides those of this process.
	CommandEnv []string
}

// A Binary has the compiled tests of a package.
type Binary struct {
	Package string   // the import path of the package
	Dir     string   // the folder of the package
	Path    string   // the path of the test binary
	Race    bool     // set if the binary was compiled with the race detector
	Tests   []string // the names of the tests that offer properties: see Options.Overlay
	Env     []string // Options.Env
}

// Existing reports whether the tests are existing ones, and not properties: see Options.Overlay.
func (b *Binary) Existing() bool { return b.Env != nil }

// listed is the output of go list for a package.
type listed struct {
	ImportPath, Dir                    string
	GoFiles, TestGoFiles, XTestGoFiles []string
	Error                              *struct{ Pos, Err string }
}

// Build compiles the tests of the packages that match patterns, as for go test. It skips packages
// whose tests do not call Check, Explore or Target of package fuzz. The error says which package
// does not compile.
func Build(ctx context.Context, o Options, patterns ...string) (list []*Binary, err error) {
	packages, err := o.list(ctx, patterns)
	if err != nil {
		return nil, err
	}
	for _, p := range packages {
		tests, err := testsIn(p, o.Verbs, o.Overlay != nil)
		if err != nil {
			return nil, err
		}
		if len(tests) == 0 {
			continue
		}
		b := &Binary{Package: p.ImportPath, Dir: p.Dir, Tests: tests, Env: o.Env, Race: o.Race, Path: filepath.Join(o.Temp, strconv.Itoa(len(list))+".test.exe")}
		list = append(list, b)
	}
	if o.Compiling != nil && len(list) > 0 {
		o.Compiling(len(list))
	}
	for _, b := range list {
		if err := o.compile(ctx, b); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// flags returns the flags that all go commands need.
func (o *Options) flags() (list []string) {
	tags := o.Tags
	if o.Race {
		list = append(list, "-race")
	}
	if o.Overlay != nil {
		list = append(list, o.Overlay...)
	} else if o.Race {
		tags = strings.Trim(tags+","+raceTag, ",")
	}
	if tags != "" {
		list = append(list, "-tags="+tags)
	}
	return list
}

// raceTag is a build tag. It makes package pulse run each actor on its own goroutine, so that the
// race detector finds variables that actors share.
const raceTag = "jostle_race"

// uninstrumented returns flags that disable the race detector in jostle's own packages except its
// examples. The documentation of package pulse explains why.
func (o *Options) uninstrumented() (list []string) {
	if !o.Race || o.Overlay != nil {
		return nil
	}
	module := path.Dir(o.Verbs)
	for _, name := range []string{"pulse", "props", "corpus", "shrink", "fuzz"} {
		list = append(list, "-gcflags="+module+"/"+name+"/...=-race=false -l")
	}
	return append(list, "-gcflags="+module+"/fuzz/subjects/...=")
}

// list returns the packages that match the patterns.
func (o *Options) list(ctx context.Context, patterns []string) (packages []*listed, err error) {
	args := slices.Concat([]string{"list", "-e", "-json=ImportPath,Dir,GoFiles,TestGoFiles,XTestGoFiles,Error"}, o.flags(), []string{"--"}, patterns)
	out, err := o.Go(ctx, args...)
	if err != nil {
		return nil, err
	}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		p := &listed{}
		if err := d.Decode(p); err == io.EOF {
			break
		} else if err != nil {
			return nil, fmt.Errorf("cannot read the output of go list: %w", err)
		}
		if p.Error != nil {
			return nil, errors.New(strings.TrimPrefix(p.Error.Pos+": ", ": ") + oneLine(p.Error.Err))
		}
		packages = append(packages, p)
	}
	if len(packages) == 0 {
		return nil, fmt.Errorf("no packages match %s", strings.Join(patterns, " "))
	}
	return packages, nil
}

// compile compiles the tests of a package.
func (o *Options) compile(ctx context.Context, b *Binary) error {
	args := []string{"test", "-c", "-o", b.Path}
	if o.Overlay != nil {
		args = append(args, "-vet=off") // go vet ignores overlays
	}
	args = slices.Concat(args, o.flags(), o.uninstrumented(), []string{b.Package})
	_, err := o.Go(ctx, args...)
	if err != nil && !errors.Is(err, errNoRace) {
		return fmt.Errorf("the tests of %s do not compile: %w", b.Package, err)
	}
	return err
}

var errNoRace = errors.New("the race detector is not available here")

// withoutC reports whether a message of the go command says that the race detector is unavailable.
func withoutC(said string) bool {
	return strings.Contains(said, "-race requires cgo") || strings.Contains(said, "-race is not supported") || strings.Contains(said, "C compiler")
}

// Go runs the go command and returns its output. The error has the message of the go command in one
// line.
func (o *Options) Go(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, cmp.Or(o.Command, "go"), args...)
	var out, errs bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = o.Dir, &out, &errs
	cmd.Env = append(cmd.Environ(), o.CommandEnv...)
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil && o.Race && withoutC(errs.String()):
		return nil, fmt.Errorf("%w: %s: install a C compiler and leave CGO_ENABLED and CC unset, or omit --race", errNoRace, oneLine(errs.String()))
	case err != nil && errs.Len() > 0:
		return nil, errors.New(oneLine(errs.String()))
	case err != nil:
		return nil, fmt.Errorf("go %s: %w", args[0], err)
	}
	return out.Bytes(), nil
}

// oneLine joins the first few lines of a message of the go command. It omits lines that only name a
// package.
func oneLine(text string) string {
	const most = 3
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "# ") {
			lines = append(lines, line)
		}
	}
	if len(lines) > most {
		lines = append(lines[:most], fmt.Sprintf("and %s more", words.Count(len(lines)-most, "line")))
	}
	return strings.Join(lines, "; ")
}

// Command returns the command that runs a test of the binary. If test is "", the command runs all
// tests in b.Tests.
func (b *Binary) Command(test string) worker.Command {
	pattern := words.Pattern(test)
	if test == "" {
		pattern = "^(" + strings.Join(b.Tests, "|") + ")$"
	}
	return worker.Command{Binary: b.Path, Dir: b.Dir, Tests: pattern, Env: append([]string{"JOSTLE_REPLAY=", "JOSTLE_FLIGHT=", "JOSTLE_CACHE=off"}, b.Env...)}
}

// Properties runs the tests and returns the properties that they offer. The error says why the
// tests could not be started or did not end.
func (b *Binary) Properties(ctx context.Context, c worker.Command) (list []worker.Property, err error) {
	p, err := worker.Start(c)
	if err != nil {
		return nil, b.failed(err)
	}
	stop := context.AfterFunc(ctx, p.Interrupt)
	defer stop()
	defer p.Kill()
	for {
		offer, err := p.Offer()
		var death *worker.Death
		switch {
		case err == nil:
			list = append(list, offer)
			p.Answer(false)
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err == io.EOF || errors.As(err, &death) && death.Failed() && (len(list) > 0 || b.Existing()):
			return list, nil // no error if tests fail: they may fail because no search was made, or because they fail without control
		default:
			return nil, b.failed(err)
		}
	}
}

func (b *Binary) failed(err error) error {
	return fmt.Errorf("the tests of %s cannot be started: %w", b.Package, err)
}
