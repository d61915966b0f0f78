package tool

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jostle-go/jostle/fuzz/internal/binary"
	"github.com/jostle-go/jostle/fuzz/internal/campaign"
	"github.com/jostle-go/jostle/fuzz/internal/changed"
	"github.com/jostle-go/jostle/fuzz/internal/coverage"
	"github.com/jostle-go/jostle/fuzz/internal/words"
)

// coverSince compares the receive pairs of each property with those in the state file of a
// different campaign, and prints the differences.
func coverSince(w io.Writer, list []campaign.Outcome, path string) error {
	before, err := campaign.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no %s: run `jostle fuzz --state %s` on the code before the change", path, words.Argument(path))
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "receive pairs, by message type, since %s:\n", path)
	for i := range list {
		name := list[i].Subject.String()
		earlier, known := &coverage.Orders{}, ""
		at := slices.IndexFunc(before.Outcomes, func(o campaign.Outcome) bool { return o.Subject.String() == name })
		if at < 0 {
			known = " (not searched before)"
		} else {
			earlier = before.Outcomes[at].Orders
			before.Outcomes = slices.Delete(before.Outcomes, at, at+1)
		}
		switch {
		case list[i].Complete != "":
			fmt.Fprintf(w, "%s%s: %s, so there is nothing to compare\n", name, known, list[i].Complete)
			continue
		case at >= 0 && earlier.Runs() == 0:
			fmt.Fprintf(w, "%s: not compared, because the earlier campaign ran every order before its search, or ran nothing\n", name)
			continue
		}
		fresh, gone, both := list[i].Orders.Since(earlier)
		fmt.Fprintf(w, "%s%s: %d new, %d not seen again, %d as before (%s, %s before)\n", name, known, len(fresh), len(gone), both,
			words.Count(list[i].Orders.Runs(), "run"), words.Grouped(earlier.Runs()))
		for _, t := range fresh {
			fmt.Fprintf(w, "    new: %s\n", t)
		}
		for _, t := range gone {
			fmt.Fprintf(w, "    not seen again: %s\n", t)
		}
	}
	for i := range before.Outcomes {
		fmt.Fprintf(w, "%s: no longer searched\n", before.Outcomes[i].Subject.String())
	}
	return nil
}

// coverLines prints how many of the statements that have changed since the commit base were run,
// and lists those that were not run. The parameter profile is the path of a profile of go test
// -coverprofile.
func coverLines(call *Call, profile, base string) error {
	switch {
	case base == "":
		return errors.New("--lines needs --base: the commit or branch to compare with")
	case profile == "":
		return errors.New("--base needs --lines: a profile of go test -coverprofile")
	}
	f, err := os.Open(profile)
	if err != nil {
		return err
	}
	defer f.Close()
	p, err := changed.ReadProfile(f)
	if err != nil {
		return fmt.Errorf("%s: %w", profile, err)
	}
	lines, err := changedLines(call, base)
	if err != nil {
		return err
	}
	names, err := profiled(call, p)
	if err != nil {
		return err
	}
	var all changed.Count
	var missed []string
	for _, file := range slices.Sorted(maps.Keys(lines)) {
		text, err := os.ReadFile(filepath.FromSlash(file))
		if err != nil {
			return err
		}
		c, err := p.In(names[file], text, lines[file])
		if err != nil {
			return err
		}
		all.Statements += c.Statements
		all.Run += c.Run
		switch {
		case c.Unknown && c.Statements > 0:
			missed = append(missed, fmt.Sprintf("%s: %s, not in the profile", file, words.Count(c.Statements, "statement")))
		case len(c.Missed) > 0:
			missed = append(missed, fmt.Sprintf("%s: line %s", file, strings.Trim(strings.ReplaceAll(fmt.Sprint(c.Missed), " ", ", "), "[]")))
		}
	}
	w := call.Out
	if all.Statements == 0 {
		fmt.Fprintf(w, "no statement outside tests has changed since %s\n", base)
		return nil
	}
	fmt.Fprintf(w, "statements changed since %s: tests run %d of %d\n", base, all.Run, all.Statements)
	for _, text := range missed {
		fmt.Fprintf(w, "    not run: %s\n", text)
	}
	return nil
}

// changedLines returns the lines that have changed since the merge base with the commit base. It
// considers files below the current folder that are not tests.
func changedLines(call *Call, base string) (changed.Lines, error) {
	if strings.HasPrefix(base, "-") {
		return nil, fmt.Errorf("--base is %q: set it to a commit or a branch", base)
	}
	git := exec.CommandContext(call.Context, "git", "-c", "core.quotePath=false", "diff", "--merge-base", "--unified=0", "--no-color",
		"--no-ext-diff", "--relative", "--src-prefix=a/", "--dst-prefix=b/", base, "--", "*.go", ":(exclude)*_test.go")
	var errs bytes.Buffer
	git.Stderr = &errs
	out, err := git.Output()
	if err != nil {
		first, _, _ := strings.Cut(strings.TrimSpace(errs.String()), "\n")
		return nil, fmt.Errorf("cannot list the changes since %s: %s", base, cmp.Or(first, err.Error()))
	}
	return changed.ReadDiff(string(out))
}

// profiled maps the paths of files, relative to the current folder, to their names in the profile.
func profiled(call *Call, p changed.Profile) (map[string]string, error) {
	here, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	if here, err = filepath.EvalSymlinks(here); err != nil {
		return nil, err
	}
	var o binary.Options
	out, err := o.Go(call.Context, append([]string{"list", "-e", "-f", "{{.ImportPath}}\t{{.Dir}}", "--"}, p.Packages()...)...)
	if err != nil {
		return nil, err
	}
	names := map[string]string{}
	for line := range strings.Lines(string(out)) {
		importPath, dir, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			dir = real
		}
		rel, err := filepath.Rel(here, dir)
		if err != nil {
			continue
		}
		for name := range p {
			if path.Dir(name) == importPath {
				names[path.Join(filepath.ToSlash(rel), path.Base(name))] = name
			}
		}
	}
	return names, nil
}
