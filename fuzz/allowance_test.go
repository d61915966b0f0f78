package fuzz

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jostle-go/jostle/props"
)

// all is the duration of a scripted Check that uses all of its time.
const all = -1

// play makes go test run Checks in the given number of parallel tests, with a clock of the test's
// own. Each Check takes the given number of seconds, or all of the time that it has. play returns
// the times that the Checks had, in the order in which they began, and the time at which the last
// one ended.
func play(usual time.Duration, parallel int, takes ...float64) (had []time.Duration, total time.Duration) {
	var a allowance
	start := time.Unix(1000, 0)
	free := slices.Repeat([]time.Time{start}, parallel) // for each test, the time at which it can run its next Check
	busy := make([]bool, parallel)
	for len(takes) > 0 || slices.Contains(busy, true) {
		next := -1
		for i := range free {
			if (busy[i] || len(takes) > 0) && (next < 0 || free[i].Before(free[next])) {
				next = i
			}
		}
		if busy[next] {
			a.end(free[next])
			busy[next] = false
			total = max(total, free[next].Sub(start))
			continue
		}
		most := a.begin(free[next], usual)
		had = append(had, most)
		if takes[0] != all {
			most = time.Duration(takes[0] * float64(time.Second))
		}
		free[next], busy[next], takes = free[next].Add(most), true, takes[1:]
	}
	return had, total
}

// inWords returns a list of times as text. Equal times are counted: "5×2s 45×0.2s".
func inWords(times []time.Duration) string {
	var list []string
	for len(times) > 0 {
		n := slices.IndexFunc(times, func(d time.Duration) bool { return d != times[0] })
		if n < 0 {
			n = len(times)
		}
		list = append(list, fmt.Sprintf("%d×%v", n, times[0]))
		times = times[n:]
	}
	return strings.Join(list, " ")
}

// TestAllowance: up to five Checks have two seconds each. All Checks together have ten seconds,
// and each has at least a fifth of a second.
func TestAllowance(t *testing.T) {
	const usual, ms = checkBudget, time.Millisecond
	done := slices.Repeat[[]float64] // done(list, n) repeats the Checks of list n times
	for _, c := range []struct {
		name     string
		usual    time.Duration
		parallel int
		takes    []float64
		had      string
		total    time.Duration
	}{
		{"one", usual, 1, []float64{all}, "1×2s", 2000 * ms},
		{"five", usual, 1, done([]float64{all}, 5), "5×2s", 10_000 * ms},
		{"five that end a little late", usual, 1, done([]float64{2.003}, 5), "5×2s", 10_015 * ms},
		{"six", usual, 1, done([]float64{all}, 6), "5×2s 1×200ms", 10_200 * ms},
		{"fifty", usual, 1, done([]float64{all}, 50), "5×2s 45×200ms", 19_000 * ms},
		{"fifty of which forty are exhausted at once", usual, 1, done([]float64{0.005, all, 0.005, 0.005, 0.005}, 10), "22×2s 28×200ms", 11200 * ms},
		{"two at a time", usual, 2, done([]float64{all}, 50), "10×2s 40×200ms", 14000 * ms},
		{"two at a time, which do not begin together", usual, 2, append([]float64{0.3}, done([]float64{2.003}, 14)...), "10×2s 1×1.8s 4×200ms", 14321 * ms},
		{"eight at a time", usual, 8, done([]float64{all}, 50), "40×2s 10×200ms", 10400 * ms},
		{"one fails, and is shrunk for five seconds", usual, 1, append([]float64{5.1}, done([]float64{all}, 5)...), "5×2s 1×200ms", 13300 * ms},
		{"one hangs, next to others", usual, 2, append([]float64{600}, done([]float64{all}, 8)...), "6×2s 3×200ms", 600_000 * ms},
		{"runs of a second", usual, 1, done([]float64{1}, 20), "9×2s 1×1s 10×200ms", 20_000 * ms},
		{"exhausted, one after the other", usual, 1, done([]float64{0.05}, 300), "164×2s 4×1.8s 4×1.6s 4×1.4s 4×1.2s 4×1s 4×800ms 4×600ms 4×400ms 104×200ms", 15_000 * ms},
		{"with -short", usual / shorter, 1, done([]float64{all}, 50), "5×200ms 45×20ms", 1900 * ms},
	} {
		had, total := play(c.usual, c.parallel, c.takes...)
		if got := inWords(had); got != c.had || total != c.total {
			t.Errorf("%s: the Checks had %s, and took %v; want %s, and %v", c.name, got, total, c.had, c.total)
		}
	}
}

// sharedSamples are tests whose Checks come after other Checks that have spent the
// shared time.
var sharedSamples = map[string]func(*testing.T){
	"share": func(t *testing.T) {
		ofProcess.spent = time.Hour
		for name, c := range map[string]Config{"usual": {}, "seed": {Seed: 7}, "budget": {Budget: time.Millisecond}, "runs": {Runs: 10}} {
			t.Run(name, func(t *testing.T) { c.Check(t, subjectNamed("writer").Property(true)) })
		}
		t.Run("late", func(t *testing.T) { Check(timed{t, time.Now()}, subjectNamed("writer").Property(true)) })
		t.Run("must", func(t *testing.T) {
			MustFind(t, func(t *props.T) { // fails in its first run
				subjectNamed("writer").Property(true)(t)
				t.Error("no")
			})
		})
	},
}

// TestShareIsSaid: the log of a Check has one line that says that it had less than two seconds. A
// time from its Config or from the environment is not a share, and the log then has no such line.
// If go test -timeout ended the search, the log says that.
func TestShareIsSaid(t *testing.T) {
	const line = "searched for TIME instead of TIME, as the Checks of a package share TIME (see Config.Budget)\n"
	for env, want := range map[string]string{"JOSTLE_BUDGET=": "seed usual", "JOSTLE_BUDGET=10": "", "JOSTLE_BUDGET=1ms": ""} {
		out := runSample(t, "share", t.TempDir(), env)
		var said []string
		for _, part := range strings.Split(out, "=== RUN   TestSample/") {
			if name, _, _ := strings.Cut(part, "\n"); strings.Contains(part, line) {
				said = append(said, name)
			}
		}
		slices.Sort(said)
		if got := strings.Join(said, " "); got != want || strings.Count(out, "searched for ") != len(said) || !strings.Contains(out, "--- PASS: TestSample ") {
			t.Errorf("with %s these say it: %q, want %q\n%s", env, got, want, out)
		}
	}
}

// TestWhoShares lists the Checks that share the time of a process, and the searches
// that do not.
func TestWhoShares(t *testing.T) {
	for _, c := range []struct {
		name   string
		config Config
		verb   string
		tb     testing.TB
		budget string // the value of JOSTLE_BUDGET
		want   bool
	}{
		{"Check", Config{}, "Check", t, "", true},
		{"Check with other settings", Config{Seed: 7, Workers: 2, Strategies: []string{"random"}}, "Check", t, "", true},
		{"Check with a budget", Config{Budget: checkBudget}, "Check", t, "", false},
		{"Check with runs", Config{Runs: 10}, "Check", t, "", false},
		{"Check with a budget in the environment", Config{}, "Check", t, "3s", false},
		{"Check with runs in the environment", Config{}, "Check", t, "3000", false},
		{"Check in a benchmark", Config{}, "Check", &testing.B{}, "", false},
		{"MustFind", Config{}, "MustFind", t, "", false},
		{"Explore", Config{}, "Explore", t, "", false},
		{"Target", Config{}, "Target", t, "", false},
	} {
		t.Setenv("JOSTLE_BUDGET", c.budget)
		if v := c.config.begin(c.tb, c.verb, checkBudget, one); (v.session.Share != nil) != c.want {
			t.Errorf("%s shares: %t, want %t", c.name, !c.want, c.want)
		}
	}
}

// A quiet wraps a *testing.B, so that Check does not recognize a benchmark and behaves as in a test.
// It drops log lines.
type quiet struct{ testing.TB }

func (quiet) Log(...any)          {}
func (quiet) Logf(string, ...any) {}

// BenchmarkFifty compares the elapsed time of 50 Checks with 50 times the time of one Check that
// shares no time with others. The program has too many orders to run them all. It prints medians.
// With -short, every time is a tenth.
func BenchmarkFifty(b *testing.B) {
	const checks = 50
	usual := checkBudget
	if testing.Short() {
		usual /= shorter
	}
	clock := func(do func()) float64 { start := time.Now(); do(); return time.Since(start).Seconds() }
	property := subjectNamed("writer").Property(true)
	var together, alone []float64
	for b.Loop() {
		ofProcess = allowance{}
		together = append(together, clock(func() {
			for range checks {
				Check(quiet{b}, property)
			}
		}))
		alone = append(alone, checks*clock(func() { Config{Budget: usual}.Check(quiet{b}, property) }))
	}
	slices.Sort(together)
	slices.Sort(alone)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(together[b.N/2], "s")
	b.ReportMetric(alone[b.N/2], "s-alone")
	b.ReportMetric(together[b.N/2]/alone[b.N/2], "share")
}
