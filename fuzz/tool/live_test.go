package tool

import (
	"os"
	"strings"
	"testing"
)

// TestAllowed: where a live screen may be drawn.
func TestAllowed(t *testing.T) {
	for _, c := range []struct {
		env, system string
		want        bool
	}{
		{"TERM=xterm", "linux", true}, {"", "linux", true}, {"TERM=dumb", "linux", false},
		{"CI=true", "linux", false}, {"CI=1", "darwin", false}, {"CI=false", "linux", true}, {"NO_COLOR=1", "linux", true},
		{"", "windows", false}, {"WT_SESSION=x", "windows", true}, {"WT_SESSION=x CI=true", "windows", false},
	} {
		getenv := func(name string) string {
			for _, v := range strings.Fields(c.env) {
				if value, is := strings.CutPrefix(v, name+"="); is {
					return value
				}
			}
			return ""
		}
		if got := allowed(getenv, c.system); got != c.want {
			t.Errorf("%q on %s: %v", c.env, c.system, got)
		}
	}
	if newLive(&Call{Out: new(strings.Builder)}, os.Getenv) != nil {
		t.Error("a file is a terminal")
	}
}
