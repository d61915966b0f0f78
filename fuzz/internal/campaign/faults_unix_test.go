//go:build linux || darwin

package campaign_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jostle-go/jostle/fuzz/internal/campaign"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
)

// fill limits the size of each file that this process writes. Writing then fails as on a full disk.
func fill() error {
	signal.Ignore(syscall.SIGXFSZ)
	return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 100, Max: 100})
}

// alive reports whether a process with this id exists.
func alive(pid int) bool { return syscall.Kill(pid, 0) == nil }

// TestFullDisk: on a full disk failures are still reported,
// with the text of their cases. No partly written file remains.
func TestFullDisk(t *testing.T) {
	dir, there := t.TempDir(), t.TempDir()
	text, err := process(dir, there, isFull+"=1").CombinedOutput()
	out := string(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{"the case cannot be saved in ", "make room or give access there", "jostle case ", "\nend\n", "FOUND twoBugs: "} {
		if strings.Count(out, want) < 1 {
			t.Errorf("no %q in:\n%s", want, out)
		}
	}
	if got := loads(t, filepath.Join(dir, "cases")); len(got) > 0 {
		t.Errorf("kept %q", got)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "cases", "*", "*")); len(left) > 0 {
		t.Errorf("there are %q", left)
	}
}

// TestOneCampaignForAFile: while one campaign uses a state file, a second
// one is refused, in the same process or another. The message says which
// process uses the file and what to do. After the first was killed, the
// second may start. Two such campaigns used to overwrite each other's file.
func TestOneCampaignForAFile(t *testing.T) {
	trial.Long(t)
	t.Parallel() // it mostly waits
	dir := t.TempDir()
	state := filepath.Join(dir, "state.json")
	one := process(dir, t.TempDir(), isEndless+"=1")
	if err := one.Start(); err != nil {
		t.Fatal(err)
	}
	for i := 0; ; i++ { // wait until the first campaign has begun
		if text, _ := os.ReadFile(state + ".jostle-lock"); len(text) > 0 {
			break
		}
		if i == 6000 {
			one.Process.Kill()
			t.Fatal("no campaign has begun in a minute")
		}
		time.Sleep(10 * time.Millisecond)
	}
	const want = "another campaign uses this state file: process %d, since "
	o := campaign.Options{Runs: 10, File: state, Env: environment(dir)}
	_, err := campaign.Run(t.Context(), subjects(t, o.Env, "TestHolds"), o)
	if !errors.Is(err, campaign.ErrInUse) || !strings.Contains(err.Error(), fmt.Sprintf(want, one.Process.Pid)) ||
		!strings.HasSuffix(err.Error(), "; wait until that campaign ends, stop it, or choose another file") {
		t.Errorf("the second in a file is told: %v", err)
	}
	out, err := process(dir, t.TempDir()).CombinedOutput()
	if err == nil || !strings.Contains(string(out), fmt.Sprintf(want, one.Process.Pid)) {
		t.Errorf("the second process in a file is told: %v\n%s", err, out)
	}
	one.Process.Kill()
	one.Wait()
	campaignOf(t, dir, o, "TestHolds")
	if _, err := os.Stat(state + ".jostle-lock"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the lock of a campaign that has ended is there: %v", err)
	}
}
