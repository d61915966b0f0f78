package distill

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/pulse/choice"
)

// caseOf returns a case with the numbers as its deliveries and as its pairs.
func caseOf(numbers ...uint64) Passed {
	p := Passed{Case: corpus.Case{Property: "p", Record: choice.Record{Deliveries: numbers}}}
	for _, n := range numbers {
		p.Pairs = append(p.Pairs, Pair{n, 0})
	}
	return p
}

// shown returns the set of all deliveries of the cases.
func shown(cases []corpus.Case) map[uint64]bool {
	all := map[uint64]bool{}
	for i := range cases {
		for _, n := range cases[i].Record.Deliveries {
			all[n] = true
		}
	}
	return all
}

// search loads, replays and replaces the cases of a cache, as a search does.
func search(t *testing.T, c Cache, found ...Passed) {
	t.Helper()
	var b Basket
	held := c.Load()
	for _, one := range held.Cases {
		b.Add(caseOf(one.Record.Deliveries...))
	}
	for _, p := range found {
		b.Add(p)
	}
	if _, err := c.Replace(held, b.Fewest(), nil); err != nil {
		t.Fatal(err)
	}
}

func filesIn(t *testing.T, c Cache) (names []string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(c.Dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

func TestReplace(t *testing.T) {
	c := In(t.TempDir(), Key{"m", "p", "f"})
	if h := c.Load(); h.Cases != nil {
		t.Errorf("a cache that is not there has %v", h)
	}
	search(t, c)
	if list := filesIn(t, c); list != nil {
		t.Errorf("a search that found nothing leaves %q", list)
	}
	for _, step := range []struct {
		found Passed
		want  []int // the deliveries of the cases, in order
		fresh bool  // the search writes a new file
	}{
		{caseOf(1, 2), []int{2}, true},
		{caseOf(1), []int{2}, false},
		{caseOf(3), []int{2, 1}, true},
		{caseOf(1, 2, 3, 4), []int{4}, true},
		{caseOf(4, 3, 2, 1), []int{4}, false},
		{caseOf(5, 6), []int{4, 2}, true},
	} {
		before := filesIn(t, c)
		search(t, c, step.found)
		after := filesIn(t, c)
		var got []int
		for _, one := range c.Load().Cases {
			got = append(got, len(one.Record.Deliveries))
		}
		if !slices.Equal(got, step.want) || len(after) != 1 || slices.Equal(before, after) == step.fresh {
			t.Errorf("after %v there are cases of %v deliveries, expected %v; files %q and %q", step.found.Pairs, got, step.want, before, after)
		}
	}
	if _, err := c.Replace(c.Load(), nil, nil); err != nil || filesIn(t, c) != nil {
		t.Errorf("of nothing %q is left, %v", filesIn(t, c), err)
	}
}

// Loaded cases that were not run are kept, after the new ones.
func TestRest(t *testing.T) {
	c := In(t.TempDir(), Key{})
	search(t, c, caseOf(1, 2), caseOf(3))
	h := c.Load()
	if _, err := c.Replace(h, []corpus.Case{caseOf(7).Case}, h.Cases[1:]); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(shown(c.Load().Cases)); got != "map[3:true 7:true]" {
		t.Errorf("there are %s", got)
	}
}

func TestKeys(t *testing.T) {
	dirs := map[string]bool{}
	for _, k := range []Key{{}, {"a", "", ""}, {"", "a", ""}, {"", "", "a"}, {"a", "b", ""}, {"a b", "", ""}, {"a\" \"b", "", ""}} {
		dirs[In("root", k).Dir] = true
	}
	if len(dirs) != 7 {
		t.Errorf("seven keys have the folders %v", dirs)
	}
	for _, none := range []Cache{{}, In("", Key{"m", "p", ""})} {
		if _, err := none.Replace(none.Load(), []corpus.Case{caseOf(1).Case}, nil); err != nil || none.Load().Cases != nil {
			t.Errorf("no cache keeps %v, %v", none.Load(), err)
		}
	}
}

// From a damaged file, exactly the readable cases are
// loaded. The next search replaces it by an undamaged file.
func TestDamage(t *testing.T) {
	for name, damage := range map[string]func(path string, text []byte) error{
		"cut off": func(path string, text []byte) error { return os.WriteFile(path, text[:len(text)-3], 0o644) },
		"empty":   func(path string, text []byte) error { return os.WriteFile(path, nil, 0o644) },
		"noise": func(path string, text []byte) error {
			return os.WriteFile(path, []byte("\x00\xff\nend\n\nend\n"), 0o644)
		},
		"huge": func(path string, text []byte) error { return os.Truncate(path, 100<<20) },
		"version": func(path string, text []byte) error {
			return os.WriteFile(path, bytes.Replace(text, []byte("case 4"), []byte("case 9"), 1), 0o644)
		},
		"conflict": func(path string, text []byte) error {
			return os.WriteFile(path, append([]byte("<<<<<<< a\n"), text...), 0o644)
		},
		"gone": func(path string, text []byte) error { return os.Remove(path) },
		"a folder in its place": func(path string, text []byte) error {
			return errorsOf(os.Remove(path), os.Mkdir(path, 0o755))
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := In(t.TempDir(), Key{})
			search(t, c, caseOf(1, 2), caseOf(3))
			path := filesIn(t, c)[0]
			text, err := os.ReadFile(path)
			if err == nil {
				err = damage(path, text)
			}
			if err != nil {
				t.Fatal(err)
			}
			left := shown(c.Load().Cases)
			if left[3] && !left[1] && name != "conflict" && name != "version" || left[0] {
				t.Errorf("there is %v", left)
			}
			search(t, c, caseOf(4))
			now := shown(c.Load().Cases)
			for n := range left {
				if !now[n] {
					t.Errorf("%d is gone", n)
				}
			}
			files := filesIn(t, c)
			files = slices.DeleteFunc(files, func(p string) bool { return name == "a folder in its place" && p == path })
			if !now[4] || len(files) != 1 {
				t.Errorf("there are %v in %q", now, files)
			}
		})
	}
}

func errorsOf(list ...error) error {
	for _, err := range list {
		if err != nil {
			return err
		}
	}
	return nil
}

// An unwritable cache yields an error that says what to do.
func TestReplaceErrors(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	c := In(file, Key{})
	_, err := c.Replace(c.Load(), []corpus.Case{caseOf(1).Case}, nil)
	if err == nil || !strings.HasPrefix(err.Error(), "cannot save the passing cases in "+c.Dir) || !strings.HasSuffix(err.Error(), "make room or give access there, or set JOSTLE_CACHE to another folder") {
		t.Errorf("the error is %v", err)
	}
	bad := caseOf(1).Case
	bad.Record.Choices = []choice.Choice{{N: 1, Value: 1}}
	c = In(t.TempDir(), Key{})
	search(t, c, caseOf(1))
	if _, err := c.Replace(c.Load(), []corpus.Case{bad}, nil); err == nil || len(c.Load().Cases) != 1 {
		t.Errorf("a case that cannot be stored: %v", err)
	}
}

// A cache has limits for its files and for its cases. A root folder has a limit for its caches.
func TestBounds(t *testing.T) {
	root := t.TempDir()
	c := In(root, Key{})
	var all []corpus.Case
	for n := range uint64(3 * mostCases) {
		all = append(all, caseOf(n).Case)
	}
	for range 3 {
		if _, err := c.Replace(Held{}, all, nil); err != nil {
			t.Fatal(err)
		}
	}
	if h := c.Load(); len(h.Cases) != mostCases || len(h.files) != 3 {
		t.Errorf("%d cases of %d files", len(h.Cases), len(h.files))
	}
	c.Bytes = 1000
	kept, err := c.Replace(c.Load(), all, nil)
	if n := len(c.Load().Cases); err != nil || kept != n || n == 0 {
		t.Fatalf("it says it has %d cases, and has %d: %v", kept, n, err)
	}
	if info, err := os.Stat(filesIn(t, c)[0]); err != nil || info.Size() > 1000 || info.Size() < 500 {
		t.Errorf("the file has %d bytes, %v", info.Size(), err)
	}
	for n := range uint64(3 * mostFiles) { // files left by killed processes
		if _, err := c.Replace(Held{}, []corpus.Case{caseOf(n).Case}, nil); err != nil {
			t.Fatal(err)
		}
	}
	if h := c.Load(); len(h.files) != mostFiles || len(filesIn(t, c)) != mostFiles {
		t.Errorf("%d files are read, of %d", len(h.files), len(filesIn(t, c)))
	}
	old := time.Now().Add(-2 * abandoned)
	aside := filepath.Join(c.Dir, ".1.tmp")
	if err := errorsOf(os.WriteFile(aside, nil, 0o644), os.Chtimes(aside, old, old)); err != nil {
		t.Fatal(err)
	}
	search(t, c, caseOf(1000))
	if _, err := os.Stat(aside); err == nil {
		t.Error("what a killed process has left stays")
	}
	mine := filepath.Join(root, folder, "notes")
	if err := os.Mkdir(mine, 0o755); err != nil {
		t.Fatal(err)
	}
	for n := range mostFolders + 9 {
		other := In(root, Key{Module: strconv.Itoa(n)})
		search(t, other, caseOf(1))
		path, when := filesIn(t, other)[0], old.Add(time.Duration(n)*time.Second)
		if n == 0 {
			continue // the newest
		}
		if err := os.Chtimes(path, when, when); err != nil {
			t.Fatal(err)
		}
	}
	folders, _ := os.ReadDir(filepath.Join(root, folder))
	_, err = os.Stat(mine)
	if len(folders) != mostFolders+1 || err != nil {
		t.Errorf("there are %d folders, %v", len(folders), err)
	}
	for n, want := range map[int]bool{0: true, 1: false, 5: false, mostFolders + 8: true} {
		if got := len(In(root, Key{Module: strconv.Itoa(n)}).Load().Cases) > 0; got != want {
			t.Errorf("cache %d is there: %v", n, got)
		}
	}
}

// TestSharer runs in a process that shares a cache with others. It
// searches repeatedly with random cases, and prints which ones it saved.
func TestSharer(t *testing.T) {
	dir := os.Getenv("JOSTLE_SHARED")
	if dir == "" {
		return
	}
	c := Cache{Dir: dir}
	seed, _ := strconv.ParseUint(os.Getenv("JOSTLE_SHARER"), 10, 64)
	rng := rand.New(rand.NewPCG(seed, 0))
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); {
		var found []Passed
		for range rng.IntN(4) {
			numbers := make([]uint64, 1+rng.IntN(5))
			for i := range numbers {
				numbers[i] = 1 + rng.Uint64N(150)
			}
			found = append(found, caseOf(numbers...))
		}
		search(t, c, found...)
		for _, p := range found {
			fmt.Println("kept", p.Case.Record.Deliveries)
		}
	}
}

// sharer starts a process that runs TestSharer.
func sharer(t *testing.T, c Cache, seed int) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out := &bytes.Buffer{}
	cmd := exec.Command(exe, "-test.run", "^TestSharer$")
	cmd.Env = append(os.Environ(), "JOSTLE_SHARED="+c.Dir, fmt.Sprint("JOSTLE_SHARER=", seed))
	cmd.Stdout = out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, out
}

// lost returns the cases that processes printed as saved but that are not in the cache.
func lost(c Cache, said ...*bytes.Buffer) (list []string) {
	have := shown(c.Load().Cases)
	for _, out := range said {
		for line := range strings.Lines(out.String()) {
			numbers, ok := strings.CutPrefix(strings.TrimSpace(line), "kept [")
			if !ok || !strings.HasSuffix(numbers, "]") {
				continue
			}
			for _, n := range strings.Fields(strings.TrimSuffix(numbers, "]")) {
				if k, err := strconv.ParseUint(n, 10, 64); err == nil && !have[k] {
					list = append(list, n)
				}
			}
		}
	}
	return list
}

// Two processes that share a cache are killed midway. No case that
// either has saved is lost, and no partly written file remains.
func TestTwoProcesses(t *testing.T) {
	rounds := 3
	if os.Getenv("JOSTLE_NIGHTLY") != "" {
		rounds = 100
	}
	for round := range rounds {
		c := In(t.TempDir(), Key{})
		one, first := sharer(t, c, 2*round)
		two, second := sharer(t, c, 2*round+1)
		time.Sleep(150*time.Millisecond + time.Duration(round%7)*3*time.Millisecond)
		for _, cmd := range []*exec.Cmd{one, two} {
			cmd.Process.Kill()
			cmd.Wait()
		}
		if first.Len() == 0 || second.Len() == 0 {
			t.Logf("a process has not begun")
			continue
		}
		if list := lost(c, first, second); len(list) > 0 {
			t.Fatalf("round %d: %v are lost; there are %q", round, list, filesIn(t, c))
		}
		for _, path := range filesIn(t, c) {
			text, err := os.ReadFile(path)
			if err == nil && filepath.Ext(path) == extension && strings.Join(split(string(text)), "") != string(text) {
				t.Errorf("%s is half a file", path)
			}
		}
		search(t, c, caseOf(1))
		if list := lost(c, first, second); len(list) > 0 {
			t.Fatalf("round %d: %v are lost by the next search", round, list)
		}
	}
}

// TestLossIsNoticed checks that the tests notice a cache that loses saved cases.
func TestLossIsNoticed(t *testing.T) {
	c := In(t.TempDir(), Key{})
	search(t, c, caseOf(1, 2))
	if list := lost(c, bytes.NewBufferString("kept [2 1]\nkept [1 3]\nPASS\n")); !slices.Equal(list, []string{"3"}) {
		t.Errorf("noticed %q", list)
	}
}
