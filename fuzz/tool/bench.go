package tool

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/jostle-go/jostle/fuzz/internal/bench"
	"github.com/jostle-go/jostle/fuzz/internal/words"
	"github.com/jostle-go/jostle/fuzz/subjects"
)

// A benchCall holds the parsed arguments of the command bench.
type benchCall struct {
	options        bench.Options
	folder         string // the folder for the results; "" prints the results
	missing, plots bool   // the flags -missing and -plots
}

// newBench returns the command that measures how soon bugs are found.
func newBench() *Command {
	return &Command{
		Use:      "bench [flags]",
		Short:    "Measure how soon each strategy finds the bugs of the example programs",
		Example:  "  jostle bench -subjects writer,bank -arms random,pos -seeds 20\n  jostle bench -help    # lists the flags",
		OwnFlags: true,
		Run: func(call *Call, args []string) error {
			switch runBench(call.Context, args, call.Out, call.Err) {
			case succeeded:
				return nil
			case failed:
				return errFailed
			}
			return errTold
		},
	}
}

// runBench runs the command bench and returns the exit code.
func runBench(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	c, err := readBench(args, stdout)
	if errors.Is(err, flag.ErrHelp) {
		return succeeded
	}
	if err == nil {
		err = c.look()
	}
	if err != nil {
		fmt.Fprintf(stderr, "jostle: %v\n", err)
		return misused
	}
	c.options.Progress = percents(stderr)
	t, err := bench.Measure(ctx, c.options)
	if t == nil {
		fmt.Fprintf(stderr, "jostle: %v\n", err)
		return misused
	}
	if err != nil {
		err = fmt.Errorf("%w: the table omits subjects and arms whose searches have not all ended", err)
	}
	if len(t.Searches) > 0 {
		err = errors.Join(err, c.write(t, stdout))
	}
	if err != nil {
		fmt.Fprintf(stderr, "jostle: %v\n", err)
		return failed
	}
	return succeeded
}

// look reads the earlier results in the folder, and creates the folder if necessary. It is called
// before the measurement, so that errors are reported early.
func (c *benchCall) look() error {
	if c.folder == "" {
		return nil
	}
	old, err := bench.ReadFolder(c.folder)
	if c.missing {
		c.options.Kept = old
	}
	if err == nil {
		err = os.MkdirAll(c.folder, 0o755)
	}
	return err
}

// readBench parses the arguments. If they contain -help, it prints help and returns flag.ErrHelp.
func readBench(args []string, help io.Writer) (c benchCall, err error) {
	flags := flag.NewFlagSet("jostle bench", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.Usage = func() {}
	names := flags.String("subjects", "", "comma-separated `names` of subjects (default all)")
	arms := flags.String("arms", "", "comma-separated `names` of arms: search strategies (default all)")
	flags.IntVar(&c.options.Seeds, "seeds", 50, "the number of searches of each arm in each subject")
	flags.IntVar(&c.options.Runs, "runs", 10_000, "the limit of runs of a search")
	flags.DurationVar(&c.options.Time, "time", 0, "the `time` limit of a search (default 1m0s)")
	flags.IntVar(&c.options.Workers, "workers", 1, "the number of searches at the same time; with more than one, times mean little")
	flags.StringVar(&c.folder, "out", "", "the `folder` for "+bench.RunsFile+" and "+bench.TableFile+
		"; results of other subjects and arms stay there; without it the table is printed")
	flags.BoolVar(&c.plots, "plots", false, "also write a plot of each subject into the folder")
	flags.BoolVar(&c.missing, "missing", false, "make only the searches that are not in the folder's "+bench.RunsFile)
	if err = flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(help, "The flags of jostle bench:")
			flags.SetOutput(help)
			flags.PrintDefaults()
		}
		return c, err
	}
	switch {
	case flags.NArg() > 0:
		return c, fmt.Errorf("bench takes no argument %q", flags.Arg(0))
	case c.options.Seeds < 1 || c.options.Runs < 1 || c.options.Workers < 1 || c.options.Time < 0:
		return c, errors.New("-seeds, -runs and -workers must be at least 1, and -time must not be negative")
	case c.folder == "" && (c.missing || c.plots):
		return c, errors.New("-missing and -plots need a folder: add -out")
	}
	for _, name := range listed(*names) {
		s, ok := subjects.ByName(name)
		if !ok {
			return c, fmt.Errorf("there is no subject %q; `jostle demo` lists them", name)
		}
		c.options.Subjects = append(c.options.Subjects, s)
	}
	c.options.Arms, err = bench.ArmsByName(listed(*arms)...)
	return c, err
}

// listed splits a list that is separated by commas or spaces.
func listed(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
}

// percents returns a function that writes a line each time another tenth of the searches is done.
func percents(w io.Writer) func(over, all int) {
	return func(over, all int) {
		if 10*over/all > 10*(over-1)/all {
			fmt.Fprintf(w, "%s of %s done\n", words.Grouped(over), words.Grouped(all)+" searches")
		}
	}
}

// write writes the table into the folder, or prints it if there is no folder.
func (c *benchCall) write(t *bench.Table, stdout io.Writer) error {
	if c.folder != "" {
		return t.WriteFolder(c.folder, c.plots)
	}
	_, err := io.WriteString(stdout, t.Text())
	return err
}
