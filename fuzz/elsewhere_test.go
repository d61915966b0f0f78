package fuzz_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jostle-go/jostle/fuzz"
	"github.com/jostle-go/jostle/fuzz/internal/flight"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

// A doubting has the methods that package existing adds to a test. It stores the reason why a failure
// may be a false alarm.
type doubting struct {
	*testing.T
	failed bool
	doubts string
}

func (d *doubting) Fail()                         { d.failed = true }
func (d *doubting) DoubtedByJostle(reason string) { d.doubts = reason }
func (d *doubting) StalledByJostle()              {}
func (d *doubting) EnvironmentOfJostle() []string { return nil }
func (d *doubting) SpentByJostle() time.Duration  { return 0 }

// TestElsewhere: a failing run of an existing test is shown only after it has failed in a new
// process too. A run that fails because of earlier runs of this process does not. A run that
// passes, but differs when it is replayed, is not called a failing one. If an earlier test has changed
// the schedule, the failing run shown is one that was found in the new process. If there can be no new
// process, the failing run is shown.
func TestElsewhere(t *testing.T) {
	runs, left := 0, false
	for _, c := range []struct {
		name   string
		exec   string // as flag -exec of go test
		fails  func(*pulse.System) bool
		failed bool
		doubts string
	}{
		{"in each process", "", func(*pulse.System) bool { return true }, true, ""},
		{"in a process of another program", "env ADDED=1", func(*pulse.System) bool {
			_, isNew := os.LookupEnv("JOSTLE_REPLAY")
			return !isNew || os.Getenv("ADDED") != ""
		}, true, ""},
		{"without a new process", "./nowhere", func(*pulse.System) bool { return true }, true, ""},
		{"in this process", "", func(*pulse.System) bool { runs++; return runs > 3 }, false, "a failing run did not repeat in a new process: it does not fail"},
		{"never", "", func(sys *pulse.System) bool {
			runs++
			sys.Send(sys.Spawn("actor", pulse.Func(func(*pulse.Ctx, any) {})), []any{"text", 1}[runs%2])
			return false
		}, false, "a run did not repeat: step 0 wanted "},
		{"leaves a variable", "", func(*pulse.System) bool { left = true; return false }, false, ""},
		{"after it", "", func(sys *pulse.System) bool {
			if left {
				sys.Send(sys.Spawn("other", pulse.Func(func(*pulse.Ctx, any) {})), "text")
			}
			return true
		}, true, "a failing run did not repeat in a new process: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := &doubting{T: t}
			t.Setenv(flight.ExecVariable, c.exec)
			fuzz.Config{Runs: 80, Folder: t.TempDir()}.Check(d, func(t *props.T) {
				sys := t.System()
				fails := c.fails(sys)
				if sys.Run(); fails {
					t.Error("it fails")
				}
			})
			if _, isNew := os.LookupEnv("JOSTLE_ALONE"); isNew {
				return // the process that asked for this one checks the result
			}
			if d.failed != c.failed || !strings.HasPrefix(d.doubts, c.doubts) || (c.doubts == "") != (d.doubts == "") {
				t.Errorf("failed: %v, doubts: %q", d.failed, d.doubts)
			}
		})
	}
}
