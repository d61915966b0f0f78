package fuzz

import (
	"strings"
	"testing"

	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

// mustSamples are calls of MustFind. A test compares their output with exact texts.
var mustSamples = map[string]func(*testing.T){
	"must-found": func(t *testing.T) {
		if f := MustFind(t, overdraws); !strings.Contains(f.Failure.Text, "overdrawn") {
			t.Errorf("found %q", f.Failure.Text)
		}
	},
	"must-held":    func(t *testing.T) { unreached(t, Config{Runs: 50}.MustFind(t, one)) },
	"must-skipped": func(t *testing.T) { unreached(t, Config{Runs: 50}.MustFind(t, skips)) },
	"must-missed":  func(t *testing.T) { unreached(t, Config{Runs: 50}.MustFind(t, missesSome)) },
	"must-misuse": func(t *testing.T) {
		unreached(t, Config{Runs: 50}.MustFind(t, func(t *props.T) { t.System().Spawn("actor", pulse.Func(func(*pulse.Ctx, any) {})) }))
	},
	"must-fickle": func(t *testing.T) { unreached(t, Config{Runs: 50}.MustFind(t, fickle())) },
}

// unreached is called only if MustFind returns although it found nothing.
func unreached(t *testing.T, found any) { t.Errorf("returned %v", found) }

// MustFind saves no case, and it runs no saved case, such as the one that Check saved.
func TestMustFindKeepsNothing(t *testing.T) {
	dir := t.TempDir()
	for _, sample := range []struct {
		name, want string
		kept       int
	}{
		{"must-found", "--- PASS", 0},
		{"one-check", "--- FAIL", 1},
		{"must-found", "--- PASS", 1},
	} {
		out := runSample(t, sample.name, dir)
		if !strings.Contains(out, sample.want) || strings.Contains(out, "saved case") {
			t.Errorf("%s, which is to %s:\n%s", sample.name, sample.want, out)
		}
		if kept := cases(t, dir); len(kept) != sample.kept {
			t.Errorf("after %s there are %q", sample.name, kept)
		}
	}
}
