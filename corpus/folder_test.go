package corpus

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jostle-go/jostle/pulse/choice"
)

// numbered returns a case that differs from others by its number.
func numbered(n int) Case {
	e := writerCase()
	e.Record.Deliveries = append(e.Record.Deliveries, uint64(n))
	return e
}

func save(t *testing.T, f Folder, e Case) string {
	t.Helper()
	path, fresh, err := f.Save(e)
	if err != nil || !fresh {
		t.Fatalf("fresh: %v, %v", fresh, err)
	}
	return path
}

// files returns the names of all files in a folder.
func files(t *testing.T, dir string) (list []string) {
	t.Helper()
	inside, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range inside {
		list = append(list, e.Name())
	}
	return list
}

func TestSaveAndLoad(t *testing.T) {
	f := FolderOf(filepath.Join(t.TempDir(), "deep", "down"), "resultsAreStored")
	if cases, problems := f.Load(); cases != nil || problems != nil {
		t.Fatalf("a folder that is not there has %v, %v", cases, problems)
	}
	var want []string
	for n := range 5 {
		want = append(want, save(t, f, numbered(n)))
	}
	slices.Sort(want)
	cases, problems := f.Load()
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	var got []string
	for _, e := range cases {
		got = append(got, e.Path)
		original := numbered(int(e.Record.Deliveries[4]))
		original.Path = e.Path
		if !reflect.DeepEqual(e, original) {
			t.Errorf("loaded %+v", e)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("loaded %q, saved %q", got, want)
	}
	if info, err := os.Stat(got[0]); err != nil || info.Mode() != 0o644 {
		t.Errorf("the file has mode %v, %v", info.Mode(), err)
	}
	if err := f.Remove(cases[0]); err != nil {
		t.Error(err)
	}
	if cases, _ := f.Load(); len(cases) != 4 {
		t.Errorf("%d are left", len(cases))
	}
}

// TestNames checks that a file's name depends only on its text and is stable, because the files are in version control.
// The name begins with what distinguishes the case from others.
func TestNames(t *testing.T) {
	f := FolderOf(t.TempDir(), "resultsAreStored")
	path := save(t, f, writerCase())
	if name := filepath.Base(path); name != "8c0bb8-a6976d.case" {
		t.Errorf("the name is %s", name)
	}
	old := writerCase()
	if old.Property = ""; old.key()[:shortest] != "0b2069" {
		t.Errorf("as a case of version 1 it is named by %s", old.key())
	}
	same := map[string]func(*Case){
		"test":      func(e *Case) { e.Test = "TestOther" },
		"seed":      func(e *Case) { e.Seed++ },
		"strategy":  func(e *Case) { e.Strategy = "random" },
		"comment":   func(e *Case) { e.Comment = nil },
		"condition": func(e *Case) { e.Condition = "always" },
		"hash":      func(e *Case) { e.Hash++ },
	}
	for what, change := range same {
		e := writerCase()
		change(&e)
		if first := writerCase(); !e.Same(&first) {
			t.Errorf("with another %s it is another case", what)
		}
		if again, fresh, err := f.Save(e); again != path || fresh || err != nil {
			t.Errorf("with another %s it is saved to %s, fresh: %v, %v", what, again, fresh, err)
		}
	}
	other := map[string]func(*Case){
		"property":  func(e *Case) { e.Property = "other" },
		"signature": func(e *Case) { e.Signature = "" },
		"label":     func(e *Case) { e.Inputs[0].Label = "a" },
		"input":     func(e *Case) { e.Inputs[0].Seed++ },
		"word":      func(e *Case) { e.Inputs[0].Words[1]++ },
		"choice":    func(e *Case) { e.Record.Choices[0].Value++ },
		"order":     func(e *Case) { slices.Reverse(e.Record.Deliveries) },
		"schedule":  func(e *Case) { e.Schedule.Seed++ },
		"priority":  func(e *Case) { e.Schedule.Priorities = []choice.Priority{{ID: 1}} },
		"before":    func(e *Case) { e.Schedule.Before = []choice.Constraint{{First: 1}} },
		"answer":    func(e *Case) { e.Schedule.Choices = []choice.Choice{{N: 2}} },
	}
	f.Property = "" // allow cases of several properties
	for what, change := range other {
		e := writerCase()
		change(&e)
		if first := writerCase(); e.Same(&first) {
			t.Errorf("with another %s it is the same case", what)
		}
		save(t, f, e)
	}
	if list := files(t, f.Dir); len(list) != 1+len(other) {
		t.Errorf("the folder has %q", list)
	}
}

// TestTakenNames checks that nothing is overwritten when names collide: with another
// case, with a file that is not a case, or with a folder.
func TestTakenNames(t *testing.T) {
	f := FolderOf(t.TempDir(), "resultsAreStored")
	e := writerCase()
	hash := sha256.Sum256(unlike([]byte(encode(t, e))))
	name := func(digits int) string {
		return fmt.Sprintf("%s-%s.case", e.key()[:6], hex.EncodeToString(hash[:])[:digits])
	}
	text := encode(t, numbered(1))
	taken := []string{name(6), name(7)}
	if err := os.MkdirAll(filepath.Join(f.Dir, name(8)), 0o777); err != nil {
		t.Fatal(err)
	}
	for i, content := range []string{text, "mine"} {
		if err := os.WriteFile(filepath.Join(f.Dir, taken[i]), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	path := save(t, f, e)
	if filepath.Base(path) != name(9) {
		t.Errorf("saved as %s", path)
	}
	for i, want := range []string{text, "mine"} {
		if got, err := os.ReadFile(filepath.Join(f.Dir, taken[i])); err != nil || string(got) != want {
			t.Errorf("%s is now %q, %v", taken[i], got, err)
		}
	}
	if err := os.Remove(filepath.Join(f.Dir, taken[0])); err != nil {
		t.Fatal(err)
	}
	if again, fresh, err := f.Save(e); again != path || fresh || err != nil {
		t.Errorf("with its shortest name free it is saved to %s, fresh: %v, %v", again, fresh, err)
	}
}

func TestLoadProblems(t *testing.T) {
	f := FolderOf(t.TempDir(), "resultsAreStored")
	save(t, f, writerCase())
	other := writerCase()
	other.Property = "TestOther/sub"
	for name, text := range map[string]string{
		"0.case": encode(t, other), "1.case": "", "2.case": encode(t, writerCase())[:300], "3.txt": "notes", ".4.case": "hidden", ".5.tmp": "temporary",
	} {
		if err := os.WriteFile(filepath.Join(f.Dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(f.Dir, "6.case"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(f.Dir, "7.case"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(filepath.Join(f.Dir, "7.case"), 100<<20); err != nil { // on most disks this takes no space
		t.Fatal(err)
	}
	cases, problems := f.Load()
	if len(cases) != 1 || len(problems) != 5 {
		t.Fatalf("%d cases, problems %v", len(cases), problems)
	}
	want := []string{
		`DIR/0.case: the case is of the property "TestOther/sub", expected "resultsAreStored": ` +
			`move the file to the folder TestOther.sub, or correct its property line if the property was renamed`,
		`DIR/1.case:1: the file is empty, expected "jostle case 7": ` + restore,
		`DIR/2.case:10: the file has been cut off here: its last line is "property \"resultsAreStor", expected "end": ` + restore,
		`a case cannot be read: DIR/6.case is a folder: give it a name that does not end in .case`,
		`DIR/7.case:1: the file has 100 MB, expected at most 64: ` + restore,
	}
	for i, p := range problems {
		if got := strings.ReplaceAll(p.Error(), f.Dir+string(filepath.Separator), "DIR/"); got != want[i] {
			t.Errorf("problem %d is\n%s, expected\n%s", i, got, want[i])
		}
	}
	f.Property = ""
	if cases, _ := f.Load(); len(cases) != 2 {
		t.Errorf("%d cases of any property", len(cases))
	}
}

// Links to themselves, to nothing or to folders are problems. Links to files are
// read.
//
// Skips: on Windows, where only those with a privilege may make links, and on Plan 9,
// which has none.
func TestLinks(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOOS == "plan9" {
		t.Skip("not everybody may make links")
	}
	f := FolderOf(t.TempDir(), "resultsAreStored")
	path := save(t, f, writerCase())
	for link, to := range map[string]string{"a.case": "b.case", "b.case": "a.case", "c.case": "nowhere", "d.case": filepath.Base(path), "e.case": "."} {
		if err := os.Symlink(to, filepath.Join(f.Dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	cases, problems := f.Load()
	if len(cases) != 2 || len(problems) != 4 {
		t.Fatalf("%d cases, problems %v", len(cases), problems)
	}
	if got := problems[3].Error(); !strings.HasSuffix(got, "e.case is a folder: give it a name that does not end in .case") {
		t.Errorf("the last problem is %s", got)
	}
	for i, p := range problems[:3] {
		if want := filepath.Join(f.Dir, string("abc"[i])+".case"); !strings.Contains(p.Error(), want) || !strings.HasSuffix(p.Error(), ": give access to the file, or delete it") {
			t.Errorf("problem %d is %v", i, p)
		}
	}
	if err := os.Symlink("round", filepath.Join(f.Dir, "round")); err != nil {
		t.Fatal(err)
	}
	round := Folder{Dir: filepath.Join(f.Dir, "round")}
	if cases, problems := round.Load(); cases != nil || len(problems) != 1 || !strings.HasSuffix(problems[0].Error(), ": give access to the folder, or remove the file that has its name") {
		t.Errorf("a folder that is a link to itself has %v, %v", cases, problems)
	}
	if _, _, err := round.Save(numbered(1)); err == nil {
		t.Error("there is a case in a folder that is a link to itself")
	}
	if len(files(t, f.Dir)) != 7 {
		t.Errorf("the folder has %q", files(t, f.Dir))
	}
}

// TestIsAsSaved: IsAsSaved is false for a file that somebody has changed, renamed or
// moved.
func TestIsAsSaved(t *testing.T) {
	f, elsewhere := FolderOf(t.TempDir(), "resultsAreStored"), FolderOf(t.TempDir(), "resultsAreStored")
	c := numbered(1)
	c.Path = save(t, f, c)
	text, err := os.ReadFile(c.Path)
	if err == nil {
		err = os.MkdirAll(elsewhere.Dir, 0o777)
	}
	if err != nil {
		t.Fatal(err)
	}
	key, hash, _ := strings.Cut(strings.TrimSuffix(filepath.Base(c.Path), extension), "-")
	name := func(name string) string { return filepath.Join(f.Dir, name+extension) }
	for _, is := range []struct {
		path, text string
		want       bool
	}{
		{c.Path, string(text), true},
		{name(key + "-" + hashOf(text)), string(text), true}, // a longer name, as if shorter names were taken
		{c.Path, "# a note\n" + string(text), false},
		{name("mine"), string(text), false},
		{name(key), string(text), false},
		{name("000000-" + hash), string(text), false},
		{name(key + "-" + hash[:shortest-1]), string(text), false},
		{filepath.Join(elsewhere.Dir, filepath.Base(c.Path)), string(text), false},
	} {
		if err := os.WriteFile(is.path, []byte(is.text), 0o600); err != nil {
			t.Fatal(err)
		}
		o := c
		if o.Path = is.path; f.IsAsSaved(o) != is.want {
			t.Errorf("%s, %.20q: as saved is %v, want %v", is.path, is.text, !is.want, is.want)
		}
	}
	if c.Path = name("none"); f.IsAsSaved(c) {
		t.Error("a file that is not there is as it was saved")
	}
}

// Rewrite changes the condition and the comment of a saved case. It refuses a case with
// a different run, and a path that is not a case of the folder.
func TestRewrite(t *testing.T) {
	f := FolderOf(t.TempDir(), "resultsAreStored")
	c := writerCase()
	c.Path = save(t, f, c)
	c.Condition, c.Comment = "flush before write", []string{"now explained"}
	was := c.Path
	var err error
	if c.Path, err = f.Rewrite(c); err != nil {
		t.Fatal(err)
	}
	if filepath.Base(c.Path)[:7] != filepath.Base(was)[:7] || c.Path == was {
		t.Errorf("%s is now %s", was, c.Path)
	}
	if again, err := f.Rewrite(c); again != c.Path || err != nil {
		t.Errorf("rewritten once more it is %s, %v", again, err)
	}
	cases, _ := f.Load()
	if len(cases) != 1 || !reflect.DeepEqual(cases[0], c) {
		t.Errorf("the folder has %+v", cases)
	}
	other := numbered(1)
	other.Path = c.Path
	outside := c
	outside.Path = filepath.Join(f.Dir, "..", filepath.Base(c.Path))
	missing := c
	missing.Path = filepath.Join(f.Dir, "missing.case")
	for name, c := range map[string]Case{"another case": other, "outside": outside, "missing": missing} {
		if _, err := f.Rewrite(c); err == nil {
			t.Errorf("%s is written", name)
		}
	}
	if list := files(t, f.Dir); len(list) != 1 {
		t.Errorf("the folder has %q", list)
	}
}

// The smallest cases come first, whatever the order in which they are saved.
func TestLoadOrder(t *testing.T) {
	f := FolderOf(t.TempDir(), "resultsAreStored")
	sizes := []int{7, 3, 5, 0, 9}
	for _, n := range sizes {
		c := writerCase()
		c.Record = steps(n)
		save(t, f, c)
	}
	cases, _ := f.Load()
	var got []int
	for _, c := range cases {
		got = append(got, c.Record.Received())
	}
	if slices.Sort(sizes); !slices.Equal(got, sizes) {
		t.Errorf("loaded cases of %d steps, expected %d", got, sizes)
	}
}

func TestFind(t *testing.T) {
	f := FolderOf(t.TempDir(), "resultsAreStored")
	if _, err := f.Find("7f"); err == nil || !strings.HasSuffix(err.Error(), "where there are none") {
		t.Error(err)
	}
	for _, name := range []string{"7f3a91", "7f3b22", "9c0000", "9c00001"} {
		if err := os.MkdirAll(f.Dir, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(f.Dir, name+".case"), []byte(encode(t, writerCase())), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{
		"7f3a91": "7f3a91.case", "7f3b22.case": "7f3b22.case", "7f3a": "7f3a91.case", "9c0000": "9c0000.case",
		filepath.Join(f.Dir, "9c00001.case"): "9c00001.case",
		"7f3":                                `case "7f3" may be one of 7f3a91.case, 7f3b22.case: give more of the name`,
		"nothing":                            `there is no case "nothing": give the path of a file, or the name of one in ` + f.Dir + `, where there are 7f3a91.case, 7f3b22.case, 9c0000.case, 9c00001.case`,
	} {
		e, err := f.Find(name)
		got := filepath.Base(e.Path)
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %s, expected %s", name, got, want)
		}
	}
}

// TestSaveErrors checks that Save returns an error when it cannot save, and that
// existing files stay.
func TestSaveErrors(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	const advice = ": make room or give access there, or set JOSTLE_OUT to another folder"
	bad := writerCase()
	bad.Record.Choices[0].Kind = 99
	tests := []struct {
		name   string
		folder Folder
		c      Case
		want   string
	}{
		{"a file in its place", Folder{Dir: file}, writerCase(), "the case cannot be saved in DIR/file: mkdir DIR/file: not a directory" + advice},
		{"a file above it", FolderOf(file, "TestA"), writerCase(), `the case cannot be saved in DIR/file/TestA: it is of the property "resultsAreStored", expected "TestA"`},
		{"a file above", Folder{Dir: file + "/a/b"}, writerCase(), "the case cannot be saved in DIR/file/a/b: mkdir DIR/file: not a directory" + advice},
		{"no choice", Folder{Dir: dir}, bad, "corpus: choice 0 cannot be stored: kind 99, expected less than 9"},
	}
	for _, test := range tests {
		path, fresh, err := test.folder.Save(test.c)
		if err == nil || strings.ReplaceAll(err.Error(), dir, "DIR") != test.want || path != "" || fresh {
			t.Errorf("%s: %q, %v and\n%v, expected\n%s", test.name, path, fresh, err, test.want)
		}
	}
	if got, err := os.ReadFile(file); string(got) != "mine" || err != nil {
		t.Errorf("the file is now %q, %v", got, err)
	}
	if list := files(t, dir); !slices.Equal(list, []string{"file"}) {
		t.Errorf("the folder has %q", list)
	}
	if _, problems := (Folder{Dir: file}).Load(); len(problems) != 1 {
		t.Errorf("problems: %v", problems)
	}
}

// TestReadOnlyFolder checks that a failed Save in a folder without write permission leaves the folder unchanged. For
// root, Save succeeds there.
func TestReadOnlyFolder(t *testing.T) {
	f := FolderOf(t.TempDir(), "resultsAreStored")
	first := save(t, f, numbered(1))
	if err := os.Chmod(f.Dir, 0o555); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(f.Dir, 0o777)
	before := files(t, f.Dir)
	_, _, err := f.Save(numbered(2))
	cases, problems := f.Load()
	if len(problems) > 0 || len(cases) == 0 {
		t.Fatalf("%d cases, %v", len(cases), problems)
	}
	if err != nil && (!slices.Equal(files(t, f.Dir), before) || cases[0].Path != first) {
		t.Errorf("after %v the folder has %q", err, files(t, f.Dir))
	}
}

// TestFailedWrite checks that Save returns an error if it cannot create or rename a
// file.
func TestFailedWrite(t *testing.T) {
	dir := t.TempDir()
	if path, err := WriteAside(filepath.Join(dir, "missing"), []byte("text")); err == nil || path != "" {
		t.Errorf("a file in a folder that is not there: %q, %v", path, err)
	}
	if err := rename(filepath.Join(dir, "missing"), filepath.Join(dir, "a")); err == nil {
		t.Error("a file that is not there is renamed")
	}
}

// TestSaveTogether checks that workers who save at the same time lose nothing and save nothing
// twice.
func TestSaveTogether(t *testing.T) {
	f := FolderOf(t.TempDir(), "resultsAreStored")
	var wg sync.WaitGroup
	const workers, cases = 8, 12
	var mu sync.Mutex
	made := 0
	for range workers {
		wg.Go(func() {
			for n := range cases {
				_, fresh, err := f.Save(numbered(n))
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				if fresh {
					made++
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if list := files(t, f.Dir); len(list) != cases || made != cases {
		t.Errorf("%d were new, the folder has %q", made, list)
	}
}

func TestRemoveErrors(t *testing.T) {
	f := Folder{Dir: t.TempDir()}
	for _, path := range []string{"", "/etc/passwd", filepath.Join(f.Dir, "..", "a.case"), filepath.Join(f.Dir, "a.txt"), filepath.Join(f.Dir, "a.case")} {
		if err := f.Remove(Case{Path: path}); err == nil {
			t.Errorf("%s is removed", path)
		}
	}
}

func TestFolderNames(t *testing.T) {
	long := strings.Repeat("x", 200)
	tests := []struct{ property, want string }{
		{"TestResultsAreStored", "TestResultsAreStored"},
		{"TestA/sub", "TestA.sub"},
		{"TestA/sub/n=4,b-c#01", "TestA.sub.n=4,b-c#01"},
		{"TestA.sub", "TestA%2Esub"},
		{"TestA/a_b c\\d", "TestA.a_b%20c%5Cd"},
		{"TestA/ü", "TestA.%C3%BC"},
		{"TestA/100%", "TestA.100%25"},
		{"TestA/", "TestA%2F"},
		{"..", "%2E%2E"},
		{"/", "%2F"},
		{"", "%"},
		{long, long[:120] + "~aa20c23e32018340"},
	}
	seen := map[string]string{}
	for _, test := range tests {
		got := folderName(test.property)
		if got != test.want {
			t.Errorf("%q: %s, expected %s", test.property, got, test.want)
		}
		seen[strings.ToLower(got)] = test.property
	}
	if len(seen) != len(tests) {
		t.Errorf("%d properties share %d folders", len(tests), len(seen))
	}
	if f := FolderOf("", "TestA/b"); f.Dir != filepath.Join("testdata", "jostle", "TestA.b") || f.Property != "TestA/b" {
		t.Errorf("%+v", f)
	}
}

// FuzzFolderNames checks that no two properties share a folder, and that every name has only harmless
// characters.
func FuzzFolderNames(f *testing.F) {
	f.Add("TestA/b", "TestA.b")
	f.Add("TestA/%2F", "TestA//")
	f.Add("", "%")
	f.Fuzz(func(t *testing.T, a, b string) {
		x, y := folderName(a), folderName(b)
		if (a == b) != (x == y) {
			t.Fatalf("%q is %q, %q is %q", a, x, b, y)
		}
		if x[0] == '.' || x[len(x)-1] == '.' || len(x) > 137 || strings.Trim(x, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-=,+#.%~") != "" {
			t.Fatalf("%q is %q", a, x)
		}
	})
}

// A named pipe in the place of a case is a problem. Before, opening it waited forever.
//
// Skips: on Windows and Plan 9, whose folders have no named pipes.
func TestNamedPipes(t *testing.T) {
	f := FolderOf(t.TempDir(), "resultsAreStored")
	save(t, f, numbered(1))
	pipe := filepath.Join(f.Dir, "aaaaaa.case")
	if runtime.GOOS == "windows" || runtime.GOOS == "plan9" {
		t.Skip("there are no named pipes in folders")
	}
	if err := exec.Command("mkfifo", pipe).Run(); err != nil {
		t.Fatal(err)
	}
	cases, problems := f.Load()
	if len(cases) != 1 || len(problems) != 1 || !strings.Contains(problems[0].Error(), "aaaaaa.case is not a regular file (p---------): delete it") {
		t.Errorf("%d cases, problems %v", len(cases), problems)
	}
	if _, err := f.Find(pipe); err == nil {
		t.Error("a named pipe is found")
	}
	save(t, f, numbered(2))
}

// Files that killed processes left while saving are removed after an hour. Other files
// stay.
func TestAbandonedFilesAreCleared(t *testing.T) {
	f := FolderOf(t.TempDir(), "resultsAreStored")
	save(t, f, numbered(1))
	old := time.Now().Add(-2 * time.Hour)
	for name, when := range map[string]time.Time{".123.tmp": old, ".456.tmp": time.Now(), ".tmp": old, ".mine.tmp": old, "789.tmp": old} {
		path := filepath.Join(f.Dir, name)
		if err := os.WriteFile(path, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, when, when); err != nil {
			t.Fatal(err)
		}
	}
	save(t, f, numbered(2))
	list := files(t, f.Dir)
	for name, want := range map[string]bool{".123.tmp": false, ".456.tmp": true, ".tmp": true, ".mine.tmp": true, "789.tmp": true} {
		if slices.Contains(list, name) != want {
			t.Errorf("%s: there %v, expected %v", name, !want, want)
		}
	}
}

// A case may be pasted with the indentation of the test output.
func TestIndentedCase(t *testing.T) {
	text, err := Encode(writerCase())
	if err != nil {
		t.Fatal(err)
	}
	indented := "    " + strings.ReplaceAll(strings.TrimSuffix(string(text), "\n"), "\n", "\n    ")
	c, err := Decode("a.case", []byte(indented))
	if err != nil {
		t.Fatal(err)
	}
	if again, err := Encode(c); err != nil || string(again) != string(text) {
		t.Errorf("%v, read as\n%s", err, again)
	}
}

// TestReplace: a file is replaced as a whole. If it cannot be replaced it stays, and no other file is left in the
// folder.
func TestReplace(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	for _, text := range []string{"old", "new"} {
		if err := Replace(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != text {
			t.Errorf("%q, %v; want %q", got, err, text)
		}
	}
	folder := filepath.Join(dir, "folder")
	if err := os.MkdirAll(filepath.Join(folder, "in"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := Replace(folder, []byte("text")); err == nil {
		t.Error("a folder was replaced by a file")
	}
	if err := Replace(filepath.Join(dir, "none", "a"), nil); err == nil {
		t.Error("a file was written into a folder that is not there")
	}
	if names, err := os.ReadDir(dir); err != nil || len(names) != 2 {
		t.Errorf("%v, %v; want a file and a folder", names, err)
	}
}
