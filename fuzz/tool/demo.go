package tool

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/fuzz/finding"
	"github.com/jostle-go/jostle/fuzz/internal/words"
	"github.com/jostle-go/jostle/fuzz/search"
	"github.com/jostle-go/jostle/fuzz/subjects"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/shrink"
)

// The number of runs of the parts of a demo.
const (
	mostRuns   = 100_000 // the maximum number of runs to find the bug
	mendedRuns = 1000    // the number of runs of the program without the bug
	shrinkRuns = 20_000  // the maximum number of runs to shrink the failure
)

// newDemo returns the command that finds the bugs of example programs.
func newDemo() *Command {
	return &Command{
		Use:   "demo [subject [folder]]",
		Short: "Find the bug of an example program",
		Long: `Demo without a subject lists the example programs. With one it finds its bug, shrinks,
explains and replays it. With a folder, it saves the case there, with pages in HTML and
JSON.`,
		Example: "  jostle demo\n  jostle demo writer\n  jostle demo writer kept    # saves the case in the folder kept",
		Args: func(args []string) error {
			if len(args) > 2 {
				return fmt.Errorf("demo takes one subject and one folder, not %d arguments", len(args))
			}
			return nil
		},
		Run: func(call *Call, args []string) error {
			if len(args) == 0 {
				listSubjects(call.Out)
				return nil
			}
			s, err := subjectNamed(args[0])
			if err != nil {
				return err
			}
			folder := ""
			if len(args) == 2 {
				folder = args[1]
			}
			if !show(s, folder, call.Out) {
				return errFailed
			}
			return nil
		},
	}
}

// subjectNamed returns the subject with the given name.
func subjectNamed(name string) (subjects.Subject, error) {
	if s, ok := subjects.ByName(name); ok {
		return s, nil
	}
	var names []string
	for _, s := range subjects.All() {
		names = append(names, s.Name)
	}
	return subjects.Subject{}, fmt.Errorf("there is no subject %q%s", name, cmp.Or(words.DidYouMean(name, "", names), "; `jostle demo` lists them"))
}

// listSubjects prints the example programs.
func listSubjects(w io.Writer) {
	fmt.Fprint(w, "The example programs; `jostle demo <name>` finds the bug of one:\n\n")
	width := 0
	for _, s := range subjects.All() {
		width = max(width, len(s.Name))
	}
	for _, s := range subjects.All() {
		fmt.Fprintf(w, "    %-*s  %s (%s)\n", width, s.Name, s.Wrong, s.Source)
	}
}

// show finds the bug of a subject, shrinks and explains the failure, saves it in a folder and
// replays it. It reports whether the results are as expected. The broken form of the program must
// fail in some random order. In plain order, the oldest message first, it may fail only if the bug
// needs no reordering. All replays must fail in the same way, and the mended form must pass.
func show(s subjects.Subject, folder string, w io.Writer) bool {
	fmt.Fprintf(w, "%s: %s (%s).\n\n", s.Name, s.Wrong, s.Source)
	plain := sample(s, s.Smallest(false), "plain", 1).Finding
	if plain != nil && s.Depth > 0 {
		fmt.Fprintf(w, "The broken form fails in plain order, the oldest message first:\n%s", plain.Text("run 1 of 1 (plain)"))
		return false
	}
	outcome := map[bool]string{false: "passes in plain order", true: "fails in plain order already"}[plain != nil]
	fmt.Fprintf(w, "The broken form %s, the oldest message first. With random inputs, in random order:\n\n", outcome)
	res := sample(s, s.Property(false), "random", mostRuns)
	if res.Finding == nil {
		fmt.Fprintf(w, "The bug was not found in %d runs.\n", mostRuns)
		return false
	}
	if !tell(s, &res, folder, w) {
		return false
	}
	if f := sample(s, s.Smallest(true), "random", mendedRuns).Finding; f != nil {
		fmt.Fprintf(w, "The mended form fails too:\n%s", f.Text("random"))
		return false
	}
	fmt.Fprintf(w, "The mended form passes %d runs of %d (random).\n", mendedRuns, mendedRuns)
	return true
}

// tell shrinks a finding, prints it and saves it. It reports whether every replay fails.
func tell(s subjects.Subject, res *search.Result, folder string, w io.Writer) bool {
	p := property(s, s.Property(false))
	r := p.NewRunner()
	defer r.Close()
	f := res.Finding
	if out := finding.Shrink(context.Background(), r, f, shrink.Options{Runs: shrinkRuns}); out.Finding != nil {
		f = out.Finding
	}
	fmt.Fprintf(w, "--- FAIL\n%s", f.Text(fmt.Sprintf("run %d of %d (random)", res.Index+1, res.Runs)))
	return f.Replays == finding.Tried && save(r, f, folder, w)
}

// save saves a finding in a folder and replays the saved case. If folder is "", it uses a temporary
// folder. It reports whether the replay fails in the same way.
func save(r *props.Runner, f *finding.Finding, folder string, w io.Writer) bool {
	keep := folder != ""
	if !keep {
		var err error
		if folder, err = os.MkdirTemp("", "jostle"); err != nil {
			fmt.Fprintf(w, "It cannot be saved: %v\n", err)
			return false
		}
		defer os.RemoveAll(folder)
	}
	in := corpus.FolderOf(folder, f.Case.Property)
	path, err := f.Save(in)
	if err == nil && keep {
		err = f.WritePages(r, path)
	}
	if err != nil {
		fmt.Fprintf(w, "It cannot be saved: %v\n", err)
		return false
	}
	c, err := in.Find(filepath.Base(path))
	if err != nil {
		fmt.Fprintf(w, "The saved case cannot be read: %v\n", err)
		return false
	}
	played := finding.Replay(r, &c)
	outcome := "it passes"
	if played.Result.Failure != nil {
		outcome = "it fails alike"
	}
	if keep {
		fmt.Fprintf(w, "Saved: %s, with pages in HTML and JSON and a Mermaid diagram next to it.\n", path)
	}
	fmt.Fprintf(w, "Saved, read and replayed (%s): %s.\n\n", played.How, outcome)
	return played.Exact && played.Result.Failure != nil && played.Result.Failure.Matches(f.Case.Signature)
}

// sample runs a property of a subject until it fails, with the given maximum number of runs. The
// parameter by is the name of the strategy.
func sample(s subjects.Subject, f func(*props.T), by string, runs int) search.Result {
	arms, err := search.Strategies(by)
	if err != nil {
		panic(err) // cannot happen, because sample is called only with names of strategies
	}
	return search.Sample(context.Background(), property(s, f), search.Options{Runs: runs, Seed: 1, Portfolio: arms})
}

func property(s subjects.Subject, f func(*props.T)) search.Property {
	return search.Property{Name: s.Name, Test: s.Name, Func: f}
}
