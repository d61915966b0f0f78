package tool

import (
	"cmp"
	"context"
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
	"github.com/jostle-go/jostle/fuzz/internal/campaign"
	"github.com/jostle-go/jostle/fuzz/internal/env"
	"github.com/jostle-go/jostle/fuzz/internal/record"
	"github.com/jostle-go/jostle/fuzz/internal/session"
	"github.com/jostle-go/jostle/fuzz/internal/worker"
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
			r, err := c.do(call, args, session.Request{Do: session.Replay})
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
	q.Time, q.Where = c.limit, "the case "+filepath.Base(o.request.File)
	r, err := o.ask(call.Context, session.Request{Do: session.Replay})
	if err == nil && len(r.Findings) > 0 {
		r, err = o.ask(call.Context, q)
	}
	if err != nil {
		return err
	}
	return told(call.Out, r, c.folder)
}

// An opened is a saved case, with the properties to which the case may belong.
type opened struct {
	owners  []campaign.Subject
	bounds  worker.Command
	request session.Request // File and Case are set
	done    func()          // removes the test binaries
}

// open finds the case that args name, and compiles the tests of its package.
func (c *caseCommand) open(call *Call, args []string) (o opened, err error) {
	o.done = func() {}
	file, dir, err := caseFile(args)
	if err != nil {
		return o, err
	}
	var subjects []campaign.Subject
	if subjects, o.done, err = c.find(call, []string{dir}); err != nil {
		return o, err
	}
	owners, saved, err := ownersOf(subjects, file)
	if err != nil {
		return o, err
	}
	text, err := os.ReadFile(saved.Path)
	if err != nil {
		return o, err
	}
	c.folder = owners[0].Binary.Dir
	o.owners, o.request = owners, session.Request{File: saved.Path, Case: string(text)}
	o.bounds, err = c.bounds()
	return o, err
}

// do sends the request q for the case that args name, and returns the reply.
func (c *caseCommand) do(call *Call, args []string, q session.Request) (*session.Reply, error) {
	o, err := c.open(call, args)
	defer o.done()
	if err != nil {
		return nil, err
	}
	return o.ask(call.Context, q)
}

// ask sends the request q for the case to workers, and returns the reply that the function asked
// selects.
func (o *opened) ask(ctx context.Context, q session.Request) (*session.Reply, error) {
	q.File, q.Case = o.request.File, o.request.Case
	return askAll(ctx, o.owners, o.bounds, q)
}

// askAll returns the reply that the function asked selects, and stops the process that sent it.
func askAll(ctx context.Context, owners []campaign.Subject, bounds worker.Command, q session.Request) (*session.Reply, error) {
	r, p, err := asked(ctx, owners, bounds, q)
	if p != nil {
		p.Stop()
	}
	return r, err
}

// asked sends the request q to each owner until one replies with a failure, and returns this reply.
// The owners are the properties to which the case may belong. If no owner replies with a failure,
// asked returns the error of an owner, if there is one. Otherwise it returns the reply of an owner
// that could run the case as it was saved, else the first reply. The process that sent the returned
// reply keeps running, unless the request has ended it.
func asked(ctx context.Context, owners []campaign.Subject, bounds worker.Command, q session.Request) (reply *session.Reply, of *worker.Process, err error) {
	for _, s := range owners {
		r, p, e := ask(ctx, s, bounds, q)
		fails := e == nil && (len(r.Findings) > 0 || q.Do == session.Export)
		if e != nil && err == nil {
			err = e
		}
		if fails || e == nil && (reply == nil || r.Exact && !reply.Exact) {
			reply, of, p = r, p, of
		}
		if p != nil {
			p.Stop()
		}
		if fails {
			return reply, of, nil
		}
	}
	if err != nil && of != nil {
		of.Stop()
	}
	if err != nil {
		return nil, nil, err
	}
	return reply, of, nil
}

// ask sends the request q to a new process of the property s. If the process dies, ask returns a
// reply with this failure and no process.
func ask(ctx context.Context, s campaign.Subject, bounds worker.Command, q session.Request) (*session.Reply, *worker.Process, error) {
	p, err := campaign.Start(ctx, s, bounds)
	if err != nil {
		return nil, nil, err
	}
	r, err := p.Do(ctx, q)
	var death *worker.Death
	if errors.As(err, &death) && !death.Outside() {
		return &session.Reply{Exact: true, Findings: []record.Record{*death.Record()}}, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	return r, p, nil
}

// caseFile returns the case that args name, and the folder of its package. The case is named by a
// path or by the start of a name. If it is a path, caseFile checks the file, so that errors are
// reported before anything is compiled.
func caseFile(args []string) (file, dir string, err error) {
	file, dir = args[0], "."
	if len(args) == 1 {
		if path, err := caseInModule(file); err == nil {
			file = path
		} else if errors.Is(err, errAmbiguous) {
			return "", "", err
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
		return "", "", fmt.Errorf("there are no Go files in %s: give the package of the case after the case", dir)
	}
	return file, dir, nil
}

// caseInModule returns the path of the case that name names: the path of a file, or the start of the
// name of a case that is saved in the module of the current folder.
func caseInModule(name string) (path string, err error) {
	if info, err := os.Stat(name); err == nil && !info.IsDir() || strings.ContainsRune(name, filepath.Separator) {
		return name, err
	}
	here, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for _, root := range []string{here, enclosing(here, "go.mod")} { // first below the current folder
		all, e := caseFiles(root)
		if e != nil {
			return "", e
		}
		if path, err = named(all, name); err == nil || errors.Is(err, errAmbiguous) {
			break
		}
	}
	return path, err
}

// errAmbiguous is in the error of a name that several cases have.
var errAmbiguous = errors.New("ambiguous")

// named returns the path whose file name is name, with or without .case. If there is none, it
// returns the only path whose file name starts with name.
func named(all []string, name string) (path string, err error) {
	var found, exact []string
	for _, path := range all {
		file := filepath.Base(path)
		if strings.HasPrefix(file, name) {
			found = append(found, path)
		}
		if strings.TrimSuffix(file, ".case") == strings.TrimSuffix(name, ".case") {
			exact = append(exact, path)
		}
	}
	if len(exact) > 0 {
		found = exact
	}
	switch len(found) {
	case 0:
		return "", fmt.Errorf("there is no case %q: give the path of a case file or the start of its name (cases here: %s)", name, cmp.Or(shownAll(all), "none"))
	case 1:
		return found[0], nil
	}
	return "", fmt.Errorf("case %q is %w (%s): give more of the name, or the path", name, errAmbiguous, shownAll(found))
}

// ownersOf returns the case with the given name, and the properties to which the case may belong.
func ownersOf(subjects []campaign.Subject, name string) ([]campaign.Subject, *corpus.Case, error) {
	path, first := caseNamed(subjects, name)
	if path == "" {
		return nil, nil, first
	}
	for i := range subjects {
		s := &subjects[i]
		c, err := s.Cases().Find(path)
		if err == nil {
			return namesakes(distinct(subjects), s), &c, nil
		}
		if first == nil || errors.Is(err, corpus.ErrElsewhere) {
			first = err
		}
	}
	if errors.Is(first, corpus.ErrElsewhere) {
		first = fmt.Errorf("the case %s belongs to no property here: give its package", name)
	}
	return nil, nil, first
}

// caseNamed returns the path of the saved case whose name starts with name, among the cases of the
// given properties. If name is the path of a file, caseNamed returns name. If several cases match,
// it returns "" and an error. If no case matches, it returns name and an error. The caller may
// still find name in a folder of cases.
func caseNamed(subjects []campaign.Subject, name string) (path string, err error) {
	if info, err := os.Stat(name); err == nil && !info.IsDir() {
		return name, nil
	}
	var all []string
	for i := range subjects {
		dir := subjects[i].Property.Folder
		files, err := os.ReadDir(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("cannot look for case %q: %w", name, err)
		}
		for _, f := range files {
			if path := filepath.Join(dir, f.Name()); isCase(f.Name()) && !slices.Contains(all, path) {
				all = append(all, path)
			}
		}
	}
	path, err = named(all, name)
	if err != nil && !errors.Is(err, errAmbiguous) {
		path = name
	}
	return path, err
}

func shownAll(paths []string) string {
	list := slices.Clone(paths)
	for i := range list {
		list[i] = shown(list[i])
	}
	return strings.Join(list, ", ")
}

// namesakes returns the properties that save their cases in the same folder and under the same name
// as s. The list includes s. Several calls to fuzz.Check in one test have the same name.
func namesakes(subjects []campaign.Subject, s *campaign.Subject) (list []campaign.Subject) {
	for _, o := range subjects {
		if o.Property.Folder == s.Property.Folder && o.Property.Name == s.Property.Name {
			list = append(list, o)
		}
	}
	return list
}

// told prints a reply about a case of the package in folder, and returns errFailed if it has findings or problems.
func told(w io.Writer, r *session.Reply, folder string) error {
	for _, text := range r.Notes {
		fmt.Fprintln(w, text)
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		writeLinked(w, f.Text(), linksOf(f, folder))
		if f.Path != "" && !f.Known {
			fmt.Fprintf(w, "        %s\n", f.InWords(env.When(), shown))
		}
		if f.Problem != "" {
			fmt.Fprintf(w, "        %s\n", f.Problem)
		}
	}
	for _, text := range r.Problems {
		fmt.Fprintln(w, text)
	}
	if len(r.Findings)+len(r.Problems) > 0 {
		return errFailed
	}
	return nil
}
