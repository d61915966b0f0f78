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

// fill makes this process write no file of more than some bytes, as on a full disk.
func fill() error {
	signal.Ignore(syscall.SIGXFSZ)
	return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 100, Max: 100})
}

// alive reports whether there is a process.
func alive(pid int) bool { return syscall.Kill(pid, 0) == nil }

// TestFullDisk: on a full disk failures are told of all the same, with their cases, and
// no part of a file is left.
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

// TestOneCampaignForAFile: while a campaign has a file, another one is told who has it and
// what to do, in the same process and in another; and none is when the first was killed.
// Each used to write what it had over what the other had: of two that searched in other
// properties, the file told of the one that ended last.
func TestOneCampaignForAFile(t *testing.T) {
	trial.Long(t)
	dir := t.TempDir()
	state := filepath.Join(dir, "state.json")
	one := process(dir, t.TempDir(), isEndless+"=1")
	if err := one.Start(); err != nil {
		t.Fatal(err)
	}
	for i := 0; ; i++ { // until it has begun
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
