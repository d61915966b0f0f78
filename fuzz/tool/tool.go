// Package tool is the command jostle without its argument parser: each subcommand with its
// flags, its help and its code. It is not for users. Command jostle is a module of its own,
// so that users of the libraries do not depend on the parser; it imports only this package.
package tool

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"runtime"
	"strings"

	"github.com/jostle-go/jostle/fuzz/internal/campaign/report"
	"github.com/jostle-go/jostle/fuzz/internal/screen"
	"github.com/jostle-go/jostle/fuzz/internal/words"
)

// A Command is the command jostle, or a subcommand.
type Command struct {
	// Use is the name of the command and its arguments, in one line.
	Use string
	// Short describes the command in one line, Long completely.
	Short, Long string
	// Example has example command lines.
	Example string
	// Args returns an error if the arguments are wrong. If Args is nil, any arguments are allowed.
	Args func(args []string) error
	// Run executes the command.
	Run func(call *Call, args []string) error
	// Commands are the subcommands.
	Commands []*Command
	// OwnFlags is set if Run parses the flags itself, from its arguments.
	OwnFlags bool

	flags *flag.FlagSet
}

// Flags returns the flags of the command.
func (c *Command) Flags() *flag.FlagSet {
	if c.flags == nil {
		c.flags = flag.NewFlagSet(c.Use, flag.ContinueOnError)
	}
	return c.flags
}

// A Call is one execution of a command.
type Call struct {
	// Context ends the execution of the command when it is done.
	Context context.Context
	// In, Out and Err are the standard streams. Run wraps Out and Err so that no text can
	// send escape sequences to a terminal.
	In       io.Reader
	Out, Err io.Writer
	// Set reports whether a flag was given.
	Set func(name string) bool
	// Terminal accesses the terminals of the standard streams.
	Terminal Terminal
	// Agent answers the questions of an agent on the standard streams, by calling ask with the name
	// of a Question and its arguments as JSON. If it is nil, the command mcp fails.
	Agent func(ctx context.Context, list []Question, ask func(ctx context.Context, question string, arguments []byte) ([]byte, error)) error
}

// A Terminal has functions of the operating system for terminals. The parameter fd is a file
// descriptor.
type Terminal interface {
	// Is reports whether the file is a terminal.
	Is(fd int) bool
	// Size returns the number of columns and rows of the terminal.
	Size(fd int) (columns, rows int, err error)
	// Foreground reports whether the process is in the foreground of a terminal that is one of its
	// standard streams.
	Foreground() bool
	// Raw makes the terminal deliver each key at once, without echo, until restore is called. It
	// returns an error if the process may not do that, for example because it is in the background.
	Raw(fd int) (restore func() error, err error)
}

// The exit codes of the command.
const (
	succeeded   = 0
	failed      = 1
	misused     = 2
	interrupted = 130 // as a shell reports a command that Ctrl-C has ended
)

// errFailed is returned by commands that have printed failures.
var errFailed = errors.New("there are failures")

// errTold is returned by commands that could not run and have already printed the reason.
var errTold = errors.New("it could not run")

// errInterrupted is returned by commands that were interrupted and have printed their results
// so far.
var errInterrupted = fmt.Errorf("interrupted: %w", context.Canceled)

// Run calls the function parse, which must run a command with this call, and returns the exit code.
// If a write to standard output fails, Run cancels the call and returns the exit code of an error.
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
	call.fitTerminal(out, errs)
	err := parse()
	if broken := out.Close(); broken != nil && (err == nil || errors.Is(err, context.Canceled)) {
		err = errTold
	}
	code = exitCode(err, errs)
	errs.Close()
	return code
}

// exitCode returns the exit code for err, and prints err unless a command has printed it already.
func exitCode(err error, stderr io.Writer) int {
	switch {
	case errors.Is(err, errFailed):
		return failed
	case errors.Is(err, errTold):
		return misused
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(stderr, "jostle: interrupted")
		return interrupted
	case err != nil:
		fmt.Fprintf(stderr, "jostle: %v\n", err)
		return misused
	}
	return succeeded
}

// Root returns the command with its subcommands.
func Root() *Command {
	root := &Command{
		Use:   "jostle",
		Short: "Find the message orders that break a program",
		Long: `jostle searches for message orders that break the properties of a module: those that its
tests give to fuzz.Check, fuzz.Explore and fuzz.Target.

Exit codes: 0 if nothing was found, 1 if there are failures, 2 if it could not run or could
not print, 130 if it was interrupted. Interrupting jostle fuzz or jostle view is no error.`,
		Example: `  jostle init ./bank               # write a first property for an actor of yours
  jostle check ./...               # seconds for each property
  jostle fuzz ./... --for 8h       # all night; Ctrl-C ends it, --resume continues
  jostle replay 7f3a91 ./bank      # run a saved case and show each step
  jostle view ./...                # watch a campaign, and step through runs, in a browser`,
		Run:      nothing,
		Commands: []*Command{newInit(), newCheck(), newTest(), newOverlay(), newFuzz(), newExplore(), newReplay(), newShrink(), newExplain(), newCorpus(), newCover(), newReport(), newDemo(), newView(), newAsk(), newMCP(), newBench(), newVersion()},
	}
	root.Args = root.mustChoose("")
	return root
}

// mustChoose returns a function for Command.Args of a command that only has subcommands. Above is the
// name of the command after "jostle", with a space before it, "" for the command jostle itself.
func (c *Command) mustChoose(above string) func(args []string) error {
	return func(args []string) error {
		if len(args) == 0 {
			return fmt.Errorf("usage: jostle%s <command>; `jostle help%s` lists the commands", above, above)
		}
		names := []string{"help"} // a command of the parser
		for _, below := range c.Commands {
			name, _, _ := strings.Cut(below.Use, " ")
			names = append(names, name)
		}
		near := cmp.Or(words.DidYouMean(args[0], "", names), fmt.Sprintf(": `jostle help%s` lists the commands", above))
		return fmt.Errorf("there is no command%s %q%s", above, args[0], near)
	}
}

// UnknownFlag returns err, which says that the command has no flag with the given name, together
// with the most similar of its flags and its usage. Use is the line of its usage.
func (c *Command) UnknownFlag(err error, name, use string) error {
	var flags []string
	c.Flags().VisitAll(func(f *flag.Flag) { flags = append(flags, f.Name) })
	command, _, _ := strings.Cut(use, " [")
	return fmt.Errorf("%w%s\nusage: %s (`%s --help` lists the flags)", err, words.DidYouMean(name, "--", flags), use, command)
}

// nothing is the Run of commands that only have subcommands.
func nothing(*Call, []string) error { return nil }

// newVersion returns the command that prints the version.
func newVersion() *Command {
	return &Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  jostle version",
		Args: func(args []string) error {
			if len(args) > 0 {
				return errors.New("version has no arguments")
			}
			return nil
		},
		Run: func(call *Call, _ []string) error {
			fmt.Fprintf(call.Out, "jostle %s\n", Version())
			return nil
		},
	}
}

// Version returns the version of the command and of the Go version that compiled it.
func Version() string { return report.Version() + ", " + runtime.Version() }
