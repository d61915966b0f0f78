// Command jostle shows what jostle does: it finds the bugs of example programs, and
// measures how soon.
package main

import (
	"fmt"
	"io"
	"os"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// What run returns.
const (
	succeeded = 0
	failed    = 1
	misused   = 2
)

const usage = `jostle finds the bugs of actor programs that depend on the order of messages.

    jostle demo                       list the example programs
    jostle demo <subject> [folder]    find the bug of one, make it small, explain it, play it again;
                                      with a folder, keep it there, with pages of HTML and JSON and a diagram
    jostle bench [flags]              measure how soon each strategy finds their bugs; -help lists the flags
    jostle help                       this text

The exit code is 0 when all went as it should, 1 when not, 2 for wrong usage.
`

// run is the command: its arguments, where it writes, its exit code.
func run(args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		fmt.Fprint(stderr, usage)
		return misused
	}
	switch rest := args[1:]; args[0] {
	case "demo":
		return runDemo(rest, stdout, stderr)
	case "bench":
		return runBench(rest, stdout, stderr)
	case "help", "-h", "-help", "--help":
		fmt.Fprint(stdout, usage)
		return succeeded
	}
	fmt.Fprintf(stderr, "jostle: there is no command %q\n\n%s", args[0], usage)
	return misused
}
