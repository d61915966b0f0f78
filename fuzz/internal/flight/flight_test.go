package flight

import (
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

var sample = Record{Call: Call{Dir: "/src/bank", Test: "TestBank/big", Verb: "Check", Func: "bank.neverOverdrawn"},
	Seed: 7, Strategies: []string{"pos"}, Workers: 2, Runs: 9}

// open begins a record in a folder of the test.
func open(t *testing.T, f Folder, r Record) *Recorder {
	t.Helper()
	rec := f.Record(r)
	if rec == nil {
		t.Skip("nothing can be recorded here") // Skips: on operating systems without file locks
	}
	return rec
}

// die releases the lock of a record, as the end of its process would.
func (r *Recorder) die() {
	Unmap(r.head)
	unlock(r.file)
	r.file.Close()
}

// files returns the names of the files in a folder.
func files(t *testing.T, f Folder) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(string(f))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// A record can be read after the process has died, and by one process only.
func TestRecordIsLeft(t *testing.T) {
	f := Folder(filepath.Join(t.TempDir(), "new", "flight"))
	rec := open(t, f, sample)
	rec.Slot(0).Begin(Exhaust, 3)
	rec.Slot(0).Begin(Sample, 17)
	rec.Slot(1).Begin(Explore, 1<<30)
	rec.Slot(mostKept*10).Begin(Saved, 1) // a slot beyond the limit of workers
	if list, broken := f.Left(sample.Call); len(list) != 0 || broken != 0 {
		t.Fatalf("a process that lives has left %d records, %d broken", len(list), broken)
	}
	rec.die()
	other := sample.Call
	other.Func = "bank.neverLost"
	if list, _ := f.Left(other); len(list) != 0 {
		t.Errorf("another call has left %d records", len(list))
	}
	list, broken := f.Left(sample.Call)
	if len(list) != 1 || broken != 0 {
		t.Fatalf("%d records are left, %d are broken", len(list), broken)
	}
	want := sample
	want.On = []Run{{Sample, 17}, {Explore, 1 << 30}}
	if got := list[0].Record; !reflect.DeepEqual(got, want) {
		t.Errorf("left is\n%+v, want\n%+v", got, want)
	}
	if again, _ := f.Left(sample.Call); len(again) != 0 {
		t.Error("two have the same record")
	}
	list[0].Keep()
	if list, _ = f.Left(sample.Call); len(list) != 1 {
		t.Fatal("what was kept is gone")
	}
	list[0].Remove()
	if names := files(t, f); len(names) != 0 {
		t.Errorf("left behind: %q", names)
	}
}

// Processes with the same call at the same time have separate records. Dead processes of
// the same run are reported once.
func TestRecordsOfSeveralProcesses(t *testing.T) {
	f := Folder(t.TempDir())
	var all []*Recorder
	for i := range 5 {
		all = append(all, open(t, f, sample))
		all[i].Slot(0).Begin(Sample, i/2)
	}
	for _, rec := range all[:4] {
		rec.die()
	}
	list, broken := f.Left(sample.Call)
	if len(list) != 2 || broken != 0 {
		t.Errorf("%d records, %d broken; want 2 of runs 1 and 2", len(list), broken)
	}
	for _, l := range list {
		l.Remove()
	}
	if names := files(t, f); len(names) != 1 || filepath.Join(string(f), names[0]) != all[4].path {
		t.Errorf("there are %q, want that of the process that lives", names)
	}
	all[4].End()
	if names := files(t, f); len(names) != 0 {
		t.Errorf("left behind: %q", names)
	}
}

// A record is read whole or not at all, wherever it is cut off and whichever byte is
// changed.
func TestBrokenRecords(t *testing.T) {
	text := encode(&sample)
	for n := range len(text) {
		if r, err := decode(text[:n]); err == nil {
			t.Errorf("the first %d of %d bytes are %+v", n, len(text), r)
		}
	}
	word := func(b []byte, w uint64) { binary.NativeEndian.PutUint64(b[8*(firstWord+5):], w) }
	for name, change := range map[string]func([]byte){
		"magic":  func(b []byte) { b[0]++ },
		"phase":  func(b []byte) { word(b, uint64(phases)<<phaseShift|1) },
		"none":   func(b []byte) { word(b, 1) },
		"no run": func(b []byte) { word(b, uint64(Sample)<<phaseShift) },
		"brace":  func(b []byte) { b[headSize] = 'x' },
		"workers": func(b []byte) {
			copy(b[headSize:], strings.Replace(string(b[headSize:]), `"Workers":2`, `"Workers":0`, 1))
		},
	} {
		b := append([]byte(nil), text...)
		change(b)
		if r, err := decode(b); err == nil {
			t.Errorf("%s: %+v", name, r)
		}
	}
	f := Folder(t.TempDir())
	open(t, f, sample).End()
	for i, text := range []string{"", "jostlef1", string(text[:headSize+5])} {
		path := filepath.Join(string(f), fmt.Sprintf("%s-%d%s", sample.key(), i, extension))
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if list, broken := f.Left(sample.Call); len(list) != 0 || broken != 3 || len(files(t, f)) != 0 {
		t.Errorf("%d records, %d broken, and there are still %q", len(list), broken, files(t, f))
	}
}

// The folder is limited: it keeps the newest records of dead processes, and all of live
// ones.
func TestOldRecordsAreCleared(t *testing.T) {
	f := Folder(t.TempDir())
	lives := open(t, f, sample)
	old := time.Unix(1, 0)
	if err := os.Chtimes(lives.path, old, old); err != nil {
		t.Fatal(err)
	}
	for i := range 3 * mostKept {
		r := sample
		r.Seed = uint64(i)
		rec := open(t, f, r)
		rec.die()
		if err := os.Chtimes(rec.path, old.Add(time.Duration(i)*time.Second), old.Add(time.Duration(i)*time.Second)); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(files(t, f)); n > mostKept+2 {
		t.Errorf("there are %d files", n)
	}
	if _, err := os.Stat(lives.path); err != nil {
		t.Error("the record of a process that lives is gone")
	}
	lives.End()
	list, _ := f.Left(sample.Call)
	for _, l := range list {
		if l.Seed < mostKept {
			t.Errorf("run %d of %d is kept", l.Seed, 3*mostKept)
		}
		l.Remove()
	}
}

// Without a writable folder nothing is recorded, and callers need no check.
func TestNoRecorder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, f := range []Folder{"", In(""), In(file)} {
		rec := f.Record(sample)
		if rec != nil {
			t.Errorf("%q: there is a record %s", f, rec.path)
		}
		rec.Slot(0).Begin(Sample, 1)
		rec.End()
		if list, broken := f.Left(sample.Call); list != nil || broken != 0 {
			t.Errorf("%q: %d are left, %d broken", f, len(list), broken)
		}
	}
}

// Begin allocates nothing.
func TestBeginAllocatesNothing(t *testing.T) {
	rec := open(t, Folder(t.TempDir()), sample)
	defer rec.End()
	s := rec.Slot(0)
	if n := testing.AllocsPerRun(100, func() { s.Begin(Sample, 5) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// A replaying process gets the arguments of the test, and
// the flags of package testing that can influence a run.
func TestArguments(t *testing.T) {
	own := []string{"-test.v=true", "-test.short", "--test.cpu=1,2", "-test.run=^TestX", "-test.fuzz=F", "-test.testlogfile=/x",
		"-test.timeout", "1m", "-test.parallel", "3", "-test.v", "-size=3", "more"}
	got := strings.Join(arguments("^TestBank$/^big$", 5*time.Second, true, own), " ")
	const want = "-test.run=^TestBank$/^big$ -test.timeout=5s -test.count=1 -test.paniconexit0 -test.v=true -test.short --test.cpu=1,2 -test.parallel=3 -test.v -test.v=true -size=3 more"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// The value of -exec is split as go test splits it.
func TestSplit(t *testing.T) {
	for text, want := range map[string][]string{
		"":                        nil,
		" sudo  -E ":              {"sudo", "-E"},
		`env 'A=1 2' "B='" c"d e`: {"env", "A=1 2", "B='", `c"d`, "e"},
		"run ''":                  {"run", ""},
	} {
		if got := split(text); !slices.Equal(got, want) {
			t.Errorf("%s: %q", text, got)
		}
	}
}

// The shown lines of a process's output say why it ended.
func TestTelling(t *testing.T) {
	lines := func(from, to int) string {
		var b strings.Builder
		for i := from; i <= to; i++ {
			fmt.Fprintf(&b, "line %d\n", i)
		}
		return b.String()
	}
	for _, test := range []struct{ name, text, want string }{
		{"nothing", "", ""},
		{"few lines", lines(1, 3), lines(1, 3)},
		{"many lines", lines(1, 100), lines(76, 100)},
		{"a fatal error", lines(1, 50) + "fatal error: no\n" + lines(51, 100), lines(46, 50) + "fatal error: no\n" + lines(51, 69)},
		{"at once", "panic: no\n" + lines(1, 100), "panic: no\n" + lines(1, 19)},
		{"no progress", "   TestX, fuzz.Check of x: NO PROGRESS for 1s\npanic: no", "   TestX, fuzz.Check of x: NO PROGRESS for 1s\npanic: no"},
	} {
		if got := (&Tail{[]byte(test.text)}).LastWords(); strings.TrimSpace(got) != strings.TrimSpace(test.want) {
			t.Errorf("%s: got\n%s\nwant\n%s", test.name, got, test.want)
		}
	}
	var end Tail
	for range 100 {
		fmt.Fprint(&end, strings.Repeat("x", mostTail/10))
	}
	fmt.Fprint(&end, "end")
	if n := len(end.text); n > 2*mostTail || n < mostTail || !strings.HasSuffix(string(end.text), "xend") {
		t.Errorf("%d bytes are kept", n)
	}
}

// TestReasonOfRaces: for a data race the reason has both accesses, in any order, without
// calls of the runtime.
func TestReasonOfRaces(t *testing.T) {
	const first, second = `Write at 0x00c00009a0f0 by goroutine 8:
  runtime.mapassign_faststr()
      /usr/local/go/src/internal/runtime/maps/runtime_faststr.go:263 +0x0
  example.com/user/bank.(*account).Receive()
      /home/user/bank/account.go:4 +0x4a
`, `read at 0x00c00009a0f0 by main goroutine:
  example.com/user/bank.look()
      /home/user/bank/look.go:3 +0x14e
  main.main()
      /home/user/main.go:4 +0x12
`
	for _, text := range []string{
		first + "\nPrevious " + second,
		"R" + second[1:] + "\nPrevious w" + first[1:],
	} {
		tail := &Tail{}
		fmt.Fprintf(tail, "==================\nWARNING: DATA RACE\n%s\nGoroutine 8 (running) created at:\n  main.main()\n      /home/user/main.go:4 +0xf9\n==================\n", text)
		if got, want := tail.Reason(), "WARNING: DATA RACE between bank.(*account).Receive and bank.look"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	tail := &Tail{}
	fmt.Fprint(tail, "WARNING: DATA RACE\nWrite at 0x1 by goroutine 8:\n  [failed to restore the stack]\n\nPrevious")
	if got := tail.Reason(); !strings.HasPrefix(got, "WARNING: DATA RACE") {
		t.Errorf("got %q", got)
	}
}

// TestMade is the test that is replayed in the process that TestWhatComesOfRuns starts.
func TestMade(t *testing.T) {
	path := os.Getenv(Variable)
	switch path {
	case "":
		return
	case left:
		time.Sleep(2 * waitForPipes)
		return
	}
	r, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, deed := range strings.Fields(r.Func) {
		switch deed {
		case "begins":
			err = Begin(path)
		case "lands":
			err = Land(path, true)
		case "fails":
			t.Error("no")
		case "exits":
			os.Exit(3)
		case "stays":
			time.Sleep(time.Hour)
		case "leaves":
			_, err = linger()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// After a process has kept a record, the next one can read it, even
// while a process that is being started still has the file open.
func TestKeptWhileAnotherProcessStarts(t *testing.T) {
	f := Folder(t.TempDir())
	rec := open(t, f, sample)
	rec.Slot(0).Begin(Sample, 3)
	rec.die()
	for range 2 {
		list, broken := f.Left(sample.Call)
		if len(list) != 1 || broken != 0 {
			t.Fatalf("%d records are left, %d are broken, of %q", len(list), broken, files(t, f))
		}
		cmd, err := linger(list[0].file)
		if err != nil {
			t.Fatal(err)
		}
		defer cmd.Wait()
		defer cmd.Process.Kill()
		list[0].Keep()
	}
}

// Take can take a file from a killed process, even if a process that it was starting holds
// the file briefly. Take cannot take a file from a live process, and returns that process.
func TestTakenFromTheDead(t *testing.T) {
	if !canLock {
		t.Skip("there are no locks here") // Skips: on operating systems without file locks
	}
	path := filepath.Join(t.TempDir(), "state")
	dead, _ := Take(path)
	cmd, err := linger(dead.file)
	if err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	dead.file.Close()
	time.AfterFunc(patience/10, func() { cmd.Process.Kill() })
	h, who := Take(path)
	if h == nil {
		t.Fatalf("%s has the file still", who)
	}
	defer h.Release()
	if h, who := Take(path); h != nil || !strings.HasPrefix(who, fmt.Sprintf("process %d, since ", os.Getpid())) {
		t.Errorf("taken from one that has it: %v; %s has it", h, who)
	}
}

// left is the value of Variable in a process that outlives its parent.
const left = "left"

// linger starts a process that inherits the given files and this
// one's output. It keeps them open for longer than Again waits.
func linger(more ...*os.File) (*exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self, "-test.run=^TestMade$")
	cmd.Env = append(os.Environ(), Variable+"="+left)
	cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = os.Stdout, os.Stderr, more
	return cmd, cmd.Start()
}

// TestWhatComesOfRuns: if a process dies after its run has ended, the run is not
// blamed. If the time limit ends a process, that does not count as its death.
func TestWhatComesOfRuns(t *testing.T) {
	for _, c := range []struct {
		deeds   string
		endless bool // as in Launch
		died    bool
		want    string
	}{
		{"begins lands", false, false, ": replayed in its own process, the run ended normally"},
		{"begins lands fails", false, false, ": replayed in its own process, the run ended normally"},
		{"begins lands stays", false, false, ": replayed in its own process, the run ended normally"},
		{"begins lands leaves", false, false, ": replayed in its own process, the run ended normally"},
		{"begins lands exits", false, true, ": replayed, the run ended, but handling its failure killed the process: exit status 3"},
		{"begins exits", false, true, ": replayed, the run kills its process again: exit status 3"},
		{"begins stays", false, true, ": replayed, the run does not end within 5s: exit status 2"},
		{"begins stays", true, false, ": replayed, the run does not end within 5s"},
		{"begins", true, false, ": replayed, the run was given up, and its process went on"},
		{"begins fails", true, false, ": replayed, the run was given up, and its process went on"},
		{"begins exits", true, true, ": replayed, the run kills its process again: exit status 3"},
		{"fails", false, false, ": the run could not be replayed: the test did not reach the run within 30s (exit status 1)"},
	} {
		t.Run(c.deeds, func(t *testing.T) {
			t.Parallel()
			f := Folder(t.TempDir())
			r := Record{Call: Call{Dir: ".", Test: "TestMade", Verb: "Check", Func: c.deeds}, Workers: 1}
			rec := open(t, f, r)
			rec.Slot(0).Begin(Sample, 3)
			rec.die()
			list, broken := f.Left(r.Call)
			if len(list) != 1 || broken != 0 {
				t.Fatalf("%d records are left, %d are broken, of %q", len(list), broken, files(t, f))
			}
			limit := 30 * time.Second
			if strings.HasSuffix(c.deeds, "stays") {
				limit = 5 * time.Second
			}
			out := list[0].Again(limit, Launch{Tool: "jostle test", Verb: "jostle test", Endless: c.endless})
			list[0].Remove()
			if out.Died != c.died || !strings.Contains(out.Text, ", jostle test of TestMade, seed 0"+c.want) {
				t.Errorf("died %v, says %q; want %v, %q", out.Died, out.Text, c.died, c.want)
			}
			if out.Died && !strings.Contains(out.Text, " jostle test -run ") {
				t.Errorf("not the command by which the test was run: %q", out.Text)
			}
		})
	}
}
