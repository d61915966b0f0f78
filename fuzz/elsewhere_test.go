package fuzz_test

import (
	"strings"
	"testing"
	"time"

	"github.com/jostle-go/jostle/fuzz"
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
// passes, but differs when it is replayed, is not called a failing one.
func TestElsewhere(t *testing.T) {
	runs := 0
	for _, c := range []struct {
		name   string
		fails  func() bool
		failed bool
		doubts string
	}{
		{"in each process", func() bool { return true }, true, ""},
		{"in this process", func() bool { runs++; return runs > 3 }, false, "a failing run did not repeat in a new process: it does not fail"},
		{"never", func() bool { return false }, false, "a run did not repeat: step 0 wanted "},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := &doubting{T: t}
			fuzz.Config{Runs: 80, Folder: t.TempDir()}.Check(d, func(t *props.T) {
				sys := t.System()
				if c.name == "never" {
					runs++
					sys.Send(sys.Spawn("actor", pulse.Func(func(*pulse.Ctx, any) {})), []any{"text", 1}[runs%2])
				}
				sys.Run()
				if c.fails() {
					t.Error("it fails")
				}
			})
			if d.failed != c.failed || !strings.HasPrefix(d.doubts, c.doubts) || c.failed != (d.doubts == "") {
				t.Errorf("failed: %v, doubts: %q", d.failed, d.doubts)
			}
		})
	}
}
