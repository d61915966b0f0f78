//go:build linux || darwin

package corpus

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"
)

// large returns a case of some 40 KB that differs from others by its number.
func large(n int) Case {
	c := numbered(n)
	for i := range uint64(2000) {
		c.Record.Deliveries = append(c.Record.Deliveries, i)
	}
	return c
}

// savers are the actions that a child process repeats in a folder until it is killed. The child prints a line after
// each action.
var savers = map[string]func(Folder){
	"saves": func(f Folder) {
		for n := os.Getpid() << 16; ; n++ {
			c := large(n)
			c.Path = saved(f, c)
			fmt.Println("saved", c.Path)
			c.Comment = []string{"rewritten"}
			if _, err := f.Rewrite(c); err != nil { // Rewrite changes the path
				panic(err)
			}
		}
	},
	"writes": func(f Folder) { // a partial file, which the test must detect
		text, _ := Encode(large(1))
		file, err := os.Create(filepath.Join(f.Dir, "aaaaaa.case"))
		if err != nil {
			panic(err)
		}
		file.Write(text[:len(text)/2])
		for {
			fmt.Println("saved", saved(f, large(2)))
			time.Sleep(time.Millisecond)
		}
	},
}

func saved(f Folder, c Case) string {
	path, _, err := f.Save(c)
	if err != nil {
		panic(err)
	}
	return path
}

// TestSaver is what the child process runs: one of savers, until the process is killed.
func TestSaver(t *testing.T) {
	do, dir := os.Getenv("JOSTLE_SAVER"), os.Getenv("JOSTLE_SAVER_DIR")
	if do == "" {
		return
	}
	savers[do](Folder{Dir: dir})
}

// killed starts a child, kills it some time after it has printed n lines, and returns
// these lines.
func killed(t *testing.T, do string, f Folder, lines int, after time.Duration) (out []string) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "-test.run", "^TestSaver$")
	cmd.Env = append(os.Environ(), "JOSTLE_SAVER="+do, "JOSTLE_SAVER_DIR="+f.Dir)
	var errors bytes.Buffer
	cmd.Stderr = &errors
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for s := bufio.NewScanner(pipe); len(out) < lines && s.Scan(); {
		out = append(out, s.Text())
	}
	time.Sleep(after)
	cmd.Process.Kill()
	cmd.Wait()
	if len(out) < lines {
		t.Fatalf("the child ended by itself: %q\n%s", out, &errors)
	}
	return out
}

// broken returns what is wrong in a folder whose processes were killed after printing these
// lines.
func broken(f Folder, said []string) (list []string) {
	cases, problems := f.Load()
	for _, p := range problems {
		list = append(list, p.Error())
	}
	there := map[string]bool{}
	for i := range cases {
		c := &cases[i]
		there[caseIn(c.Path)] = true
		want := large(int(c.Record.Deliveries[4]))
		if want.Path = c.Path; len(c.Comment) == 1 {
			want.Comment = []string{"rewritten"}
		}
		if !reflect.DeepEqual(*c, want) {
			list = append(list, c.Path+" has another case")
		}
	}
	for _, line := range said {
		if path, ok := strings.CutPrefix(line, "saved "); ok && !there[caseIn(path)] {
			list = append(list, path+" was saved and is not there")
		}
	}
	return list
}

// caseIn returns the half of a file's name that identifies the case.
func caseIn(path string) string {
	half, _, _ := strings.Cut(path, "-")
	return half
}

// A process that is killed while it saves or rewrites cases leaves no partial file. All
// cases that it has reported as saved are there.
func TestKilledWhileSaving(t *testing.T) {
	kills := 20
	if os.Getenv("JOSTLE_NIGHTLY") != "" {
		kills = 500
	}
	f := Folder{Dir: t.TempDir()}
	var said []string
	for i := range kills {
		said = append(said, killed(t, "saves", f, 1+i%3, time.Duration(i%17)*97*time.Microsecond)...)
		if list := broken(f, said); len(list) > 0 {
			t.Fatalf("after %d kills:\n%s", i+1, strings.Join(list, "\n"))
		}
		if i%50 == 49 { // a new folder, so that the kills do not take longer and longer
			said, f.Dir = nil, t.TempDir()
		}
	}
}

// TestKilledIsNoticed checks that TestKilledWhileSaving would detect a partial file and a missing file.
func TestKilledIsNoticed(t *testing.T) {
	f := Folder{Dir: t.TempDir()}
	said := killed(t, "writes", f, 2, 0)
	if list := broken(f, append(said, "saved gone.case")); len(list) != 2 || !strings.Contains(list[0], "aaaaaa.case:") || list[1] != "gone.case was saved and is not there" {
		t.Errorf("noticed %q", list)
	}
}

// On a full disk, only a part of a file can be written. Save then leaves no partial case file, and existing
// files stay. The test limits the size of files in place of filling a disk, which would need root.
func TestFullDisk(t *testing.T) {
	if os.Getenv("CORPUS_FULL_DISK") == "" { // go test writes files of its own in this process
		exe, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(exe, "-test.run", "^TestFullDisk$")
		cmd.Env = append(os.Environ(), "CORPUS_FULL_DISK=1")
		if out, err := cmd.CombinedOutput(); err != nil || !strings.HasPrefix(string(out), "PASS") {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	signal.Ignore(syscall.SIGXFSZ)
	defer signal.Reset(syscall.SIGXFSZ)
	f := Folder{Dir: t.TempDir()}
	small := numbered(1)
	small.Path = save(t, f, small)
	text, err := os.ReadFile(small.Path)
	if err != nil {
		t.Fatal(err)
	}
	var was syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
		t.Fatal(err)
	}
	bounded := was
	bounded.Cur = 2000
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &bounded); err != nil {
		t.Fatal(err)
	}
	_, fresh, failed := f.Save(large(2))
	small.Comment = []string{strings.Repeat("long ", 1000)}
	_, rewritten := f.Rewrite(small)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{failed, rewritten} {
		if err == nil || !strings.Contains(err.Error(), "file too large: make room or give access there") {
			t.Errorf("the error is %v", err)
		}
	}
	if list := files(t, f.Dir); fresh || len(list) != 1 {
		t.Errorf("fresh: %v, the folder has %q", fresh, list)
	}
	if got, err := os.ReadFile(small.Path); err != nil || !bytes.Equal(got, text) {
		t.Errorf("what was there is now %q, %v", got, err)
	}
}
