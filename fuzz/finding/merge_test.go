package finding

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

// crowd fails with any number of messages. Cases that differ by one message have similar files.
func crowd(t *props.T) {
	n := props.Draw(t, rapid.IntRange(1, 12), "n")
	sys := t.System()
	a := sys.Spawn("a receiver with a long name", pulse.Func(func(*pulse.Ctx, any) {}))
	for i := range n {
		sys.Send(a, i)
	}
	sys.Run()
	t.Error("too many")
}

// A branch is a branch of a repository that contains a corpus.
type branch struct {
	t      *testing.T
	r      *props.Runner
	folder corpus.Folder
	strip  bool // set if the cases lack the line "unlike": see strip
}

// keep saves a failing run of n messages.
func (b *branch) keep(n int, condition, note string) {
	b.t.Helper()
	f := found(b.t, b.r, n, condition)
	if note != "" {
		f.Case.Comment = append(f.Case.Comment, note)
	}
	if _, err := f.Keep(b.folder, b.r); err != nil {
		b.t.Fatal(err)
	}
}

// remove removes the cases with n messages, as people do.
func (b *branch) remove(n int) {
	b.t.Helper()
	cases, _ := b.folder.Load()
	for _, c := range cases {
		if len(c.Record.Deliveries) == n {
			os.Remove(c.Path)
		}
	}
}

// deeds are the changes that a branch makes to a corpus. At its start every branch has a shrunk failure of 10
// messages and an unshrunk one of 11.
var deeds = []struct {
	name string
	do   func(*branch)
}{
	{"nothing", func(b *branch) {}},
	{"a failure", func(b *branch) { b.keep(8, "", "found here") }},
	{"the same failure, with other words", func(b *branch) { b.keep(8, "", "found there") }},
	{"the same failure, explained", func(b *branch) { b.keep(8, "z before y", "") }},
	{"another failure", func(b *branch) { b.keep(7, "y before x", "") }},
	{"a smaller form", func(b *branch) { b.keep(9, "x before y", "") }},
	{"a still smaller form", func(b *branch) { b.keep(6, "x before y", "") }},
	{"a mended case removed", func(b *branch) { b.remove(10) }},
	{"all mended and removed", func(b *branch) { b.remove(10); b.remove(11) }},
	{"a mended case removed and another failure", func(b *branch) { b.remove(10); b.keep(9, "y before x", "") }},
	{"an old case explained", func(b *branch) { b.keep(11, "x after y", "") }},
	{"an old case explained otherwise", func(b *branch) { b.keep(11, "x long after y", "") }},
	{"a smaller form, and an old case removed", func(b *branch) { b.keep(9, "x before y", ""); b.remove(11) }},
}

// repository makes a repository with a branch for each deed: b0 for the first one, b1 for the second.
func repository(t *testing.T, b *branch) (git func(args ...string) (string, error)) {
	t.Helper()
	dir := t.TempDir()
	b.folder = corpus.FolderOf(filepath.Join(dir, "testdata", "jostle"), "p")
	git = func(args ...string) (string, error) {
		cmd := exec.Command("git", append([]string{"-c", "user.name=n", "-c", "user.email=e", "-c", "commit.gpgsign=false", "-c", "gc.auto=0"}, args...)...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_DIR="+filepath.Join(dir, ".git"))
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	must := func(args ...string) {
		t.Helper()
		if out, err := git(args...); err != nil {
			t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	commit := func() {
		t.Helper()
		if b.strip {
			strip(t, b.folder.Dir)
		}
		must("add", "-A")
		must("commit", "-q", "--allow-empty", "-m", "m")
	}
	must("init", "-q", "-b", "base")
	b.keep(10, "x before y", "")
	strip(t, b.folder.Dir) // older versions of jostle did not write the removed lines
	b.keep(11, "", "")
	commit()
	for i, d := range deeds {
		must("checkout", "-q", "-b", fmt.Sprint("b", i), "base")
		d.do(b)
		commit()
	}
	return git
}

// strip removes from all cases the line "unlike", because of which git does not take the files of similar cases for
// one renamed file.
func strip(t *testing.T, dir string) {
	t.Helper()
	paths, _ := filepath.Glob(filepath.Join(dir, "*.case"))
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(path, regexp.MustCompile(`(?m)^unlike .*\n`).ReplaceAll(text, nil), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// filesAt returns the files of a commit or a tree. The keys are git's hashes of the
// contents.
func filesAt(git func(...string) (string, error), tree string) map[string]bool {
	list := map[string]bool{}
	out, _ := git("ls-tree", "-r", tree)
	for line := range strings.Lines(out) {
		list[line] = true
	}
	return list
}

// checkOut replaces the contents of the branch's folder by those of a tree in git.
func (b *branch) checkOut(git func(...string) (string, error), tree string) {
	b.t.Helper()
	for _, args := range [][]string{{"read-tree", tree}, {"checkout-index", "-q", "-f", "-a"}, {"clean", "-q", "-f", "-d", "-x"}} {
		if out, err := git(args...); err != nil {
			b.t.Fatalf("git %s: %v\n%s", args, err, out)
		}
	}
}

// inGit skips a test unless git can merge without a working tree.
func inGit(t *testing.T) {
	out, err := exec.Command("git", "merge-tree", "-h").CombinedOutput() // the exit code of git merge-tree -h is not 0
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) || !strings.Contains(string(out), "--write-tree") {
		t.Skip("there is no git of version 2.38 or later")
	}
}

// If two branches have changed the corpus of a repository, they merge without a conflict. The
// result has what either branch has added, and lacks what either has removed. All of its cases fail
// as saved, and Tidy leaves one case of each failure. By day, every fourth pair of branches is
// tested.
//
// Skips: without git 2.38 or later.
func TestBranchesMerge(t *testing.T) {
	trial.Long(t)
	inGit(t)
	b := &branch{t: t, r: props.NewRunner("p", crowd)}
	defer b.r.Close()
	git := repository(t, b)
	base, sides := filesAt(git, "base"), []map[string]bool{}
	merged := map[string]map[string]bool{} // maps each tree that a merge has made to its files
	for i := range deeds {
		sides = append(sides, filesAt(git, fmt.Sprint("b", i)))
		for k := range deeds[:i+1] {
			if (i+k)%4 > 0 && !nightly() {
				continue
			}
			name := deeds[i].name + " / " + deeds[k].name
			out, err := git("merge-tree", "--write-tree", fmt.Sprint("b", i), fmt.Sprint("b", k))
			if err != nil {
				t.Errorf("%s: %v\n%s", name, err, out)
				continue
			}
			tree, want := strings.TrimSpace(out), mergeOf(base, sides[i], sides[k])
			if merged[tree] == nil {
				merged[tree] = filesAt(git, tree)
				b.checkOut(git, tree)
				b.works(name, len(want))
			}
			if now := merged[tree]; !maps.Equal(now, want) {
				t.Errorf("%s: there are\n%v\nexpected\n%v", name, now, want)
			}
		}
	}
}

// mergeOf returns the files that a merge must have: the files that either side has added, and the files of the base
// that neither side has removed.
func mergeOf(base, a, b map[string]bool) map[string]bool {
	files := map[string]bool{}
	for _, side := range []map[string]bool{base, a, b} {
		for file := range side {
			if !base[file] || a[file] && b[file] {
				files[file] = true
			}
		}
	}
	return files
}

// works checks that the folder has n cases, that each of them fails as saved, and that Tidy leaves one case of each
// failure.
func (b *branch) works(name string, n int) {
	b.t.Helper()
	cases, problems := b.folder.Load()
	if len(cases) != n || problems != nil {
		b.t.Fatalf("%s: %d of %d cases, %v", name, len(cases), n, problems)
	}
	failures := map[string]int{} // maps each failure to the fewest messages of its cases
	for i := range cases {
		c := &cases[i]
		if shows(b.r, c, false) != same {
			b.t.Errorf("%s: %s does not fail as it was saved", name, c.Path)
		}
		failure, steps := c.Condition, len(c.Record.Deliveries)
		if failure == "" || slices.ContainsFunc(cases, func(o corpus.Case) bool { return c.Same(&o) && o.Condition != failure }) {
			failure = fmt.Sprint("run of ", steps)
		}
		if least, ok := failures[failure]; !ok || steps < least {
			failures[failure] = steps
		}
	}
	gone := Tidy(b.folder, b.r)
	left, _ := b.folder.Load()
	if len(left) != len(failures) || len(left)+len(gone) != n {
		b.t.Errorf("%s: Tidy leaves %d of %d cases, there are the failures %v", name, len(left), n, failures)
	}
	for i := range left {
		if least, ok := failures[left[i].Condition]; ok && least != len(left[i].Record.Deliveries) {
			b.t.Errorf("%s: Tidy leaves %d messages of %q, %d are enough", name, len(left[i].Record.Deliveries), left[i].Condition, least)
		}
	}
}

// TestBranchesThatConflict checks that git finds conflicts between these branches if the cases
// lack the line that makes files different. Otherwise the test of the branches would show
// nothing.
//
// Skips: without git 2.38 or later.
func TestBranchesThatConflict(t *testing.T) {
	trial.Long(t)
	inGit(t)
	b := &branch{t: t, r: props.NewRunner("p", crowd), strip: true}
	defer b.r.Close()
	git := repository(t, b)
	conflicts := 0
	for i := range deeds {
		for k := range deeds[:i] {
			if (i+k)%2 > 0 && !nightly() {
				continue
			}
			if out, err := git("merge-tree", "--write-tree", fmt.Sprint("b", i), fmt.Sprint("b", k)); err != nil {
				conflicts++
				if !strings.Contains(out, "CONFLICT (rename/") {
					t.Errorf("%s / %s: %s", deeds[i].name, deeds[k].name, out)
				}
			}
		}
	}
	if conflicts < 5 {
		t.Errorf("there are %d conflicts", conflicts)
	}
	t.Logf("%d conflicts", conflicts)
}
