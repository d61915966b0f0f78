package fuzz

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"runtime/metrics"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

// A lock is an actor that never finishes handling its second message.
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

// locked is a property that draws a value and then runs a lock.
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

// A timed test has a deadline by a fake clock, which advances only
// while all goroutines wait. So the load of the machine has no effect.
type timed struct {
	testing.TB
	deadline time.Time // zero if the test has no deadline
}

// Deadline returns the time at which the test must be over.
func (t timed) Deadline() (time.Time, bool) { return t.deadline, !t.deadline.IsZero() }

// hurried returns a test that calls sample with a deadline of three seconds by a
// fake clock, as go test -timeout would set. It fails if sample takes that long.
func hurried(sample func(testing.TB)) func(*testing.T) {
	return func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			deadline := time.Now().Add(3 * time.Second)
			sample(timed{t, deadline})
			if late := time.Since(deadline); late >= 0 {
				t.Errorf("go test would have ended it %v ago", late)
			}
		})
	}
}

var stallSamples = map[string]func(*testing.T){
	"stall-check":    hurried(func(t testing.TB) { Config{Budget: time.Hour}.Check(t, slowly) }),
	"stall-explore":  hurried(func(t testing.TB) { Config{Budget: time.Hour, KeepOn: true}.Explore(t, slow) }),
	"stall-saved":    hurried(func(t testing.TB) { Config{Budget: time.Hour}.Explore(t, slowly) }),
	"stall-loop":     func(t *testing.T) { Check(t, locked("loop")) },
	"stall-mutex":    func(t *testing.T) { Check(t, locked("mutex")) },
	"stall-channel":  func(t *testing.T) { Config{Workers: 2}.Explore(t, locked("channel")) },
	"stall-process":  func(t *testing.T) { Check(t, locked("process")) },
	"stall-property": func(t *testing.T) { Check(t, locked("property")) },
	"stall-impatient": func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { Config{Runs: 20}.Check(timed{TB: t}, slowly) })
	},
	"stall-pause": func(t *testing.T) {
		told, end := stderrTells("NO PROGRESS")
		defer end()
		pause := sync.OnceFunc(func() { <-told })
		Config{Runs: 20}.Check(t, func(t *props.T) {
			props.Draw(t, rapid.SliceOfN(rapid.Int(), 1, 3), "numbers")
			sys := t.System()
			sys.Send(sys.Spawn("sleeper", pulse.Func(func(_ *pulse.Ctx, msg any) { msg.(*turn).by++; pause() })), &turn{1})
			sys.Run()
		})
	},
	"stall-in-a-while": func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			time.AfterFunc(2*time.Second, func() { panic("go test would end it") })
			Check(timed{t, time.Now().Add(2 * time.Second)}, locked("channel"))
		})
	},
}

// stderrTells returns a channel that is closed when the text appears in a line
// written to os.Stderr. The lines are still printed. end restores os.Stderr.
func stderrTells(text string) (told chan struct{}, end func()) {
	told, done := make(chan struct{}), make(chan struct{})
	r, w, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	out := os.Stderr
	os.Stderr = w
	tell := sync.OnceFunc(func() { close(told) })
	go func() {
		defer close(done)
		for lines := bufio.NewScanner(r); lines.Scan(); {
			fmt.Fprintln(out, lines.Text())
			if strings.Contains(lines.Text(), text) {
				tell()
			}
		}
	}()
	return told, func() { os.Stderr = out; w.Close(); <-done }
}

// stalled returns a command that runs TestSample with a sample, and with a go test
// timeout of five minutes. The timeout ends samples that never end and are not
// reported as stalled.
func stalled(t *testing.T, sample string, env ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "-test.run", "^TestSample$", "-test.timeout", "5m")
	dir := t.TempDir() // also for temporary files, which the process leaves behind if it is killed
	cmd.Env = append(os.Environ(), append(env, "JOSTLE_SAMPLE="+sample, "JOSTLE_OUT="+dir, "JOSTLE_CACHE="+dir, "TMPDIR="+dir)...)
	return cmd
}

// runStalled runs the command that stalled returns to its end.
func runStalled(t *testing.T, sample string, env ...string) string {
	t.Helper()
	out, _ := stalled(t, sample, env...).CombinedOutput()
	return string(out)
}

// runUntil runs the command that stalled returns until it has printed a text, or to
// its end.
func runUntil(t *testing.T, text, sample string, env ...string) string {
	t.Helper()
	cmd := stalled(t, sample, env...)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = w, w
	err = cmd.Start()
	w.Close()
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for lines := bufio.NewScanner(r); !strings.Contains(out.String(), text) && lines.Scan(); {
		out.WriteString(lines.Text() + "\n")
	}
	cmd.Process.Kill()
	cmd.Wait()
	r.Close()
	return out.String()
}

// A step that never ends is reported before go test ends the process,
// with the stack of the goroutine that runs it. Previously the user
// saw only testing's dump of all goroutines, after ten minutes.
func TestStepsThatNeverEndAreNamed(t *testing.T) {
	for sample, want := range map[string][]string{
		"stall-loop": {"TestSample, fuzz.Check of TestSample: NO PROGRESS for ", "in step 1, in which door receives turn\n", "running: does a loop never end?",
			"fuzz.(*lock).stay watch_test.go:", "fuzz.(*lock).Receive watch_test.go:", "drew seven = 7", "the message is turn(1)",
			"again: JOSTLE_SEED=1 go test -run '^TestSample$' ./fuzz"},
		"stall-mutex":    {"in step 1, in which door receives turn\n", "waits (sync.Mutex.Lock)", "fuzz.(*lock).stay watch_test.go:"},
		"stall-channel":  {"fuzz.Explore of TestSample", "in step 1, in which door receives turn\n", "waits (chan receive)", "fuzz.(*lock).stay watch_test.go:"},
		"stall-process":  {"in which porter receives start\n", "waits (chan receive)", "fuzz.(*lock).stay watch_test.go:", "func in locked watch_test.go:"},
		"stall-property": {"outside of all steps: the property itself makes no progress", "waits (chan receive)", "func in locked watch_test.go:"},
	} {
		t.Run(sample, func(t *testing.T) {
			t.Parallel()
			last := "drew seven = 7"
			if props.HasRaceDetector() {
				last = "set JOSTLE_STALL=1m)"
			}
			out := runUntil(t, last, sample, "JOSTLE_STALL=1s")
			if strings.Count(out, "NO PROGRESS") != 1 || !strings.Contains(out, last) {
				t.Errorf("it is not told once:\n%s", out)
			}
			for _, w := range want {
				if !strings.Contains(out, w) && !(props.HasRaceDetector() && (strings.HasPrefix(w, "drew") || strings.HasPrefix(w, "the message"))) {
					t.Errorf("no %q in:\n%s", w, out)
				}
			}
		})
	}
}

// A step that makes no progress is reported once, when JOSTLE_STALL has passed.
// If the process would end earlier, the step is reported shortly before that.
func TestStallIsToldOnce(t *testing.T) {
	for limit, stood := range map[string]string{"300ms": "300ms", "1m": "1.75s"} {
		before, _, ended := strings.Cut(runStalled(t, "stall-in-a-while", "JOSTLE_STALL="+limit), "panic: go test would end it")
		told := "NO PROGRESS for " + stood + ", in step 1, in which door receives turn\n"
		if !ended || strings.Count(before, told) != 1 || strings.Count(before, "NO PROGRESS") != 1 {
			t.Errorf("with %s it is not told once, before the end:\n%s", limit, before)
		}
	}
}

// A search ends before go test ends the process. Its
// findings are reported and saved. They used to be lost.
func TestDeadlineIsRespected(t *testing.T) {
	for sample, want := range map[string][]string{
		"stall-check":   {"ended early, 750ms before go test -timeout: raise -timeout or lower Config.Budget", "PASS"},
		"stall-explore": {"somebody came too early", "saved: ", "ended early, ", "--- FAIL: TestSample "},
		"stall-saved":   {"NOT complete (time)", "ended early, ", "PASS"},
	} {
		t.Run(sample, func(t *testing.T) {
			t.Parallel()
			out := runStalled(t, sample)
			if strings.Contains(out, "timed out") || strings.Contains(out, "would have ended it") {
				t.Errorf("it did not end before go test does:\n%s", out)
			}
			for _, w := range want {
				if !strings.Contains(out, w) {
					t.Errorf("no %q in:\n%s", w, out)
				}
			}
		})
	}
}

// A step may end after it was reported as stalled. The
// test then passes, and the race detector reports nothing.
func TestStepsThatEndLate(t *testing.T) {
	out := runStalled(t, "stall-pause", "JOSTLE_STALL=300ms")
	if strings.Count(out, "NO PROGRESS") != 1 || !strings.HasSuffix(out, "PASS\n") || strings.Contains(out, "RACE") {
		t.Errorf("want a report and a test that passes:\n%s", out)
	}
}

// Slow runs that make progress are not reported as stalled.
func TestSlowRunsAreNotStalled(t *testing.T) {
	if out := runStalled(t, "stall-impatient", "JOSTLE_STALL=50ms"); strings.Contains(out, "NO PROGRESS") || !strings.Contains(out, "PASS") {
		t.Errorf("a run that goes on is told of:\n%s", out)
	}
	if out := runStalled(t, "stall-impatient", "JOSTLE_STALL=soon"); !strings.Contains(out, `JOSTLE_STALL is "soon": set it to a duration such as 30s`) {
		t.Errorf("what is no duration is taken:\n%s", out)
	}
}

// An ended is a test that has failed without a message.
// As in a real test, FailNow ends its goroutine.
type ended struct{ testing.TB }

func (ended) Helper()               {}
func (ended) Log(...any)            {}
func (ended) Logf(string, ...any)   {}
func (ended) Error(...any)          {}
func (ended) Errorf(string, ...any) {}
func (ended) Output() io.Writer     { return io.Discard }
func (ended) Failed() bool          { return true }
func (ended) Fail()                 {}
func (ended) FailNow()              { runtime.Goexit() }
func (ended) Fatal(...any)          { runtime.Goexit() }
func (ended) Fatalf(string, ...any) { runtime.Goexit() }

// TestGarbageIsAsBefore: GOGC is higher during a search and has its default after the
// search, no matter how the property, an actor or the test ends.
func TestGarbageIsAsBefore(t *testing.T) {
	t.Setenv("GOGC", "")
	t.Setenv("JOSTLE_OUT", t.TempDir())
	percent := func() uint64 {
		sample := []metrics.Sample{{Name: "/gc/gogc:percent"}}
		metrics.Read(sample)
		return sample[0].Value.Uint64()
	}
	ends := map[string]func(*props.T, testing.TB){
		"passes":  func(*props.T, testing.TB) {},
		"fails":   func(p *props.T, _ testing.TB) { p.Fatal("fails") },
		"panics":  func(*props.T, testing.TB) { panic("panics") },
		"goexit":  func(*props.T, testing.TB) { runtime.Goexit() },
		"skips":   func(p *props.T, _ testing.TB) { p.Skip("skips") },
		"failnow": func(_ *props.T, t testing.TB) { t.FailNow() },
		"actor": func(p *props.T, _ testing.TB) {
			sys := p.System()
			sys.Send(sys.Spawn("actor", pulse.Func(func(*pulse.Ctx, any) { panic("actor") })), 1)
			sys.Run()
		},
	}
	c := Config{Runs: 4}
	verbs := map[string]func(testing.TB, func(*props.T)){"Check": c.Check,
		"Explore":  func(t testing.TB, property func(*props.T)) { c.Explore(t, property) },
		"MustFind": func(t testing.TB, property func(*props.T)) { c.MustFind(t, property) }}
	for verb, search := range verbs {
		for how, end := range ends {
			if percent() != 100 {
				t.Fatalf("before %s of what %s, GOGC is %d%%", verb, how, percent())
			}
			var during uint64
			done := make(chan struct{})
			go func() {
				defer close(done)
				search(ended{t}, func(p *props.T) {
					during = percent()
					end(p, ended{t})
				})
			}()
			<-done
			if during <= 100 || percent() != 100 {
				t.Errorf("%s of what %s: GOGC is %d%% during the search and %d%% after it", verb, how, during, percent())
			}
		}
	}
}
