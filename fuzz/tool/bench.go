package tool

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/jostle-go/jostle/fuzz/internal/bench"
	"github.com/jostle-go/jostle/fuzz/internal/words"
)

// A benchCall holds the parsed arguments of the command bench.
type benchCall struct {
	options        bench.Options
	subjects, arms string // the flags --subjects and --arms
	folder         string // the folder for the results; "" prints the results
	missing, plots bool   // the flags --missing and --plots
}

// newBench returns the command that measures how soon bugs are found.
func newBench() *Command {
	c := &benchCall{}
	var legend strings.Builder
	for _, a := range bench.Arms() {
		fmt.Fprintf(&legend, "  %-10s %s\n", a.Name, a.Meaning)
	}
	cmd := &Command{
		Use:   "bench",
		Short: "Measure how soon each strategy finds the bugs of the example programs",
		Long: `Bench searches the example programs with each arm, and prints how many runs the searches
took to find the bug. An arm is a way to choose the next message:

` + strings.TrimRight(legend.String(), "\n"),
		Example: "  jostle bench --subjects writer,bank --arms random,pos --seeds 20\n  jostle bench --missing --out results    # only what the folder lacks",
		Args: func(args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("bench takes no argument %q", args[0])
			}
			return nil
		},
		Run: c.run,
	}
	f := cmd.Flags()
	f.StringVar(&c.subjects, "subjects", "", "comma-separated `names` of subjects (default all)")
	f.StringVar(&c.arms, "arms", "", "comma-separated `names` of arms: search strategies (default all)")
	f.IntVar(&c.options.Seeds, "seeds", 50, "the number of searches of each arm in each subject")
	f.IntVar(&c.options.Runs, "runs", 10_000, "the limit of runs of a search")
	f.DurationVar(&c.options.Time, "time", 0, "the `time` limit of a search (default 1m0s)")
	f.IntVar(&c.options.Workers, "workers", 1, "the number of searches at the same time; with more than one, times mean little")
	f.StringVar(&c.folder, "out", "", "the `folder` for "+bench.RunsFile+" and "+bench.TableFile+
		"; results of other subjects and arms stay there; without it the table is printed")
	f.BoolVar(&c.plots, "plots", false, "also write a plot of each subject into the folder")
	f.BoolVar(&c.missing, "missing", false, "make only the searches that are not in the folder's "+bench.RunsFile)
	return cmd
}

// run measures, and prints the table or writes it into the folder.
func (c *benchCall) run(call *Call, _ []string) error {
	if err := c.check(); err != nil {
		return err
	}
	if err := c.look(); err != nil {
		return err
	}
	c.options.Progress = percents(call.Err)
	t, err := bench.Measure(call.Context, c.options)
	if t == nil {
		return err
	}
	if err != nil {
		fmt.Fprintln(call.Err, "note: the table omits subjects and arms whose searches have not all ended")
	}
	if len(t.Searches) > 0 {
		err = errors.Join(err, c.write(t, call.Out))
	}
	return err
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

// check returns an error if the flags are wrong. It sets the options for the flags --subjects and
// --arms.
func (c *benchCall) check() (err error) {
	switch {
	case c.options.Seeds < 1 || c.options.Runs < 1 || c.options.Workers < 1 || c.options.Time < 0:
		return errors.New("--seeds, --runs and --workers must be at least 1, and --time must not be negative")
	case c.folder == "" && (c.missing || c.plots):
		return errors.New("--missing and --plots need a folder: add --out")
	}
	for _, name := range listed(c.subjects) {
		s, err := subjectNamed(name)
		if err != nil {
			return err
		}
		c.options.Subjects = append(c.options.Subjects, s)
	}
	c.options.Arms, err = bench.ArmsByName(listed(c.arms)...)
	return err
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
