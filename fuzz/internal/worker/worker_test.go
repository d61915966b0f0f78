package worker_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/metrics"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jostle-go/jostle/fuzz"
	"github.com/jostle-go/jostle/fuzz/internal/session"
	"github.com/jostle-go/jostle/fuzz/internal/words"
	"github.com/jostle-go/jostle/fuzz/internal/worker"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

// asWorker is an environment variable that tells
// the processes started by these tests what to do.
const asWorker = "WORKER_TEST"

// cleaned is an environment variable. It names a file that TestMain writes when it cleans up.
const cleaned = "WORKER_CLEANED"

// TestMain makes some processes behave as broken workers, as asWorker says.
func TestMain(m *testing.M) {
	switch os.Getenv(asWorker) {
	case "other version":
		say(`{"Hello":{"Version":99,"New":[1,2]}}`)
	case "no version":
		say(`{"Offer":{"Test":"TestSeveral"}}`)
	case "gibberish":
		say("jostle")
	case "silence":
		time.Sleep(time.Hour)
	case "exit":
		fmt.Println("no database")
		os.Exit(7)
	case "clear":
		os.Clearenv()
	}
	code := m.Run()
	if path := os.Getenv(cleaned); path != "" {
		fmt.Println("a test that prints at its end")
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			panic(err)
		}
	}
	os.Exit(code)
}

// say writes a line to the command, and then waits until the command ends the process.
func say(line string) {
	out := os.NewFile(4, "pipe")
	fmt.Fprintln(out, line)
	time.Sleep(time.Hour)
}

func start(t *testing.T, tests, as string) *worker.Process {
	t.Helper()
	limit := time.Minute
	if as == "silence" {
		limit = time.Second
	}
	p, err := worker.Start(worker.Command{Binary: os.Args[0], Dir: ".", Tests: words.Pattern(tests), StartUp: limit,
		Env: []string{asWorker + "=" + as, "JOSTLE_OUT=" + t.TempDir()}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	return p
}

// one sends one message. It also prints to stdout and stderr, as user programs do.
func one(t *props.T) {
	sys := t.System()
	a := sys.Spawn("a", pulse.Func(func(*pulse.Ctx, any) {
		fmt.Print("{\"Hello\":null}\n{")
		fmt.Fprintln(os.Stderr, "}")
	}))
	sys.Send(a, 1)
	sys.Run()
}

// TestSeveral has subtests that call several verbs, for a command to search.
//
// Skips: unless a command runs it as a worker.
func TestSeveral(t *testing.T) {
	if os.Getenv(asWorker) == "" {
		t.Skip("it is for other tests")
	}
	fuzz.Check(t, one)
	if v := fuzz.Explore(t, one); v.Runs > 0 {
		t.Error("it was explored although a command has taken it")
	}
	for _, name := range []string{"a b", "c/d"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fuzz.Check(t, func(t *props.T) { one(t) })
		})
	}
}

// TestOffers: every call of a verb is offered to the command, whatever the test's name and number of calls.
func TestOffers(t *testing.T) {
	p := start(t, "TestSeveral", "offer")
	seen := map[string]bool{}
	for {
		offer, err := p.Offer()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		seen[fmt.Sprintf("%s %s %d %s", offer.Test, offer.Verb, offer.Call, offer.Name)] = true
		if err := p.Answer(false); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"TestSeveral Check 0 one", "TestSeveral Explore 1 one", "TestSeveral/a_b Check 0 TestSeveral/a_b", "TestSeveral/c/d Check 0 TestSeveral/c/d"} {
		if !seen[want] {
			t.Errorf("%q was not offered, but %v", want, seen)
		}
	}
	if len(seen) != 4 {
		t.Errorf("offered were %v", seen)
	}
}

// TestRequests: output of the program does not disturb the protocol of
// its process. An invalid request is refused, and the process goes on.
func TestRequests(t *testing.T) {
	p := start(t, "TestSeveral", "serve")
	if _, err := p.Offer(); err != nil {
		t.Fatal(err)
	}
	if err := p.Answer(true); err != nil {
		t.Fatal(err)
	}
	do := func(q session.Request) (*session.Reply, error) { return p.Do(t.Context(), q) }
	r, err := do(session.Request{Do: session.Begin, Seed: 1})
	if err != nil || r.Complete != "complete: the only possible order was run" {
		t.Errorf("begin: %v, %v", r, err)
	}
	r, err = do(session.Request{Do: session.Run, Seed: 1, First: 3, Count: 4, Without: []int{4, 9}})
	if err != nil || r.Tally.Runs != 3*16 || r.Batch != 16 || r.Tally.Steps != 3*16 {
		t.Errorf("run: %+v, %v", r, err)
	}
	if r, err = do(session.Request{Do: session.Run, Seed: 1, First: 3, Count: 4, Runs: 52}); err != nil || r.Tally.Runs != 4 {
		t.Errorf("run to a bound: %+v, %v", r, err)
	}
	if r, err = do(session.Request{Do: session.Run, Seed: 1, First: 4, Count: 4, Runs: 52}); err != nil || r.Tally.Runs != 0 {
		t.Errorf("run beyond the bound: %+v, %v", r, err)
	}
	const many = 1 << 30
	if r, err = do(session.Request{Do: session.Run, Seed: 1, Count: many, Time: time.Millisecond}); err != nil || r.Over < 1 || r.Over == many || r.Tally.Runs != 16*r.Over || r.Cut {
		t.Errorf("run for a time: %+v, %v", r, err)
	}
	end, stop := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, stop)
	for _, when := range []string{"later", "before"} { // later: the context of the second request ends during that request
		r, err = p.DoUntil(t.Context(), end, session.Request{Do: session.Run, Seed: 1, Count: many})
		if err != nil || r.Over == many || r.Tally.Runs < 16*r.Over || r.Tally.Runs > 16*(r.Over+1) {
			t.Errorf("run until an end that comes %s: %+v, %v", when, r, err)
		}
	}
	if r, err = do(session.Request{Do: session.Explore, Seed: 1}); err != nil || r.Complete != "1 order" {
		t.Errorf("explore: %+v, %v", r, err)
	}
	for _, c := range []struct {
		q    session.Request
		want string
	}{
		{session.Request{Do: "dance"}, `unknown request "dance"`},
		{session.Request{Do: session.Replay, File: "none"}, `there is no case "none"`},
		{session.Request{Do: session.Shrink, Case: "no case", File: "x.case"}, "x.case:1: "},
		{session.Request{Do: session.Repair, Case: "jostle case 3\n", File: "x.case"}, "x.case:1: "},
	} {
		var refused *worker.Refusal
		if _, err := do(c.q); !errors.As(err, &refused) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %s", c.q, err, c.want)
		}
	}
	if _, err = do(session.Request{Do: session.Run, Seed: 1, Count: 1}); err != nil {
		t.Error(err)
	}
	p.Stop()
	var death *worker.Death
	if _, err = do(session.Request{Do: session.Run, Seed: 1, Count: 1}); !errors.As(err, &death) {
		t.Errorf("a process that has stopped: %v", err)
	}
}

// percent fails and prints the GOGC in effect.
func percent(t *props.T) {
	sample := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	metrics.Read(sample)
	one(t)
	t.Errorf("%d%%", sample[0].Value.Uint64())
}

// TestPercentOfGarbage checks the property percent, which fails.
//
// Skips: unless a command runs it as a worker.
func TestPercentOfGarbage(t *testing.T) {
	if os.Getenv(asWorker) == "" {
		t.Skip("it is for other tests")
	}
	fuzz.Check(t, percent)
}

// TestGarbage: a worker raises GOGC, so that garbage is
// collected more rarely, unless GOGC is set in its environment.
func TestGarbage(t *testing.T) {
	for _, c := range []struct{ said, want string }{{"", "400%"}, {"100", "100%"}, {"50", "50%"}} {
		t.Setenv("GOGC", c.said)
		p := start(t, "TestPercentOfGarbage", "serve")
		if _, err := p.Offer(); err != nil {
			t.Fatal(err)
		}
		if err := p.Answer(true); err != nil {
			t.Fatal(err)
		}
		r, err := p.Do(t.Context(), session.Request{Do: session.Run, Seed: 1, Count: 1})
		if err != nil || len(r.Findings) != 1 || !strings.Contains(r.Findings[0].Text(0), c.want) {
			t.Errorf("GOGC=%s: %v, %+v, want %s", c.said, err, r, c.want)
		}
	}
}

// slowly takes a third of a second. It spends this time waiting or computing.
func slowly(t *props.T) {
	if end := time.Now().Add(time.Second / 3); os.Getenv(asWorker) == "wait" {
		time.Sleep(time.Until(end))
	} else {
		for time.Now().Before(end) {
		}
	}
	one(t)
}

// TestSlowly runs the slow property of a worker.
//
// Skips: unless the command jostle searches in the test.
func TestSlowly(t *testing.T) {
	if os.Getenv(asWorker) == "" {
		t.Skip("it is for other tests")
	}
	fuzz.Check(t, slowly)
}

// TestBusy: the beats of a worker tell whether the
// program is waiting, or running or ready to run.
func TestBusy(t *testing.T) {
	for _, as := range []string{"wait", "compute"} {
		p := start(t, "TestSlowly", as)
		var during []bool // whether the program was busy in each beat
		p.Beat = func(b worker.Beat) { during = append(during, b.Busy) }
		if _, err := p.Offer(); err != nil {
			t.Fatal(err)
		}
		if err := p.Answer(true); err != nil {
			t.Fatal(err)
		}
		during = nil
		if _, err := p.Do(t.Context(), session.Request{Do: session.Run, Seed: 1, Count: 1, Runs: 2}); err != nil {
			t.Fatal(err)
		}
		busy := 0
		for _, b := range during[:len(during)-1] { // the last beat comes after the runs
			if b {
				busy++
			}
		}
		if n := len(during) - 1; n == 0 || 2*busy > n != (as == "compute") {
			t.Errorf("to %s was busy in %d of %d beats", as, busy, n)
		}
		p.Stop()
	}
}

// TestClearedEnvironment: a TestMain may clear the environment before it runs the tests.
func TestClearedEnvironment(t *testing.T) {
	offer, err := start(t, "TestHere", "clear").Offer()
	if err != nil || offer.Name != "one" {
		t.Errorf("%+v, %v", offer, err)
	}
}

// TestHere offers one property. Other tests start it in a new process, even without the variable asWorker.
//
// Skips: unless it is the only test to run, as when a command starts it.
func TestHere(t *testing.T) {
	if !slices.Contains(os.Args, "-test.run=^TestHere$") {
		t.Skip("it is for other tests")
	}
	fuzz.Check(t, one)
}

// TestCleansUp: a busy process is asked to end before it is killed, so that its
// TestMain can clean up. Tested for an interrupted request, and before the first offer.
func TestCleansUp(t *testing.T) {
	busy := session.Request{Do: session.Run, Seed: 1, Count: 1 << 30}
	for name, end := range map[string]func(t *testing.T, p *worker.Process){
		"interrupted": func(t *testing.T, p *worker.Process) {
			taken(t, p)
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			if _, err := p.Do(ctx, busy); !errors.Is(err, context.DeadlineExceeded) {
				t.Error(err)
			}
		},
		"starting": func(t *testing.T, p *worker.Process) {
			p.Interrupt()
			for {
				if _, err := p.Offer(); err != nil {
					if err != io.EOF {
						t.Error(err)
					}
					return
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "cleaned")
			p, err := worker.Start(worker.Command{Binary: os.Args[0], Dir: ".", Tests: words.Pattern("TestSeveral"), Env: []string{asWorker + "=serve", cleaned + "=" + file, "JOSTLE_OUT=" + t.TempDir()}})
			if err != nil {
				t.Fatal(err)
			}
			end(t, p)
			if _, err := os.Stat(file); err != nil {
				t.Errorf("TestMain has not cleaned up: %v", err)
			}
		})
	}
}

// taken accepts the first property that the process offers.
func taken(t *testing.T, p *worker.Process) {
	t.Helper()
	if _, err := p.Offer(); err != nil {
		t.Fatal(err)
	}
	if err := p.Answer(true); err != nil {
		t.Fatal(err)
	}
}

// TestProcessesThatAreNoWorkers: each process that is no worker gives one clear error.
func TestProcessesThatAreNoWorkers(t *testing.T) {
	for _, c := range []struct{ as, want string }{
		{"other version", "the test binary speaks version 99 of the protocol, and this command version 5: install one version of jostle for the module and the command"},
		{"no version", "the test binary speaks version 0 of the protocol, and this command version 5: install one version of jostle for the module and the command"},
		{"gibberish", "signal: killed"},
		{"silence", "it sent nothing for 1s"},
		{"exit", "exit status 7\n        no database"},
	} {
		t.Run(c.as, func(t *testing.T) {
			t.Parallel()
			if _, err := start(t, "TestSeveral", c.as).Offer(); err == nil || err.Error() != c.want {
				t.Errorf("%v, want %s", err, c.want)
			}
		})
	}
	if _, err := worker.Start(worker.Command{Binary: "nowhere"}); err == nil || !strings.HasPrefix(err.Error(), "the test binary cannot be started: ") {
		t.Error(err)
	}
}

// TestInterruptedRequest: if the context of a request ends, the request and the process end too.
func TestInterruptedRequest(t *testing.T) {
	p := start(t, "TestSeveral", "serve")
	if _, err := p.Offer(); err != nil {
		t.Fatal(err)
	}
	if err := p.Answer(true); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Do(ctx, session.Request{Do: session.Run, Seed: 1, Count: 1 << 30}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
