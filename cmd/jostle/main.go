// Command jostle searches for message orders that break the properties of a module's
// tests.
package main

import (
	"context"
	"errors"
	"flag"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/jostle-go/jostle/fuzz/tool"
)

func main() {
	surviveBrokenPipe()
	ctx, stop := signal.NotifyContext(context.Background(), append(hangup(), os.Interrupt, syscall.SIGTERM)...)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run runs the command with its arguments and output, and returns its exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	call := &tool.Call{Context: ctx, In: os.Stdin, Out: stdout, Err: stderr, Terminal: terminal{}, Agent: serveAgent}
	return call.Run(func() error {
		root := parser(tool.Root(), call)
		root.Version = tool.Version()
		root.SetVersionTemplate("jostle {{.Version}}\n")
		root.SilenceErrors, root.SilenceUsage = true, true
		root.SetArgs(args)
		checkHelp(root)
		root.SetOut(call.Out)
		root.SetErr(call.Err)
		return root.ExecuteContext(call.Context)
	})
}

// checkHelp makes the command help refuse the names of commands that do not exist.
func checkHelp(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	help, _, _ := root.Find([]string{"help"})
	help.Args = func(_ *cobra.Command, names []string) error {
		c, unknown, err := root.Find(names)
		if err == nil && len(unknown) > 0 && c.HasSubCommands() {
			err = c.ValidateArgs(unknown)
		}
		return err
	}
}

// parser returns a cobra.Command that parses the arguments of c and of its subcommands, and runs
// the chosen command.
func parser(c *tool.Command, call *tool.Call) *cobra.Command {
	p := &cobra.Command{Use: c.Use, Short: c.Short, Long: c.Long, Example: c.Example, DisableFlagParsing: c.OwnFlags}
	c.Flags().VisitAll(func(f *flag.Flag) {
		p.Flags().AddGoFlag(f)
		if f.DefValue == "0s" { // hide a zero default, as cobra does for its own durations
			p.Flags().Lookup(f.Name).DefValue = ""
		}
	})
	p.SetFlagErrorFunc(func(p *cobra.Command, err error) error {
		var unknown interface {
			error
			GetSpecifiedName() string
		}
		if errors.As(err, &unknown) && p.Flags().Lookup(unknown.GetSpecifiedName()) == nil {
			return c.UnknownFlag(err, unknown.GetSpecifiedName(), p.UseLine())
		}
		return err
	})
	if c.Args != nil {
		p.Args = func(_ *cobra.Command, args []string) error { return c.Args(args) }
	}
	p.RunE = func(_ *cobra.Command, args []string) error {
		call.Set = p.Flags().Changed
		return c.Run(call, args)
	}
	for _, below := range c.Commands {
		p.AddCommand(parser(below, call))
	}
	return p
}
