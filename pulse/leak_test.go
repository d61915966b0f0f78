package pulse_test

import (
	"fmt"
	"runtime"
	"testing"

	"go.uber.org/goleak"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
)

// stubborn recovers every kill panic and waits again.
func stubborn(p *pulse.Process) {
	for {
		func() {
			defer func() { _ = recover() }()
			p.Receive()
		}()
	}
}

// deferring is a process with two deferred functions: one waits, and the other sends.
func deferring(p *pulse.Process) {
	defer func() { p.Receive() }()
	defer func() { p.Send(p.Self(), letter{}) }()
	defer func() { p.Sleep(1) }()
	p.Receive()
}

// insisting waits again in a deferred function while it is ended.
func insisting(p *pulse.Process) {
	defer func() {
		_ = recover()
		stubborn(p)
	}()
	p.Receive()
}

// bodies are the code of processes that resist being ended.
var bodies = map[string]func(*pulse.Process){
	"taking":    taking,
	"stubborn":  stubborn,
	"deferring": deferring,
	"insisting": insisting,
	"sleeping":  sleeping,
	"panicking in a deferred function": func(p *pulse.Process) {
		defer func() { panic("again") }()
		p.Receive()
	},
	"exiting in a deferred function": func(p *pulse.Process) {
		defer runtime.Goexit()
		p.Receive()
	},
	"closing in a deferred function": func(p *pulse.Process) {
		s := p.Self()
		defer func() { p.Kill(s) }()
		p.Receive()
	},
	"using the system in a deferred function": func(p *pulse.Process) {
		defer func() {
			p.Log("done")
			p.Go("another", taking)
		}()
		p.Receive()
	},
}

// TestNothingIsLeft: whatever the processes do, after Close no goroutine is left.
func TestNothingIsLeft(t *testing.T) {
	ways := map[string]func(s *pulse.System, r pulse.Ref){
		"never run":     func(*pulse.System, pulse.Ref) {},
		"parked":        func(s *pulse.System, _ pulse.Ref) { s.RunFor(0) },
		"killed":        func(s *pulse.System, r pulse.Ref) { s.RunFor(0); s.Kill(r); s.Run() },
		"reset":         func(s *pulse.System, _ pulse.Ref) { s.RunFor(0); s.Reset(1) },
		"reset unused":  func(s *pulse.System, _ pulse.Ref) { s.Reset(1) },
		"after a panic": func(s *pulse.System, _ pulse.Ref) { s.RunFor(0); one(pulse.Func(refusing), blast{})(s) },
		"crashed": func(s *pulse.System, _ pulse.Ref) {
			s.Configure(pulse.Options{Faults: pulse.Faults{Crash: 9}, Strategy: &answers{choose: func(_ choice.Kind, n int) int { return n - 1 }}})
			s.Go("clerk", taking)
			s.RunFor(0)
		},
	}
	for name, body := range bodies {
		for way, end := range ways {
			for _, record := range []bool{false, true} {
				s := pulse.New(pulse.Options{Record: record})
				end(s, s.Go("clerk", body))
				if f := s.Failure(); (f != nil) != (way == "after a panic" || way == "killed" && name == "panicking in a deferred function") {
					t.Errorf("%s, %s: %v", name, way, f)
				}
				s.Close()
			}
			if err := goleak.Find(); err != nil {
				t.Fatalf("%s, %s: %v", name, way, err)
			}
		}
	}
}

// TestLeaksAreSeen: a system that is not closed leaves a goroutine, and goleak
// reports that goroutine. So TestNothingIsLeft would notice a leak.
func TestLeaksAreSeen(t *testing.T) {
	s := pulse.New(pulse.Options{})
	s.Go("clerk", taking)
	s.Run()
	if err := goleak.Find(); err == nil {
		t.Error("a parked process is not seen")
	}
	s.Close()
	if err := goleak.Find(); err != nil {
		t.Error(err)
	}
}

func TestNoHostedCoroutineIsLeft(t *testing.T) {
	for _, begun := range []bool{false, true} {
		s := pulse.New(pulse.Options{})
		for range 3 {
			c := s.Host().Coroutine(func(c *pulse.Coroutine) {
				defer func() { _ = recover() }()
				c.Park()
				c.Park()
			})
			if begun && c.Resume() {
				t.Error("it has not parked")
			}
		}
		s.Reset(1)
		s.Host().Coroutine(func(*pulse.Coroutine) {}).Resume()
		s.Host().Coroutine(func(c *pulse.Coroutine) { c.Park() }).Resume()
		s.Close()
		if err := goleak.Find(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestGoexit: a step that calls runtime.Goexit, like testing's FailNow, ends
// the goroutine that called Run and leaves no goroutine behind.
func TestGoexit(t *testing.T) {
	exit := func() { runtime.Goexit() }
	for name, build := range map[string]func(s *pulse.System){
		"in a handler": func(s *pulse.System) {
			s.Send(s.Spawn("shop", pulse.Func(func(*pulse.Ctx, any) { exit() })), letter{})
		},
		"in a handler that recovers": func(s *pulse.System) {
			s.Send(s.Spawn("shop", pulse.Func(func(*pulse.Ctx, any) {
				defer func() { _ = recover() }()
				exit()
			})), letter{})
		},
		"in a process": func(s *pulse.System) { s.Go("shop", func(*pulse.Process) { exit() }) },
		"in a process that has waited": func(s *pulse.System) {
			s.Go("shop", func(p *pulse.Process) {
				p.Sleep(1)
				exit()
			})
		},
		"in a process that has others to end": func(s *pulse.System) {
			s.Go("shop", func(p *pulse.Process) {
				for range 10 {
					p.Go("boy", stubborn)
				}
				p.Sleep(1)
				exit()
			})
		},
	} {
		s := pulse.New(pulse.Options{Record: true})
		returned, ended := false, make(chan struct{})
		go func() {
			defer close(ended)
			defer func() { _ = recover() }() // if the goroutine ends by Goexit, recover returns nil
			s.Go("clerk", stubborn)
			build(s)
			s.Run()
			returned = true
		}()
		<-ended
		if returned {
			t.Errorf("%s: Run has returned", name)
		}
		if err := goleak.Find(); err != nil {
			t.Errorf("%s: before Close: %v", name, err)
		}
		want := "runtime.Goexit ended the run in shop#"
		if f := s.Failure(); f == nil || f.Kind != pulse.KindMisuse || f.Text[:len(want)] != want {
			t.Errorf("%s: it is said %v", name, f)
		}
		s.Reset(1)
		if f := process(taking, letter{}, letter{})(s); f != nil || s.Steps() != 3 {
			t.Errorf("%s: used again, %d steps and %v", name, s.Steps(), f)
		}
		s.Close()
		if err := goleak.Find(); err != nil {
			t.Errorf("%s: after Close: %v", name, err)
		}
	}
}

// TestFailNow is TestGoexit with a real testing.T, whose SkipNow ends a step.
//
// Skips: only a subtest, because SkipNow ends the goroutine as FailNow does,
// but the test can still pass.
func TestFailNow(t *testing.T) {
	s := pulse.New(pulse.Options{})
	t.Run("in a step", func(t *testing.T) {
		s.Go("clerk", taking)
		s.Send(s.Spawn("shop", pulse.Func(func(*pulse.Ctx, any) { t.SkipNow() })), letter{})
		s.Run()
		t.Error("Run has returned")
	})
	if err := goleak.Find(); err != nil {
		t.Error(err)
	}
	s.Close()
}

// TestDeferredFunctionsOfTheKilled: the deferred functions of a process that
// is ended run up to their first call of the system.
func TestDeferredFunctionsOfTheKilled(t *testing.T) {
	for name, end := range map[string]func(s *pulse.System, r pulse.Ref){
		"killed": func(s *pulse.System, r pulse.Ref) { s.Kill(r); s.Run() },
		"reset":  func(s *pulse.System, _ pulse.Ref) { s.Reset(1) },
		"closed": func(s *pulse.System, _ pulse.Ref) { s.Close() },
	} {
		var ran []string
		s := pulse.New(pulse.Options{})
		to := s.Spawn("till", pulse.Func(func(*pulse.Ctx, any) { ran = append(ran, "received") }))
		r := s.Go("clerk", func(p *pulse.Process) {
			defer func() { ran = append(ran, "first") }()
			defer func() {
				p.Send(to, letter{})
				ran = append(ran, "after Send")
			}()
			defer func() { ran = append(ran, "last") }()
			p.Receive()
		})
		s.Run()
		if f := s.Failure(); f != nil {
			t.Fatal(f)
		}
		end(s, r)
		if f := s.Failure(); fmt.Sprint(ran) != "[last first]" || f != nil {
			t.Errorf("%s: %v ran, and %v", name, ran, f)
		}
		s.Close()
	}
}

// TestCodeThatHasNotBegun: the body of a process that has not begun does not run when the system ends.
func TestCodeThatHasNotBegun(t *testing.T) {
	for _, end := range []func(*pulse.System){(*pulse.System).Close, func(s *pulse.System) { s.Reset(1) }} {
		s := pulse.New(pulse.Options{})
		s.Go("clerk", func(*pulse.Process) { t.Error("it runs") })
		s.Host().Coroutine(func(*pulse.Coroutine) { t.Error("it runs") })
		end(s)
		s.Close()
	}
}

// TestManyRuns: 1,000 runs with 100 processes each need no more goroutines than
// one run, and no more memory.
func TestManyRuns(t *testing.T) {
	s := pulse.New(pulse.Options{})
	defer s.Close()
	var goroutines int
	run := func() {
		s.Reset(1)
		for range 100 {
			s.Go("clerk", taking)
		}
		s.Run()
		if f := s.Failure(); f != nil {
			t.Fatal(f)
		}
	}
	run()
	goroutines = runtime.NumGoroutine()
	if allocs := testing.AllocsPerRun(1000, run); allocs > 0 {
		t.Errorf("%v allocations for a run", allocs)
	}
	if n := runtime.NumGoroutine(); n > goroutines { // the number may be smaller if a goroutine of another test has just ended
		t.Errorf("%d goroutines after 1,000 runs, %d after one", n, goroutines)
	}
}
