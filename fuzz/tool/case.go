package tool

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/fuzz/internal/desk"
	"github.com/jostle-go/jostle/fuzz/internal/env"
	"github.com/jostle-go/jostle/fuzz/internal/screen"
	"github.com/jostle-go/jostle/fuzz/internal/session"
)

// A caseCommand is a command for one saved case.
type caseCommand struct {
	chooser
	limit  time.Duration
	folder string // the folder of the package of the case, set by open
}

// oneCase returns an error unless args are a case and, optionally, the package of the case.
func oneCase(args []string) error {
	if len(args) == 0 || len(args) > 2 {
		return errors.New("give a case (the path of its file or the start of its name), then the package of the case if it is not in this module")
	}
	return nil
}

// newReplay returns the command that runs a case.
func newReplay() *Command {
	c := &caseCommand{}
	trace, steps := false, false
	cmd := &Command{
		Use:   "replay case [package]",
		Short: "Replay a saved case",
		Long: `Replay runs a saved case. It exits with 1 if the case still fails, and with 0 if it passes.

With --step it walks through the run. It shows each step, its receiver's state before and
after, and what else was deliverable. On a terminal, keys go to the next step, back, or to
the failing step; otherwise each line of the input is a command. h lists the commands.`,
		Example: `  jostle replay ce2db3
  jostle replay bank/testdata/jostle/neverOverdrawn/ce2db3.case --trace
  jostle replay ce2db3 --step
  echo f | jostle replay ce2db3 --step    # only the failing step`,
		Args: oneCase,
		Run: func(call *Call, args []string) error {
			if trace && steps {
				return errors.New("--trace and --step cannot be combined: give one of them")
			}
			if steps {
				return c.step(call, args)
			}
			r, err := c.do(call, args, session.Request{Do: session.Replay, Columns: screen.ColumnsOf(call.Out)})
			if err != nil {
				return err
			}
			if trace {
				fmt.Fprint(call.Out, r.Trace)
			}
			return told(call.Out, r, c.folder)
		},
	}
	c.flags(cmd)
	cmd.Flags().BoolVar(&trace, "trace", false, "print each step")
	cmd.Flags().BoolVar(&steps, "step", false, "show the run step by step")
	return cmd
}

// newShrink returns the command that shrinks a case.
func newShrink() *Command {
	c := &caseCommand{}
	cmd := &Command{
		Use:   "shrink case [package]",
		Short: "Shrink a saved case",
		Long: `Shrink replaces a saved case that fails by a smaller one that fails the same way. It exits
with 1 if the case fails, and with 0 if it passes.`,
		Example: "  jostle shrink ce2db3 ./bank --for 5m",
		Args:    oneCase,
		Run: func(call *Call, args []string) error {
			return c.shrink(call, args, session.Request{Do: session.Shrink, Fresh: true, Keep: true})
		},
	}
	c.flags(cmd)
	cmd.Flags().DurationVar(&c.limit, "for", time.Minute, "the time limit")
	return cmd
}

// newExplain returns the command that explains why a case fails.
func newExplain() *Command {
	c := &caseCommand{}
	cmd := &Command{
		Use:   "explain case [package]",
		Short: "Explain in which orders a saved case fails",
		Long: `Explain prints in which message orders a saved case fails, which of its draws matter, and
which lines to check. It changes no file. It exits with 1 if the case fails, and with 0 if
it passes.`,
		Example: "  jostle explain ce2db3 ./bank",
		Args:    oneCase,
		Run: func(call *Call, args []string) error {
			return c.shrink(call, args, session.Request{Do: session.Shrink})
		},
	}
	c.flags(cmd)
	cmd.Flags().DurationVar(&c.limit, "for", time.Minute, "the time limit")
	return cmd
}

// shrink replays the case that args name. If the case fails, it sends the request q for the case to
// a worker. It prints the last reply.
func (c *caseCommand) shrink(call *Call, args []string, q session.Request) error {
	if c.limit <= 0 {
		return fmt.Errorf("--for is %v: set it to a time such as 1m", c.limit)
	}
	o, err := c.open(call, args)
	defer o.done()
	if err != nil {
		return err
	}
	q.Time, q.Where = c.limit, "the case "+filepath.Base(o.run.File)
	r, err := o.desk.DoRun(call.Context, &o.run, session.Request{Do: session.Replay})
	if err == nil && len(r.Findings) > 0 {
		r, err = o.desk.DoRun(call.Context, &o.run, q)
	}
	if err != nil {
		return err
	}
	return told(call.Out, r, c.folder)
}

// An opened is a saved case, with the properties of its package.
type opened struct {
	desk *desk.Desk
	run  desk.Run
	done func() // ends the processes and removes the test binaries
}

// open finds the case that args name, and compiles the tests of its package.
func (c *caseCommand) open(call *Call, args []string) (o opened, err error) {
	o.done = func() {}
	file, dir, err := caseFile(args)
	if err != nil {
		return o, err
	}
	err = c.openIn(call, &o, file, dir)
	if errors.Is(err, errNoProperty) || errors.Is(err, desk.ErrNoOwner) { // the case may belong to an existing test, which is no property
		o.done()
		c.tests = true
		if second := c.openIn(call, &o, file, dir); !errors.Is(second, errNoProperty) {
			err = second
		}
	}
	return o, err
}

// openIn finds a case among the properties of a package, whose tests it compiles.
func (c *caseCommand) openIn(call *Call, o *opened, file, dir string) (err error) {
	if o.desk, o.done, err = c.compiled(call, []string{dir}, 1); err != nil {
		return err
	}
	if o.run, err = o.desk.Open(call.Context, file); err != nil {
		return err
	}
	c.folder = o.desk.Dir(&o.run)
	return nil
}

// do sends the request q for the case that args name, and returns the reply.
func (c *caseCommand) do(call *Call, args []string, q session.Request) (*session.Reply, error) {
	o, err := c.open(call, args)
	defer o.done()
	if err != nil {
		return nil, err
	}
	return o.desk.DoRun(call.Context, &o.run, q)
}

// caseFile returns the case that args name, and the folder of its package. The case is named by a
// path or by the start of a name. If it is a path, caseFile checks the file, so that errors are
// reported before anything is compiled.
func caseFile(args []string) (file, dir string, err error) {
	file, dir = args[0], "."
	var missing error // if the case is not in the module, it may be in the folder JOSTLE_OUT
	if len(args) == 1 {
		var path string
		if path, missing = caseInModule(file); missing == nil {
			file = path
		} else if errors.Is(missing, desk.ErrAmbiguous) {
			return "", "", missing
		}
	}
	if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() {
		if file, err = filepath.Abs(file); err != nil {
			return "", "", err
		}
		if _, err = (corpus.Folder{Dir: filepath.Dir(file)}).Find(file); err != nil {
			return "", "", err
		}
		if above, _, ok := strings.Cut(file, string(filepath.Separator)+"testdata"+string(filepath.Separator)); ok {
			dir = above
		}
	}
	if len(args) == 2 {
		return file, args[1], nil
	}
	if there, _ := fs.Glob(os.DirFS(dir), "*.go"); len(there) == 0 {
		if missing != nil {
			return "", "", missing
		}
		return "", "", fmt.Errorf("there are no Go files in %s: give the package of the case after the case", dir)
	}
	return file, dir, nil
}

// caseInModule returns the path of the case that name names: the path of a file, or the start of the
// name of a case that is saved in the module of the current folder.
func caseInModule(name string) (path string, err error) {
	info, err := os.Stat(name)
	switch isPath := strings.ContainsRune(name, filepath.Separator); {
	case err == nil && !info.IsDir():
		return name, nil
	case err == nil && isPath:
		return "", fmt.Errorf("%s is a folder: give the path of a case file or the start of its name", name)
	case isPath:
		return "", err
	}
	here, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for _, root := range []string{here, enclosing(here, "go.mod")} { // first search below the current folder, then in the whole module
		all, e := caseFiles(root)
		if e != nil {
			return "", e
		}
		if path, err = desk.Named(all, name); err == nil || errors.Is(err, desk.ErrAmbiguous) {
			break
		}
	}
	return path, err
}

// told prints a reply about a case of the package in folder, and returns errFailed if it has findings or problems.
func told(w io.Writer, r *session.Reply, folder string) error {
	for _, text := range r.Notes {
		fmt.Fprintln(w, text)
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		writeLinked(w, f.Text(screen.ColumnsOf(w)), linksOf(f, folder))
		if f.Path != "" && !f.Known {
			fmt.Fprintf(w, "        %s\n", f.InWords(env.When(), env.Shown))
		}
		if f.Problem != "" {
			fmt.Fprintf(w, "        %s\n", f.Problem)
		}
	}
	for _, text := range slices.Concat(r.Problems, r.Doubts) {
		fmt.Fprintln(w, text)
	}
	if len(r.Findings)+len(r.Problems) > 0 {
		return errFailed
	}
	return nil
}
