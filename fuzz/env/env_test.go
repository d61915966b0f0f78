package env

import (
	"reflect"
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
		{"JOSTLE_SEED", "-1", Settings{}, `JOSTLE_SEED is "-1": set it to a number from 1 on`},
		{"JOSTLE_BUDGET", "30s", Settings{Budget: 30 * time.Second}, ""},
		{"JOSTLE_BUDGET", "500", Settings{Runs: 500}, ""},
		{"JOSTLE_BUDGET", "0", Settings{}, `JOSTLE_BUDGET is "0": set it to a duration such as 30s, or to a number of runs`},
		{"JOSTLE_WORKERS", "3", Settings{Workers: 3}, ""},
		{"JOSTLE_WORKERS", "none", Settings{}, `JOSTLE_WORKERS is "none": set it to a number from 1 on`},
		{"JOSTLE_STRATEGY", " pos, urw", Settings{Strategies: []string{"pos", "urw"}}, ""},
		{"JOSTLE_STRATEGY", "pos,", Settings{}, `JOSTLE_STRATEGY is "pos,": set it to one or more of random, pos, urw, with commas between`},
		{"JOSTLE_STALL", "1m", Settings{Stall: time.Minute}, ""},
		{"JOSTLE_STALL", "0", Settings{}, `JOSTLE_STALL is "0": set it to a duration such as 30s`},
		{"JOSTLE_SHRINK", "1m", Settings{Shrink: time.Minute}, ""},
		{"JOSTLE_SHRINK", "0", Settings{Shrink: -1}, ""},
		{"JOSTLE_SHRINK", "-3s", Settings{}, `JOSTLE_SHRINK is "-3s": set it to a duration such as 30s, or to 0 to shrink nothing`},
		{"JOSTLE_REPAIR", "1", Settings{Repair: true}, ""},
		{"JOSTLE_REPAIR", "0", Settings{}, ""},
		{"JOSTLE_REPAIR", "all", Settings{}, `JOSTLE_REPAIR is "all": set it to 1 to repair stale cases, or to 0 to leave them`},
	} {
		t.Run(c.name+"="+c.value, func(t *testing.T) {
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

func TestSet(t *testing.T) {
	t.Setenv("JOSTLE_OUT", "it's here")
	t.Setenv("JOSTLE_SEED", "")
	if got, want := Set("JOSTLE_OUT", "JOSTLE_SEED"), `JOSTLE_OUT='it'\''s here' `; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
