// Package tool is the command jostle without the parser of its arguments: each subcommand
// with its flags, its help and what it does. Command jostle is a module of its own, so that
// the parser does not reach those who use the libraries; all that it needs of them is here.
package tool

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"runtime/debug"

	"github.com/jostle-go/jostle/fuzz/internal/screen"
)

// A Command is the command jostle, or a subcommand.
type Command struct {
	// Use is one line: its name, and what its arguments are.
	Use string
	// Short is one line that says what it does, Long says more.
	Short, Long string
	// Example are lines that call it.
	Example string
	// Args returns what is wrong with arguments, nil if nothing is. Without it any will do.
	Args func(args []string) error
	// Run does it.
	Run func(call *Call, args []string) error
	// Commands are its subcommands.
	Commands []*Command
	// OwnFlags: Run is given the flags among the arguments, and reads them itself.
	OwnFlags bool

	flags *flag.FlagSet
}

// Flags returns the flags of a command, whose values Run reads.
func (c *Command) Flags() *flag.FlagSet {
	if c.flags == nil {
		c.flags = flag.NewFlagSet(c.Use, flag.ContinueOnError)
	}
	return c.flags
}

// A Call is one use of a command.
type Call struct {
	// Context ends it.
	Context context.Context
	// In, Out and Err are the standard streams. Run puts what cannot harm a terminal in the
	// place of Out and Err.
	In       io.Reader
	Out, Err io.Writer
	// Set tells whether a flag was given.
	Set func(name string) bool
	// Terminal tells of terminals.
	Terminal Terminal
}

// A Terminal asks the operating system about terminals by their file descriptors.
type Terminal interface {
	// Is tells whether it is a terminal.
	Is(fd int) bool
	// Size returns how many columns and rows it has.
	Size(fd int) (columns, rows int, err error)
	// Raw has it give each key at once, and show none, until restore is called.
	Raw(fd int) (restore func() error, err error)
}

// The exit codes of the command.
const (
	succeeded = 0
	failed    = 1
	misused   = 2
)

// errFailed is returned by commands that have told of failures.
var errFailed = errors.New("there are failures")

// errTold is returned by commands that could not run and have said why.
var errTold = errors.New("it could not run")

// errInterrupted is returned by commands that were ended before they were done, and have
// printed what they found until then.
var errInterrupted = fmt.Errorf("interrupted: %w", context.Canceled)

// Run has parse run a command with this call, and returns the exit code. When standard
// output cannot be written the call ends as on an interrupt, and does not succeed.
func (call *Call) Run(parse func() error) (code int) {
	ctx, cancel := context.WithCancel(call.Context)
	defer cancel()
	call.Context = ctx
	errs := screen.NewOutput(call.Err, nil)
	out := screen.NewOutput(call.Out, func(err error) {
		fmt.Fprintf(errs, "jostle: the output cannot be written: %v\n", err)
		cancel()
	})
	call.Out, call.Err = out, errs
	err := parse()
	if broken := out.Close(); broken != nil && (err == nil || errors.Is(err, context.Canceled)) {
		err = errTold
	}
	code = exitCode(err, errs)
	errs.Close()
	return code
}

// exitCode prints an error that no command has printed, and returns the exit code.
func exitCode(err error, stderr io.Writer) int {
	switch {
	case errors.Is(err, errFailed):
		return failed
	case errors.Is(err, errTold):
		return misused
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(stderr, "jostle: interrupted")
		return misused
	case err != nil:
		fmt.Fprintf(stderr, "jostle: %v\n", err)
		return misused
	}
	return succeeded
}

// Root returns the command with all that is below it.
func Root() *Command {
	return &Command{
		Use:   "jostle",
		Short: "Find the orders of messages that break a program",
		Long: `jostle searches for orders of messages that break the properties of a module's tests:
those that its tests give to fuzz.Check, fuzz.Explore and fuzz.Target.

It exits with 0 when nothing was found, 1 when there are failures, and 2 when it could
not run, was interrupted, or could not print. A campaign of fuzz may be interrupted.`,
		Example: `  jostle init ./bank               # write a first property beside an actor of yours
  jostle check ./...               # seconds for each property
  jostle fuzz ./... --for 8h       # all night; Ctrl-C ends it, --resume goes on
  jostle replay 7f3a91 ./bank      # run a saved case and show each step`,
		Args: func(args []string) error {
			if len(args) == 0 {
				return errors.New("what is to be done? `jostle help` lists what there is")
			}
			return fmt.Errorf("there is no command %q: `jostle help` lists what there is", args[0])
		},
		Run:      nothing,
		Commands: []*Command{newInit(), newCheck(), newFuzz(), newExplore(), newReplay(), newShrink(), newExplain(), newCorpus(), newCover(), newReport(), newDemo(), newBench(), newVersion()},
	}
}

// nothing is what a command does that is there for those below it.
func nothing(*Call, []string) error { return nil }

// newVersion returns the command that says which version this is.
func newVersion() *Command {
	return &Command{
		Use:     "version",
		Short:   "Say which version this is",
		Example: "  jostle version",
		Args: func(args []string) error {
			if len(args) > 0 {
				return errors.New("version has no arguments")
			}
			return nil
		},
		Run: func(call *Call, _ []string) error {
			version, goVersion := "unknown", "unknown"
			if info, ok := debug.ReadBuildInfo(); ok {
				version, goVersion = info.Main.Version, info.GoVersion
			}
			fmt.Fprintf(call.Out, "jostle %s, %s\n", version, goVersion)
			return nil
		},
	}
}
