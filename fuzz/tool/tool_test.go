package tool

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
)

// run runs the command with valid arguments, as its parser does.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	call := &Call{Context: ctx, In: os.Stdin, Out: stdout, Err: stderr, Terminal: noTerminal{}}
	return call.Run(func() error {
		c := Root()
	down:
		for len(args) > 0 {
			for _, below := range c.Commands {
				if name, _, _ := strings.Cut(below.Use, " "); name == args[0] {
					c, args = below, args[1:]
					continue down
				}
			}
			break
		}
		rest, set := args, map[string]bool{}
		if !c.OwnFlags {
			rest = nil
			for len(args) > 0 {
				if !strings.HasPrefix(args[0], "-") {
					rest, args = append(rest, args[0]), args[1:]
					continue
				}
				before := args[0]
				if err := c.Flags().Parse(args); err != nil {
					return err
				}
				set[strings.TrimLeft(before, "-")] = true
				args = c.Flags().Args()
			}
		}
		call.Set = func(name string) bool { return set[name] }
		if c.Args != nil {
			if err := c.Args(rest); err != nil {
				return err
			}
		}
		return c.Run(call, rest)
	})
}

// noTerminal is a system on which no file is a terminal.
type noTerminal struct{}

func (noTerminal) Is(int) bool                   { return false }
func (noTerminal) Size(int) (int, int, error)    { return 0, 0, nil }
func (noTerminal) Foreground() bool              { return false }
func (noTerminal) Raw(int) (func() error, error) { return nil, fmt.Errorf("it is no terminal") }

// TestCommandsAreWhole: each command has a usage line, a description, an example and a
// function to run.
func TestCommandsAreWhole(t *testing.T) {
	var check func(c *Command)
	check = func(c *Command) {
		if c.Use == "" || c.Short == "" || c.Example == "" || c.Run == nil {
			t.Errorf("%q lacks something: %+v", c.Use, c)
		}
		for _, below := range c.Commands {
			check(below)
		}
	}
	check(Root())
}
