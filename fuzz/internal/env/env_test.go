package env

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestRead(t *testing.T) {
	for _, c := range []struct {
		name, value string
		want        Settings
		err         string
	}{
		{"JOSTLE_SEED", "7", Settings{Seed: 7}, ""},
		{"JOSTLE_SEED", "0x10", Settings{Seed: 16}, ""},
		{"JOSTLE_SEED", "-1", Settings{}, `JOSTLE_SEED is "-1": set it to a number of at least 1`},
		{"JOSTLE_BUDGET", "30s", Settings{Budget: 30 * time.Second}, ""},
		{"JOSTLE_BUDGET", "500", Settings{Runs: 500}, ""},
		{"JOSTLE_BUDGET", "0", Settings{}, `JOSTLE_BUDGET is "0": set it to a duration such as 30s, or to a number of runs`},
		{"JOSTLE_WORKERS", "3", Settings{Workers: 3}, ""},
		{"JOSTLE_WORKERS", "none", Settings{}, `JOSTLE_WORKERS is "none": set it to a number of at least 1`},
		{"JOSTLE_STRATEGY", " pos, urw", Settings{Strategies: []string{"pos", "urw"}}, ""},
		{"JOSTLE_STRATEGY", "pos,", Settings{}, `JOSTLE_STRATEGY is "pos,": set it to one or more of random, pos, urw, with commas between`},
		{"JOSTLE_STALL", "1m", Settings{Stall: time.Minute}, ""},
		{"JOSTLE_STALL", "0", Settings{}, `JOSTLE_STALL is "0": set it to a duration such as 30s`},
		{"JOSTLE_SHRINK", "1m", Settings{Shrink: time.Minute}, ""},
		{"JOSTLE_SHRINK", "0", Settings{Shrink: -1}, ""},
		{"JOSTLE_SHRINK", "-3s", Settings{}, `JOSTLE_SHRINK is "-3s": set it to a duration such as 30s, or to 0 to shrink nothing`},
		{"JOSTLE_REPAIR", "1", Settings{Repair: true}, ""},
		{"JOSTLE_REPAIR", "0", Settings{}, ""},
		{"JOSTLE_NETWORK", "3", Settings{Network: 3}, ""},
		{"JOSTLE_NETWORK", "on", Settings{}, `JOSTLE_NETWORK is "on": set it to the number of faults that the network of a run may have`},
		{"JOSTLE_EARLY", "2", Settings{Early: 2}, ""},
		{"JOSTLE_EARLY", "-1", Settings{}, `JOSTLE_EARLY is "-1": set it to the number of timers of a run that may fire although goroutines can run`},
		{"JOSTLE_DISTILL", "1", Settings{Distill: true}, ""},
		{"JOSTLE_DISTILL", "0", Settings{}, ""},
		{"JOSTLE_DISTILL", "yes", Settings{}, `JOSTLE_DISTILL is "yes": set it to 1 to begin with passing cases of earlier searches, or to 0 for the same search each time`},
		{"JOSTLE_REPAIR", "all", Settings{}, `JOSTLE_REPAIR is "all": set it to 1 to repair stale cases, or to 0 to leave them`},
	} {
		t.Run(c.name+"="+c.value, func(t *testing.T) {
			t.Setenv("JOSTLE_CACHE", t.TempDir())
			t.Setenv(c.name, c.value)
			got, err := Read([]string{"random", "pos", "urw"})
			switch {
			case c.err != "" && (err == nil || err.Error() != c.err):
				t.Errorf("%v, want %s", err, c.err)
			case c.err == "" && (err != nil || !reflect.DeepEqual(got, c.want)):
				t.Errorf("%+v %v, want %+v", got, err, c.want)
			}
		})
	}
}

// JOSTLE_DISTILL without a cache is an error.
func TestDistillWithoutCache(t *testing.T) {
	t.Setenv("JOSTLE_DISTILL", "1")
	t.Setenv("JOSTLE_CACHE", "off")
	const want = "JOSTLE_DISTILL is 1, but there is no cache: set JOSTLE_CACHE to a folder"
	if _, err := Read(nil); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestSet(t *testing.T) {
	t.Setenv("JOSTLE_OUT", "it's here")
	t.Setenv("JOSTLE_SEED", "")
	if got, want := Set("JOSTLE_OUT", "JOSTLE_SEED"), `JOSTLE_OUT='it'\''s here' `; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestCache(t *testing.T) {
	home := t.TempDir()
	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "LocalAppData"} {
		t.Setenv(name, home)
	}
	user, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	for setting, want := range map[string]string{"": filepath.Join(user, "jostle"), "off": "", "near": filepath.Join(home, "near"), home: home} {
		t.Setenv("JOSTLE_CACHE", setting)
		if got := Cache(home); got != want {
			t.Errorf("%q is %q, expected %q", setting, got, want)
		}
	}
	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "LocalAppData", "JOSTLE_CACHE"} {
		t.Setenv(name, "")
	}
	if got := Cache(home); got != "" {
		t.Errorf("of a user without caches it is %q", got)
	}
}

// The command that repeats an unsaved finding must repeat the whole search.
func TestAgain(t *testing.T) {
	t.Setenv("JOSTLE_OUT", "it's here")
	t.Setenv("JOSTLE_SEED", "7")
	t.Setenv("JOSTLE_STRATEGY", "pos,urw")
	if got, want := Again("a.case"), `JOSTLE_OUT='it'\''s here' `; got != want {
		t.Errorf("a saved case: %s, want %s", got, want)
	}
	if got, want := Again(""), "JOSTLE_SEED='7' JOSTLE_STRATEGY='pos,urw' "; got != want {
		t.Errorf("no case: %s, want %s", got, want)
	}
}

// TestRaceReports: a process finds the file of its race detector, also if the user names another one before.
func TestRaceReports(t *testing.T) {
	t.Setenv("GORACE", "history_size=2")
	if got := RaceReports(); got != "" {
		t.Errorf("without a file: %s", got)
	}
	t.Setenv("GORACE", "log_path=/else history_size=2 log_path=/else/again")
	_, setting, _ := strings.Cut(Race("/a folder"), "=")
	t.Setenv("GORACE", setting)
	if got, want := RaceReports(), fmt.Sprint("/a folder/race.", os.Getpid()); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
