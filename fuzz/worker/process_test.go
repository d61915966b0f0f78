package worker

import (
	"slices"
	"testing"
)

// A process collects garbage rarely, unless its user or its starter says how it should.
func TestEnvironment(t *testing.T) {
	for _, c := range []struct {
		name    string
		command Command
		own     []string
		want    []string
	}{
		{"nothing is said", Command{}, []string{"HOME=/"}, []string{"GOGC=400", "HOME=/"}},
		{"memory is bounded", Command{Memory: 1 << 20}, nil, []string{"GOGC=400", "GOMEMLIMIT=786432"}},
		{"the user says", Command{Memory: 1 << 20}, []string{"GOGC=50", "GOMEMLIMIT=1GiB"},
			[]string{"GOGC=400", "GOMEMLIMIT=786432", "GOGC=50", "GOMEMLIMIT=1GiB"}},
		{"the starter says", Command{Env: []string{"GOGC=off"}}, []string{"GOGC=50"}, []string{"GOGC=400", "GOGC=50", "GOGC=off"}},
	} {
		if got := c.command.environ(c.own); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q; of two values the last counts", c.name, got, c.want)
		}
	}
}
