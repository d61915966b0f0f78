package tool

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jostle-go/jostle/fuzz/existing"
	"github.com/jostle-go/jostle/fuzz/internal/env"
	"github.com/jostle-go/jostle/fuzz/internal/flight"
	"github.com/jostle-go/jostle/fuzz/internal/screen"
	"github.com/jostle-go/jostle/fuzz/internal/words"
	"github.com/jostle-go/jostle/fuzz/internal/worker"
	"github.com/jostle-go/jostle/pulse/stack"
)

// newTest returns the command that runs existing tests in many orders of their goroutines.
func newTest() *Command {
	return &Command{
		Use:   "test [packages] [flags of go test]",
		Short: "Run existing tests in many orders of their goroutines",
		Long: `Test runs the tests of packages like go test, but each test many times. jostle chooses which
goroutine runs at each operation on a channel, a mutex, a wait group, an atomic or a timer, and at
each go statement. It shrinks a failing run, explains it and saves it, as for properties. Time is
virtual. Runs also differ in their random numbers and in the order of maps.

Connections over TCP on loopback addresses and over Unix domain sockets are in memory. Files are
real. A test that depends on another network, another process, a signal to itself, C code or the garbage
collector is not controlled. It runs once, as under go test, and the last lines say what it depends
on. The same holds for a test that computes for 10s without an operation. Examples, benchmarks and
fuzz targets run as under go test.

A failing run is shown only if it also fails in a new process. If it does not, an earlier test may
have changed a variable. Then the new process searches too, for a quarter of the time.

The standard library is compiled with changes for this. The first time this takes a minute.
Nothing in the Go installation is changed.

  -for d       how long to search for each test (2s)
  -network n   how many faults the connections of a run may have: short reads, delays, resets
               and partitions (0)
  -early n     how many timers of a run may fire although goroutines can run, as if these were
               slow (0). A failing run that needs it says so
  -overlay f   an overlay of your own, which must replace no file that jostle replaces`,
		Example:  "  jostle test ./...\n  jostle test -run TestPool -race -for 30s .",
		OwnFlags: true,
		Run:      runTest,
	}
}

// newOverlay returns the command that prints the name of an overlay for go build.
func newOverlay() *Command {
	flags := false
	cmd := &Command{
		Use:   "overlay",
		Short: "Write the overlay by which go test runs goroutines under control",
		Long: `Overlay writes files that replace files of the standard library in one build, and prints the
name of the file for go test -vet=off -overlay. In such a build goroutine.Run works. For functions
of sync/atomic, in contrast to its types, the compiler needs the other flags too.`,
		Example: "  jostle overlay            # for go test -vet=off -overlay\n  jostle overlay --flags    # for go test",
		Args: func(args []string) error {
			if len(args) > 0 {
				return errors.New("overlay has no arguments")
			}
			return nil
		},
		Run: func(call *Call, _ []string) error {
			c, err := newCompiler(call.Context, "")
			if err != nil {
				return err
			}
			if c.env != nil {
				return fmt.Errorf(`go build replaces no files in the module cache, where this Go version is. First call export GOROOT=%[1]s GOTOOLCHAIN=local PATH=%[1]s/bin:"$PATH"`, c.goroot)
			}
			if flags {
				fmt.Fprintln(call.Out, "-vet=off", strings.Join(c.flags, " "))
			} else {
				fmt.Fprintln(call.Out, c.overlay)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&flags, "flags", false, "print all flags of go test")
	return cmd
}

// A testCall is one call of jostle test.
type testCall struct {
	args     []string // the arguments of go test
	settings []string // what flags of jostle test add to the environment
	overlay  string   // the overlay file that the user gave to go test, or ""
	kept     []string // the flags that a test needs when it runs again
}

// keptFlags are the flags of go test without which a test may not fail again. The value is set if the flag takes
// a value.
var keptFlags = map[string]bool{"asan": false, "asmflags": true, "gccgoflags": true, "gcflags": true, "ldflags": true, "mod": true,
	"modfile": true, "msan": false, "race": false, "short": false, "tags": true}

func runTest(call *Call, args []string) error {
	c, err := readTest(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(call.Out, newTest().Long)
		return nil
	}
	if err != nil {
		return err
	}
	with, err := newCompiler(call.Context, c.overlay)
	if err != nil {
		return err
	}
	reports, err := os.MkdirTemp("", "jostle-test-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(reports)
	cmd := exec.CommandContext(call.Context, with.command, slices.Concat([]string{"test", "-vet=off"}, with.flags, c.args)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = call.In, screen.Whole(call.Out), screen.Whole(call.Err)
	cmd.Env = slices.Concat(os.Environ(), with.env, c.environment(reports))
	defer func() {
		printRaces(call.Out, reports)
		printUncontrolled(call.Err, existing.ReadUncontrolled(filepath.Join(reports, uncontrolledFile)))
	}()
	foreground := call.Terminal.Foreground()
	defer worker.Together(cmd, foreground)()
	if err = cmd.Run(); err != nil && foreground {
		select {
		case <-call.Context.Done():
		case <-time.After(interrupting):
		}
	}
	if err != nil && call.Context.Err() != nil {
		return call.Context.Err()
	}
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		if exit.ExitCode() == failed {
			return errFailed
		}
		return errTold
	}
	return err
}

// uncontrolledFile is the name of the file that lists tests that are not controlled.
const uncontrolledFile = "uncontrolled"

// environment returns the environment variables of test binaries, which write what jostle test prints at the end to
// the folder reports.
func (c *testCall) environment(reports string) []string {
	list := append(slices.Clone(c.settings), existing.Variable+"=1", env.Flags+"="+words.Arguments(c.kept))
	if here, err := os.Getwd(); err == nil {
		list = append(list, env.Folder+"="+here)
	}
	if c.race() {
		list = append(list, env.Race(reports))
	}
	return append(list, existing.UncontrolledVariable+"="+filepath.Join(reports, uncontrolledFile))
}

// mostUncontrolled is the number of tests that are not controlled which jostle test names at the end.
const mostUncontrolled = 10

// printUncontrolled says which tests are not controlled.
func printUncontrolled(out io.Writer, list []existing.Uncontrolled) {
	for i, u := range list {
		if i == mostUncontrolled {
			fmt.Fprintf(out, "jostle: not controlled: %d more tests; -v says which\n", len(list)-i)
			return
		}
		fmt.Fprintf(out, "jostle: not controlled: %s in %s, because %s\n", u.Test, u.Package, u.Because)
	}
}

// interrupting is how long jostle test waits for an interrupt after its tests have failed. Ctrl-C
// reaches all processes, and it may end the tests before this process has noticed it.
const interrupting = 100 * time.Millisecond

// race reports whether the tests are built with the race detector.
func (c *testCall) race() bool {
	return slices.ContainsFunc(c.args, func(a string) bool {
		return strings.TrimLeft(a, "-") == "race" || strings.TrimLeft(a, "-") == "race=true"
	})
}

// printRaces prints the reports in a folder. It prints reports of the same race once, because
// many runs may have written them.
func printRaces(out io.Writer, folder string) {
	files, _ := filepath.Glob(filepath.Join(folder, env.RaceFiles))
	const line = "==================\n"
	printed := map[string]bool{}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			continue
		}
		text, _ := io.ReadAll(io.LimitReader(f, mostRaceBytes))
		f.Close()
		for report := range strings.SplitSeq(string(text), line) {
			at := stack.Accesses(report) // two lines of code tell most races apart
			if key := fmt.Sprint(at); len(at) > 0 && !printed[key] {
				printed[key] = true
				fmt.Fprint(out, line+report+line)
			}
		}
	}
}

// mostRaceBytes limits how much of the reports of one test binary is read.
const mostRaceBytes = 64 << 20

// readTest separates the flags of jostle test from those of go test. If a flag asks for help, the
// error is flag.ErrHelp.
func readTest(args []string) (c testCall, err error) {
	for i := 0; i < len(args); i++ {
		flagged, value, joined := strings.Cut(args[i], "=")
		name := strings.TrimPrefix(strings.TrimPrefix(flagged, "-"), "-")
		switch args[i] {
		case "-args", "--args":
			c.args = append(c.args, args[i:]...)
			return c, nil
		case "-h", "-help", "--help":
			return c, flag.ErrHelp
		}
		if name == flagged || !slices.Contains([]string{"for", "network", "early", "overlay", "exec"}, name) {
			c.args = append(c.args, args[i])
			c.keep(args[i:])
			continue
		}
		if !joined {
			if i++; i == len(args) {
				return c, fmt.Errorf("%s needs a value", args[i-1])
			}
			value = args[i]
		}
		switch name {
		case "for":
			if d, err := time.ParseDuration(value); err != nil || d <= 0 {
				return c, fmt.Errorf("-for %s: give a time such as 30s", value)
			}
			c.settings = append(c.settings, "JOSTLE_BUDGET="+value)
		case "network", "early":
			if _, err := strconv.ParseUint(value, 10, 16); err != nil {
				return c, fmt.Errorf("-%s %s: give a number such as 3", name, value)
			}
			c.settings = append(c.settings, "JOSTLE_"+strings.ToUpper(name)+"="+value)
		case "exec":
			c.settings = append(c.settings, flight.ExecVariable+"="+value)
			c.args, c.kept = append(c.args, "-exec="+value), append(c.kept, "-exec="+value)
		case "overlay":
			if c.overlay != "" {
				return c, errors.New("-overlay is given twice")
			}
			c.overlay = value
			c.kept = append(c.kept, "-overlay="+value)
		}
	}
	return c, nil
}

// keep adds the first argument to kept, with its value, if it is one of keptFlags.
func (c *testCall) keep(args []string) {
	name, _, joined := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(args[0], "-"), "-"), "=")
	valued, is := keptFlags[name]
	if !is || args[0][0] != '-' {
		return
	}
	c.kept = append(c.kept, args[0])
	if valued && !joined && len(args) > 1 {
		c.kept = append(c.kept, args[1])
	}
}
