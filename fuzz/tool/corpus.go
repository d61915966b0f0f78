package tool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/fuzz/internal/campaign"
	"github.com/jostle-go/jostle/fuzz/internal/desk"
	"github.com/jostle-go/jostle/fuzz/internal/env"
	"github.com/jostle-go/jostle/fuzz/internal/record"
	"github.com/jostle-go/jostle/fuzz/internal/session"
	"github.com/jostle-go/jostle/fuzz/internal/words"
)

// newCorpus returns the command whose subcommands are for saved cases.
func newCorpus() *Command {
	cmd := &Command{
		Use:   "corpus",
		Short: "List, merge, remove, repair and convert saved cases",
		Example: `  jostle corpus list
  jostle corpus show ce2db3
  jostle corpus prune ./... --stale`,
		Run: nothing,
	}
	cmd.Commands = []*Command{newCorpusList(), newCorpusShow(), newCorpusMerge(), newCorpusDistill(), newCorpusPrune(), newCorpusRepair(), newCorpusImport(), newCorpusExport()}
	cmd.Args = cmd.mustChoose(" corpus")
	return cmd
}

// newCorpusList returns the command that lists cases.
func newCorpusList() *Command {
	return &Command{
		Use:     "list [folders]",
		Short:   "List the saved cases below folders",
		Long:    "List lists the saved cases below folders. It exits with 1 if some cannot be read.",
		Example: "  jostle corpus list\n  jostle corpus list ./bank",
		Run: func(call *Call, args []string) error {
			if len(args) == 0 {
				args = []string{"."}
			}
			broken := 0
			for _, root := range args {
				paths, err := caseFiles(root)
				if err != nil {
					return err
				}
				for _, path := range paths {
					c, err := corpus.Folder{Dir: filepath.Dir(path)}.Find(path)
					if err != nil {
						broken++
						fmt.Fprintf(call.Out, "%v\n", err)
						continue
					}
					fmt.Fprintf(call.Out, "%s  %s, %s, %s: %s\n", path, c.Property, words.Count(len(c.Inputs), "draw"),
						words.Count(c.Record.Received(), "step"), c.Signature)
				}
			}
			if broken > 0 {
				return errFailed
			}
			return nil
		},
	}
}

// caseFiles returns the case files below a folder.
func caseFiles(root string) (paths []string, err error) {
	root = strings.TrimSuffix(root, "/...")
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != root && strings.HasPrefix(d.Name(), ".") {
			return filepath.SkipDir
		}
		if !d.IsDir() && desk.IsCase(d.Name()) {
			paths = append(paths, path)
		}
		return nil
	})
	return paths, err
}

// newCorpusShow returns the command that shows a case.
func newCorpusShow() *Command {
	return &Command{
		Use:     "show case",
		Short:   "Print the readable part of a saved case",
		Example: "  jostle corpus show ce2db3\n  jostle corpus show bank/testdata/jostle/neverOverdrawn/ce2db3.case",
		Args: func(args []string) error {
			if len(args) != 1 {
				return errors.New("give one case: the path of its file or the start of its name")
			}
			return nil
		},
		Run: func(call *Call, args []string) error {
			path, err := caseInModule(args[0])
			if err != nil {
				return err
			}
			c, err := corpus.Folder{Dir: filepath.Dir(path)}.Find(path)
			if err != nil {
				return err
			}
			w := call.Out
			fmt.Fprintf(w, "%s of %s (%s, seed %#x)\n", c.Signature, c.Property, c.Strategy, c.Seed)
			if c.Condition != "" {
				fmt.Fprintf(w, "fails where %s\n", c.Condition)
			}
			said := record.Said(&c)
			for _, line := range said {
				fmt.Fprintln(w, line)
			}
			fmt.Fprintln(w)
			for _, line := range c.Comment {
				if !slices.Contains(said, line) {
					fmt.Fprintln(w, line)
				}
			}
			return nil
		},
	}
}

// newCorpusPrune returns the command that removes cases that pass, or that the changed program no
// longer follows.
func newCorpusPrune() *Command {
	c := &corpusCommand{}
	var mended, stale bool
	cmd := &Command{
		Use:   "prune [packages]",
		Short: "Remove saved cases that are no longer useful",
		Long: `Prune runs the saved cases of the packages' properties. It prints which pass, and which
cannot be run as they were saved because the program has changed. It removes the cases
that its flags select. A case that passes is a regression test, and worth keeping.`,
		Example: "  jostle corpus prune ./...          # removes nothing\n  jostle corpus prune ./... --stale",
		Run: func(call *Call, args []string) error {
			return c.each(call, args, session.Request{Do: session.Replay}, func(path string, r *session.Reply) error {
				state, remove := "passes", mended
				switch {
				case len(r.Findings) > 0:
					state, remove = "fails", false
				case !r.Exact && !r.Mended:
					state, remove = "cannot be run as it was saved", stale
				}
				if remove {
					state += ": removed"
				}
				fmt.Fprintf(call.Out, "%s  %s\n", env.Shown(path), state)
				if remove {
					return os.Remove(path)
				}
				return nil
			}, nil)
		},
	}
	c.flags(cmd)
	cmd.Flags().BoolVar(&mended, "mended", false, "remove cases that pass as they were saved")
	cmd.Flags().BoolVar(&stale, "stale", false, "remove cases that do not fail and cannot be run as they were saved")
	return cmd
}

// newCorpusRepair returns the command that repairs cases that the changed program no longer
// follows.
func newCorpusRepair() *Command {
	c := &corpusCommand{}
	limit := time.Minute
	cmd := &Command{
		Use:   "repair [packages]",
		Short: "Replace cases that the changed program no longer follows",
		Long: `Repair takes each saved case that can no longer be run as it was saved, searches nearby for
a run that fails the same way, and saves that in its place. If the case passes with all of
its deliveries, the bug is fixed: today's run is saved in its place as a regression test.`,
		Example: "  jostle corpus repair ./...",
		Run: func(call *Call, args []string) error {
			q := session.Request{Do: session.Repair, Time: limit}
			return c.each(call, args, q, func(path string, r *session.Reply) error {
				switch {
				case r.Exact:
					fmt.Fprintf(call.Out, "%s  needs no repair\n", env.Shown(path))
				case r.Renewed != "":
					fmt.Fprintf(call.Out, "%s  mended, saved as a regression test: %s\n", env.Shown(path), env.Shown(r.Renewed))
				case len(r.Findings) > 0:
					fmt.Fprintf(call.Out, "%s  repaired: %s\n", env.Shown(path), env.Shown(r.Findings[0].Path))
				default:
					fmt.Fprintln(call.Out, strings.Join(r.Notes, "\n"))
				}
				return nil
			}, nil)
		},
	}
	c.flags(cmd)
	cmd.Flags().DurationVar(&limit, "for", limit, "the time limit for each case")
	return cmd
}

// newCorpusImport returns the command that saves failing inputs of go test -fuzz as cases.
func newCorpusImport() *Command {
	c := &corpusCommand{}
	from := ""
	cmd := &Command{
		Use:   "import [packages]",
		Short: "Save failing inputs of go test -fuzz as cases",
		Long: `Import runs the inputs that go test -fuzz has saved for the packages' targets, in
testdata/fuzz or in another folder. It saves those that fail as cases, and exits with 1 if
there are any.`,
		Example: "  jostle corpus import ./bank\n  jostle corpus import ./bank --property FuzzBank --from $(go env GOCACHE)/fuzz/example.com/bank/FuzzBank",
		Run: func(call *Call, args []string) error {
			subjects, done, err := c.find(call, args)
			defer done()
			if err != nil {
				return err
			}
			subjects = slices.DeleteFunc(subjects, func(s campaign.Subject) bool { return s.Property.Verb != "Target" })
			if len(subjects) == 0 {
				return errors.New("there is no target: no test passes a property to fuzz.Target")
			}
			if from != "" && len(subjects) > 1 {
				return fmt.Errorf("--from is for one target, and there are %d: choose one with --property", len(subjects))
			}
			bounds, err := c.bounds()
			if err != nil {
				return err
			}
			d := desk.New(subjects, bounds, 1)
			defer d.Close()
			failed := false
			out := &printer{w: call.Out, folders: foldersOf(subjects)}
			for n, s := range subjects {
				q := session.Request{Do: session.Import, Folder: filepath.Join(s.Binary.Dir, "testdata", "fuzz", s.Property.Test)}
				if from != "" {
					if q.Folder, err = filepath.Abs(from); err != nil {
						return err
					}
				}
				r, err := d.Do(call.Context, n, q)
				if err != nil {
					return err
				}
				for i := range r.Findings {
					f := &campaign.Finding{Record: r.Findings[i], Times: 1}
					f.Fresh = d.Keep(call.Context, n, &f.Record, time.Minute)
					out.printFinding(s.String(), f)
				}
				for _, text := range r.Problems {
					fmt.Fprintln(call.Out, text)
				}
				fmt.Fprintf(call.Out, "%s: %s run, %s\n", s.String(), words.Count(r.Tally.Runs, "input"), words.Count(r.Failed, "failure"))
				failed = failed || len(r.Findings)+len(r.Problems) > 0
			}
			if failed {
				return errFailed
			}
			return nil
		},
	}
	c.flags(cmd)
	cmd.Flags().StringVar(&from, "from", "", "the folder with the inputs, in place of testdata/fuzz/FuzzName")
	return cmd
}

// newCorpusExport returns the command that writes a case as an input of go test -fuzz.
func newCorpusExport() *Command {
	c := &caseCommand{}
	to := ""
	cmd := &Command{
		Use:     "export case [package]",
		Short:   "Write a case as an input of go test -fuzz",
		Example: "  jostle corpus export ce2db3 ./bank --to bank/testdata/fuzz/FuzzBank",
		Args:    oneCase,
		Run: func(call *Call, args []string) error {
			if to == "" {
				return errors.New("--to is missing: set it to the folder testdata/fuzz/FuzzName of a target")
			}
			dir, err := filepath.Abs(to)
			if err != nil {
				return err
			}
			r, err := c.do(call, args, session.Request{Do: session.Export, Folder: dir})
			if err != nil {
				return err
			}
			fmt.Fprintln(call.Out, env.Shown(r.Text))
			return told(call.Out, r, c.folder)
		},
	}
	c.flags(cmd)
	cmd.Flags().StringVar(&to, "to", "", "the folder to write to")
	return cmd
}

// A corpusCommand is a command for all cases of some packages.
type corpusCommand struct{ chooser }

// each sends the request q for each case of the packages' properties, and calls the function take
// with each reply. After the last case of a property it calls the function over, unless over is
// nil.
func (c *corpusCommand) each(call *Call, patterns []string, q session.Request, take func(path string, r *session.Reply) error, over func() error) error {
	d, done, err := c.compiled(call, patterns, 1)
	defer done()
	if err != nil {
		return err
	}
	problems := 0
	for i, s := range d.Subjects() {
		owners := d.Namesakes(i)
		if owners[0] != i { // an earlier subject with this name has handled the same cases
			continue
		}
		cases, broken := s.Cases().Load()
		for _, err := range broken {
			fmt.Fprintln(call.Out, err)
		}
		problems += len(broken)
		for i := range cases {
			text, err := corpus.Encode(cases[i])
			if err != nil {
				return err
			}
			q.Case, q.File = string(text), cases[i].Path
			r, _, err := d.DoCase(call.Context, owners, q)
			if err == nil {
				err = take(q.File, r)
			}
			if err != nil {
				return err
			}
		}
		if over != nil {
			if err := over(); err != nil {
				return err
			}
		}
	}
	if problems > 0 {
		return errFailed
	}
	return nil
}
