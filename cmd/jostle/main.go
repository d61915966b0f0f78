// Command jostle searches for orders of messages that break the properties of a
// module's tests.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/jostle-go/jostle/cmd/jostle/internal/screen"
)

func main() {
	surviveBrokenPipe()
	ctx, stop := signal.NotifyContext(context.Background(), append(hangup(), os.Interrupt, syscall.SIGTERM)...)
	context.AfterFunc(ctx, stop) // a second signal ends it at once
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// What run returns.
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

// run is the command: its arguments, where it writes, its exit code. When standard output
// cannot be written it ends as on an interrupt, and does not succeed.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	errs := screen.NewOutput(stderr, nil)
	out := screen.NewOutput(stdout, func(err error) {
		fmt.Fprintf(errs, "jostle: the output cannot be written: %v\n", err)
		cancel()
	})
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(out)
	root.SetErr(errs)
	err := root.ExecuteContext(ctx)
	if broken := out.Close(); broken != nil && (err == nil || errors.Is(err, context.Canceled)) {
		err = errTold
	}
	code := exitCode(err, errs)
	errs.Close()
	return code
}

// exitCode prints an error that no command has printed, and returns what run returns.
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

// newRoot returns the command with all that is below it.
func newRoot() *cobra.Command {
	root := &cobra.Command{
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
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("what is to be done? `jostle help` lists what there is")
			}
			return fmt.Errorf("there is no command %q: `jostle help` lists what there is", args[0])
		},
		RunE: func(*cobra.Command, []string) error { return nil },
	}
	root.AddCommand(newInit(), newCheck(), newFuzz(), newExplore(), newReplay(), newShrink(), newExplain(), newCorpus(), newCover(), newReport(), newDemo(), newBench(), newVersion())
	return root
}

// newVersion returns the command that says which version this is.
func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Say which version this is",
		Example: "  jostle version",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			version, goVersion := "unknown", "unknown"
			if info, ok := debug.ReadBuildInfo(); ok {
				version, goVersion = info.Main.Version, info.GoVersion
			}
			fmt.Fprintf(cmd.OutOrStdout(), "jostle %s, %s\n", version, goVersion)
			return nil
		},
	}
}
