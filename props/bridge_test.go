package props_test

import (
	"fmt"
	"math/rand"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/leanovate/gopter"
	"github.com/leanovate/gopter/gen"
	exprand "golang.org/x/exp/rand"
	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

// A recorder is a testing.TB that records what is logged.
type recorder struct {
	said   []string
	failed bool
}

func (r *recorder) Helper()                           {}
func (r *recorder) Name() string                      { return "TestUnderRapid" }
func (r *recorder) Log(args ...any)                   { r.said = append(r.said, fmt.Sprint(args...)) }
func (r *recorder) Logf(format string, args ...any)   { r.Log(fmt.Sprintf(format, args...)) }
func (r *recorder) Skip(args ...any)                  { r.Log(args...); runtime.Goexit() }
func (r *recorder) Skipf(format string, args ...any)  { r.Skip(fmt.Sprintf(format, args...)) }
func (r *recorder) SkipNow()                          { runtime.Goexit() }
func (r *recorder) Error(args ...any)                 { r.Log(args...); r.failed = true }
func (r *recorder) Errorf(format string, args ...any) { r.Error(fmt.Sprintf(format, args...)) }
func (r *recorder) Fatal(args ...any)                 { r.Error(args...); runtime.Goexit() }
func (r *recorder) Fatalf(format string, args ...any) { r.Fatal(fmt.Sprintf(format, args...)) }
func (r *recorder) FailNow()                          { r.failed = true; runtime.Goexit() }
func (r *recorder) Fail()                             { r.failed = true }
func (r *recorder) Failed() bool                      { return r.failed }

// checked runs rapid.Check and returns its last message: the smallest failure.
func checked(t *testing.T, property func(*rapid.T)) (said string, failed bool) {
	t.Chdir(t.TempDir()) // rapid writes its files to the working directory
	r := &recorder{}
	apart(func() { rapid.Check(r, property) })
	for i, line := range r.said {
		if strings.Contains(line, "Failed test output:") {
			r.said = r.said[i+1:]
			break
		}
	}
	return strings.Join(r.said, "\n"), r.failed
}

// account is a balance that must not become negative.
type account struct{ balance int }

type withdraw int

func (a *account) Receive(ctx *pulse.Ctx, msg any) {
	switch m := msg.(type) {
	case int:
		a.balance += m
	case withdraw:
		a.balance -= int(m)
	}
}

// moneyIsThere pays money in at one branch, and draws it out at another.
func moneyIsThere(t *props.T) {
	in := props.Draw(t, rapid.IntRange(1, 100), "in")
	out := props.Draw(t, rapid.IntRange(0, 100), "out")
	if out > in {
		t.Skip("not enough")
	}
	sys := t.System()
	a := &account{}
	acc := sys.Spawn("account", a)
	forward := pulse.Func(func(ctx *pulse.Ctx, msg any) { ctx.Send(acc, msg) })
	north, south := sys.Spawn("north", forward), sys.Spawn("south", forward)
	t.Always("no debts", func() error {
		if a.balance < 0 {
			return fmt.Errorf("balance is %d", a.balance)
		}
		return nil
	})
	sys.Send(north, in)
	sys.Send(south, withdraw(out))
	sys.Run()
}

func TestRapid(t *testing.T) {
	said, failed := checked(t, props.Rapid(moneyIsThere))
	said = regexp.MustCompile(`messages: 0x[0-9a-f]+`).ReplaceAllString(said, "messages: …")
	said = regexp.MustCompile(`go:\d+`).ReplaceAllString(said, "go")
	want := `[rapid] draw order of messages: …
[rapid] draw in: 1
[rapid] draw out: 1
bridge_test.go: no debts: balance is -1

0  test ──withdraw(1)──▶ south
1  south ──withdraw(1)──▶ account
   test ──1──▶ north                   (never received)`
	if !failed || said != want {
		t.Errorf("failed %v, said:\n%s\nwant:\n%s", failed, said, want)
	}
}

// TestRapidPasses runs properties under rapid that hold, that skip, and that
// draw from all kinds of generators.
func TestRapidPasses(t *testing.T) {
	rapid.Check(t, props.Rapid(func(t *props.T) {
		n := props.Draw(t, rapid.IntRange(0, 9), "n")
		if n > 7 {
			t.Skip("too many")
		}
		if s := props.Sample(t, gen.IntRange(5, 6), "s").(int); s != 5 && s != 6 {
			t.Errorf("sampled %d", s)
		}
		if o := props.OneOf(t, "o", 1, 2); o != 1 && o != 2 {
			t.Errorf("one of: %d", o)
		}
		exprand.New(props.Source(t, "src")).Perm(3)
		c, sys := counting(t)
		sys.Run()
		if c.n != 3 {
			t.Errorf("%d received", c.n)
		}
	}))
}

// TestRapidRepeat drives a system by T.Repeat of rapid.
func TestRapidRepeat(t *testing.T) {
	property := func(most int) func(t *props.T) {
		return func(t *props.T) {
			sys := t.System()
			c := &counter{}
			ref := sys.Spawn("counter", c)
			sent := 0
			t.Rapid().Repeat(map[string]func(*rapid.T){
				"send": func(rt *rapid.T) {
					for i := range rapid.IntRange(1, 3).Draw(rt, "many") {
						sys.Send(ref, i)
						sent++
					}
				},
				"run": func(rt *rapid.T) {
					if sent == 0 {
						rt.Skip("nothing to do")
					}
					sys.Run()
					if c.n > most {
						t.Fatalf("%d received", c.n)
					}
				},
				"": func(rt *rapid.T) {
					if c.n > sent {
						rt.Fatalf("%d received of %d", c.n, sent)
					}
				},
			})
			sys.Run()
		}
	}
	rapid.Check(t, props.Rapid(property(1<<30)))

	said, failed := checked(t, props.Rapid(property(4)))
	want := regexp.MustCompile(`bridge_test.go:\d+: 5 received

(\d  test ──\d──▶ counter\n?){5}$`)
	if !failed || !want.MatchString(said) {
		t.Errorf("failed %v, said:\n%s", failed, said)
	}
}

// underRapid are properties that fail by rapid's own means, with their messages.
var underRapid = []struct {
	name     string
	property func(*props.T)
	want     string
}{
	{"Fatalf of rapid's T", func(t *props.T) { say(t, nothing); t.Rapid().Fatalf("one") },
		"one\n0  test ──\"go\"──▶ actor"},
	{"Errorf of rapid's T", func(t *props.T) { say(t, nothing); t.Rapid().Errorf("one") },
		"one\n0  test ──\"go\"──▶ actor"},
	{"Fatalf of rapid's T in a handler", func(t *props.T) { say(t, func(*pulse.Ctx) { t.Rapid().Fatalf("one") }) },
		"one\n0  test ──\"go\"──▶ actor"},
	{"panic in a handler", func(t *props.T) { t.Log("first"); say(t, func(*pulse.Ctx) { panic("one") }) },
		"first\nbridge_test.go:186: panic in actor#1 ← \"go\": one\n    func in init bridge_test.go:186\n    func in say runner_test.go\n\n0  test ──\"go\"──▶ actor"},
	{"panic in the property", func(t *props.T) { panic("one") },
		"bridge_test.go:188: panic in the property: one\n    func in init bridge_test.go:188"},
	{"no system", func(t *props.T) {},
		"bridge_test.go:190: the property made no system: nothing was run; call System, and Run on it, or goroutine.Run with it"},
	{"generator panics", func(t *props.T) {
		props.Draw(t, rapid.Custom(func(*rapid.T) int { panic("one") }), "n")
	}, "bridge_test.go:193: panic in the generator of draw \"n\": one"},
	{"Skip of rapid's T, always", func(t *props.T) { t.Rapid().Skip("no") }, "no"},
	{"a filter that nothing passes", func(t *props.T) {
		props.Draw(t, rapid.Int().Filter(func(int) bool { return false }), "n")
	}, ""},
	{"Skip of rapid's T in a handler, always", func(t *props.T) { say(t, func(*pulse.Ctx) { t.Rapid().Skip("no") }) }, "no"},
}

func TestUnderRapid(t *testing.T) {
	lines := regexp.MustCompile(`:[0-9]+`)
	drawn := regexp.MustCompile(`\[rapid\] draw order of messages: .*\n`)
	for _, u := range underRapid {
		t.Run(u.name, func(t *testing.T) {
			said, failed := checked(t, props.Rapid(u.property))
			if strings.Contains(u.name, "always") || strings.Contains(u.name, "filter") {
				if !strings.Contains(said, "only generated 0 valid tests from") {
					t.Errorf("said:\n%s", said)
				}
				return
			}
			said = lines.ReplaceAllString(drawn.ReplaceAllString(said, ""), "")
			want := lines.ReplaceAllString(u.want, "")
			if !failed || !strings.HasPrefix(said, want) {
				t.Errorf("failed %v, said:\n%s\nwant:\n%s", failed, said, want)
			}
		})
	}
}

// underGopter runs a property as users of gopter do and returns the report.
func underGopter(property func(*props.T)) (report string, passed bool) {
	params := gopter.DefaultTestParameters()
	params.Rng = rand.New(rand.NewSource(3))
	properties := gopter.NewProperties(params)
	properties.Property("money is there", props.Gopter(property))
	var b strings.Builder
	passed = properties.Run(gopter.NewFormatedReporter(false, 200, &b))
	return b.String(), passed
}

func TestGopter(t *testing.T) {
	report, passed := underGopter(moneyIsThere)
	want := regexp.MustCompile(`^! money is there: Falsified after \d+ passed tests.
> Labels of failing property: bridge_test.go:\d+: no debts: balance is -\d+

0  test ──withdraw\(1\)──▶ south
1  test ──63──▶ north
2  south ──withdraw\(1\)──▶ account
   north ──63──▶ account               \(never received\)
in: \d+
out: \d+
$`)
	if passed || !want.MatchString(report) {
		t.Errorf("passed %v:\n%s", passed, report)
	}
	report, passed = underGopter(func(t *props.T) {
		if props.Sample(t, gen.IntRange(0, 9), "n").(int) == 0 {
			t.Skip()
		}
		say(t, nothing)
	})
	if !passed || !strings.HasPrefix(report, "+ money is there: OK, passed 100 tests.") {
		t.Errorf("passed %v:\n%s", passed, report)
	}
	report, passed = underGopter(func(t *props.T) { t.Skip() })
	if passed || !strings.Contains(report, "Gave up") {
		t.Errorf("passed %v:\n%s", passed, report)
	}
}

// An endedRecorder is a recorder with Cleanup. Its method ended calls the cleanups, as at the end
// of a test.
type endedRecorder struct {
	recorder
	cleanups []func()
}

func (r *endedRecorder) Cleanup(f func()) { r.cleanups = append(r.cleanups, f) }

func (r *endedRecorder) ended() {
	for _, f := range r.cleanups {
		f()
	}
}

// TestRapidTellsOfLateGoroutines: a goroutine that uses a T after its run makes the test under rapid fail too.
func TestRapidTellsOfLateGoroutines(t *testing.T) {
	t.Chdir(t.TempDir())
	var late func()
	r := &endedRecorder{}
	apart(func() {
		rapid.Check(r, props.Rapid(func(t *props.T) {
			t.System().Run()
			late = func() { t.Errorf("late") }
		}))
	})
	apart(late)
	if r.ended(); !r.failed || !strings.Contains(strings.Join(r.said, "\n"), "Errorf on the T of a run that is over") {
		t.Errorf("said %q", r.said)
	}
}

// If each run gives Sometimes another name, a test under rapid stores a bounded
// number of names, and reports that there were more.
func TestRapidBoundsSometimes(t *testing.T) {
	t.Chdir(t.TempDir())
	n := 0
	r := &endedRecorder{}
	apart(func() {
		rapid.Check(r, props.Rapid(func(t *props.T) {
			for range 100 { // enough names to exceed 1,000 in the 20 runs that rapid makes with -short
				n++
				t.Sometimes(fmt.Sprint(n), true)
			}
			t.System().Run()
		}))
	})
	if r.ended(); r.failed || !strings.Contains(strings.Join(r.said, "\n"), "Sometimes is given more than 1000 names") {
		t.Errorf("failed %v, said %q", r.failed, r.said)
	}
}

// Sometimes is judged under rapid when the test is over.
func TestRapidJudgesSometimes(t *testing.T) {
	t.Chdir(t.TempDir())
	runs := 0
	property := props.Rapid(func(t *props.T) {
		n := props.Draw(t, rapid.IntRange(0, 9), "n")
		t.System().Run()
		runs++ // a condition on n could stay false, because rapid's draws are different each time
		t.Sometimes("second", runs%2 == 0)
		t.Sometimes("ten", n == 10)
	})
	for range 2 { // a property may be checked by several tests
		r := &endedRecorder{}
		apart(func() { rapid.Check(r, property) })
		if r.ended(); !r.failed || !strings.Contains(strings.Join(r.said, "\n"), `sometimes "ten": reached in none of `) {
			t.Errorf("a situation that was never reached is not told: %v", r.said)
		}
		if strings.Contains(strings.Join(r.said, "\n"), `"second"`) {
			t.Errorf("one that was reached is told: %v", r.said)
		}
	}
}
