package pulse_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/pulse"
)

// TestLockedThreads holds what comes of code that locks its goroutine to a thread: a
// failure that says so, where the runtime would end all tests, and nothing where the
// lock is there from the beginning.
func TestLockedThreads(t *testing.T) {
	lock := pulse.Func(func(*pulse.Ctx, any) { runtime.LockOSThread() })
	unlock := pulse.Func(func(*pulse.Ctx, any) { runtime.UnlockOSThread() })
	wait := func(p *pulse.Process) { p.Receive(); p.Receive() }
	// with runs a process and an actor, whose step comes between those of the process.
	with := func(s *pulse.System, body func(*pulse.Process), a pulse.Actor) {
		p, other := s.Go("p", body), s.Spawn("other", a)
		s.Send(p, 1)
		s.Run()
		s.Send(other, 2)
		s.Run()
		s.Send(p, 3)
		s.Run()
	}
	for _, c := range []struct {
		name  string
		fails bool
		do    func(s *pulse.System)
	}{
		{"nobody locks", false, func(s *pulse.System) { with(s, wait, pulse.Func(idle)) }},
		{"a handler", true, func(s *pulse.System) { with(s, wait, lock) }},
		{"a handler, twice", true, func(s *pulse.System) {
			runtime.LockOSThread()
			with(s, wait, lock)
		}},
		{"a handler unlocks", true, func(s *pulse.System) {
			runtime.LockOSThread()
			with(s, wait, unlock)
		}},
		{"a handler locks and unlocks", false, func(s *pulse.System) {
			with(s, wait, pulse.Func(func(*pulse.Ctx, any) { runtime.LockOSThread(); runtime.UnlockOSThread() }))
		}},
		{"a process that waits", true, func(s *pulse.System) {
			with(s, func(p *pulse.Process) { runtime.LockOSThread(); p.Receive() }, pulse.Func(idle))
		}},
		{"a process that returns", false, func(s *pulse.System) {
			with(s, func(p *pulse.Process) { p.Receive(); p.Receive(); runtime.LockOSThread() }, pulse.Func(idle))
		}},
		{"a process when it is killed", false, func(s *pulse.System) {
			with(s, func(p *pulse.Process) { defer runtime.LockOSThread(); p.Receive(); p.Receive(); p.Receive() }, pulse.Func(idle))
		}},
		{"the test, from the beginning", false, func(s *pulse.System) {
			runtime.LockOSThread()
			with(s, wait, pulse.Func(idle))
		}},
		{"the test, in the middle", true, func(s *pulse.System) {
			p := s.Go("p", wait)
			s.Run()
			runtime.LockOSThread()
			s.Send(p, 1)
			s.Run()
		}},
		{"the test, between runs", false, func(s *pulse.System) {
			with(s, wait, pulse.Func(idle))
			runtime.LockOSThread()
			s.Reset(1)
			with(s, wait, pulse.Func(idle))
			runtime.UnlockOSThread()
			s.Reset(2)
			with(s, wait, pulse.Func(idle))
		}},
		{"the body of a coroutine", true, func(s *pulse.System) {
			s.Send(s.Spawn("host", pulse.Func(func(*pulse.Ctx, any) {
				s.Host().Coroutine(func(co *pulse.Coroutine) { runtime.LockOSThread(); co.Park() }).Resume()
			})), 1)
			s.Run()
		}},
		{"who resumes a coroutine", true, func(s *pulse.System) {
			s.Send(s.Spawn("host", pulse.Func(func(*pulse.Ctx, any) {
				co := s.Host().Coroutine(func(co *pulse.Coroutine) { co.Park() })
				co.Resume()
				runtime.LockOSThread()
				co.Resume()
			})), 1)
			s.Run()
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := pulse.New(pulse.Options{Environment: pulse.EnvironmentOpen})
			for seed := range uint64(3) {
				done := make(chan *pulse.Failure)
				go func() { // it may end locked
					s.Reset(seed)
					c.do(s)
					done <- s.Failure()
				}()
				f := <-done
				if got := f != nil && f.Kind == pulse.KindMisuse && strings.Contains(f.Text, "runtime.LockOSThread"); got != c.fails || f != nil && !got {
					t.Errorf("the run fails with %v", f)
				}
			}
			s.Close()
		})
	}
}
