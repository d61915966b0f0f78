package fuzz

import (
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

// A lock is an actor whose second message is never done with.
type lock struct {
	how string
	mu  sync.Mutex
	n   int
}

func (l *lock) Receive(_ *pulse.Ctx, msg any) {
	if l.n += msg.(turn).by; l.n >= 2 {
		l.stay()
	}
}

func (l *lock) stay() {
	switch l.how {
	case "loop":
		for n := 0; n >= 0; n = (n + 1) % 1000 {
		}
	case "mutex":
		l.mu.Lock()
		l.mu.Lock()
	case "channel":
		<-make(chan bool)
	}
}

type turn struct{ by int }

// locked is a property with a lock and, before that, a draw.
func locked(how string) func(*props.T) {
	return func(t *props.T) {
		props.Draw(t, rapid.Just(7), "seven")
		sys := t.System()
		a := sys.Spawn("door", &lock{how: how})
		sys.Send(a, turn{1})
		sys.Send(a, turn{1})
		if how == "process" {
			sys.Go("porter", func(p *pulse.Process) { (&lock{how: "channel"}).stay() })
		}
		if how == "property" {
			(&lock{how: "channel"}).stay()
		}
		sys.Run()
	}
}

// slow takes a moment in each run, and fails in each but one.
func slow(t *props.T) {
	order := ""
	sys := t.System()
	trial.Crowd(sys, 7, func(word string) { order += word })
	sys.Run()
	time.Sleep(10 * time.Millisecond)
	if order != "abcdefg" {
		t.Errorf("somebody came too early")
	}
}

// slowly is slow and never fails.
func slowly(t *props.T) {
	sys := t.System()
	trial.Crowd(sys, 7, func(string) {})
	sys.Run()
	time.Sleep(10 * time.Millisecond)
}

var stallSamples = map[string]func(*testing.T){
	"stall-check":     func(t *testing.T) { Config{Budget: time.Hour}.Check(t, slowly) },
	"stall-explore":   func(t *testing.T) { Config{Budget: time.Hour, KeepOn: true}.Explore(t, slow) },
	"stall-saved":     func(t *testing.T) { Config{Budget: time.Hour}.Explore(t, slowly) },
	"stall-loop":      func(t *testing.T) { Check(t, locked("loop")) },
	"stall-mutex":     func(t *testing.T) { Check(t, locked("mutex")) },
	"stall-channel":   func(t *testing.T) { Config{Workers: 2}.Explore(t, locked("channel")) },
	"stall-process":   func(t *testing.T) { Check(t, locked("process")) },
	"stall-property":  func(t *testing.T) { Check(t, locked("property")) },
	"stall-impatient": func(t *testing.T) { Config{Runs: 20}.Check(t, slowly) },
	"stall-pause": func(t *testing.T) {
		pause := sync.OnceFunc(func() { time.Sleep(2 * time.Second) })
		Config{Runs: 20}.Check(t, func(t *props.T) {
			props.Draw(t, rapid.SliceOfN(rapid.Int(), 1, 3), "numbers")
			sys := t.System()
			sys.Send(sys.Spawn("sleeper", pulse.Func(func(_ *pulse.Ctx, msg any) { msg.(*turn).by++; pause() })), &turn{1})
			sys.Run()
		})
	},
	"stall-in-a-while": func(t *testing.T) { Check(t, locked("mutex")) },
}

// runStalled runs a sample that go test would end after a time.
func runStalled(t *testing.T, sample, timeout string, env ...string) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "-test.run", "^TestSample$", "-test.timeout", timeout)
	dir := t.TempDir() // also for what a process that is killed leaves behind
	cmd.Env = append(os.Environ(), append(env, "JOSTLE_SAMPLE="+sample, "JOSTLE_OUT="+dir, "JOSTLE_CACHE="+dir, "TMPDIR="+dir)...)
	out, _ := cmd.CombinedOutput()
	return string(out)
}

// A step that never ends is named, with the stack of the goroutine that runs it,
// before go test ends the process. All that came before was testing's dump of all
// goroutines, after ten minutes.
func TestStepsThatNeverEndAreNamed(t *testing.T) {
	for sample, want := range map[string][]string{
		"stall-loop": {"TestSample, fuzz.Check of TestSample: NO PROGRESS for ", "in step 1, in which door receives turn\n", "running: does a loop never end?",
			"fuzz.(*lock).stay watch_test.go:", "fuzz.(*lock).Receive watch_test.go:", "drew seven = 7", "the message is turn(1)",
			"again: JOSTLE_SEED=1 go test -run '^TestSample$' ./fuzz"},
		"stall-mutex":    {"in step 1, in which door receives turn\n", "waits (sync.Mutex.Lock)", "fuzz.(*lock).stay watch_test.go:"},
		"stall-channel":  {"fuzz.Explore of TestSample", "in step 1, in which door receives turn\n", "waits (chan receive)", "fuzz.(*lock).stay watch_test.go:"},
		"stall-process":  {"in which porter receives start\n", "waits (chan receive)", "fuzz.(*lock).stay watch_test.go:", "func in locked watch_test.go:"},
		"stall-property": {"in no step: the property itself does not go on", "waits (chan receive)", "func in locked watch_test.go:"},
	} {
		t.Run(sample, func(t *testing.T) {
			t.Parallel()
			out := runStalled(t, sample, "4s", "JOSTLE_STALL=300ms")
			before, _, timedOut := strings.Cut(out, "panic: test timed out")
			if !timedOut || strings.Count(before, "NO PROGRESS") != 1 {
				t.Errorf("it is not told once, before the end:\n%s", out)
			}
			for _, w := range want {
				if !strings.Contains(before, w) && !(props.HasRaceDetector() && (strings.HasPrefix(w, "drew") || strings.HasPrefix(w, "the message"))) {
					t.Errorf("no %q in:\n%s", w, before)
				}
			}
		})
	}
}

// When the process is to end before the time that a step may take is over, the
// step is told of shortly before.
func TestStallIsToldBeforeTheDeadline(t *testing.T) {
	out := runStalled(t, "stall-in-a-while", "2s")
	before, _, timedOut := strings.Cut(out, "panic: test timed out")
	if !timedOut || !strings.Contains(before, "in step 1, in which door receives turn\n") {
		t.Errorf("nothing was told before the end:\n%s", out)
	}
}

// A search ends before go test ends the process, and what it has found is told and
// saved. It used to be lost.
func TestDeadlineIsRespected(t *testing.T) {
	for sample, want := range map[string][]string{
		"stall-check":   {"it ended early, ", "allow more by go test -timeout", "PASS"},
		"stall-explore": {"somebody came too early", "saved: ", "it ended early, ", "--- FAIL: TestSample "},
		"stall-saved":   {"NOT complete (time)", "it ended early, ", "PASS"},
	} {
		t.Run(sample, func(t *testing.T) {
			t.Parallel()
			out := runStalled(t, sample, "3s")
			if strings.Contains(out, "timed out") {
				t.Errorf("go test has ended it:\n%s", out)
			}
			for _, w := range want {
				if !strings.Contains(out, w) {
					t.Errorf("no %q in:\n%s", w, out)
				}
			}
		})
	}
}

// A step that does end after all was told of, and nothing comes of that: also the
// race detector has nothing to say.
func TestStepsThatEndLate(t *testing.T) {
	out := runStalled(t, "stall-pause", "1m", "JOSTLE_STALL=300ms")
	if strings.Count(out, "NO PROGRESS") != 1 || !strings.HasSuffix(out, "PASS\n") || strings.Contains(out, "RACE") {
		t.Errorf("want a report and a test that passes:\n%s", out)
	}
}

// Runs that go on, slowly, are not told of.
func TestSlowRunsAreNotStalled(t *testing.T) {
	if out := runStalled(t, "stall-impatient", "1m", "JOSTLE_STALL=500ms"); strings.Contains(out, "NO PROGRESS") || !strings.Contains(out, "PASS") {
		t.Errorf("a run that goes on is told of:\n%s", out)
	}
	if out := runStalled(t, "stall-impatient", "1m", "JOSTLE_STALL=soon"); !strings.Contains(out, `JOSTLE_STALL is "soon": set it to a duration such as 30s`) {
		t.Errorf("what is no duration is taken:\n%s", out)
	}
}
