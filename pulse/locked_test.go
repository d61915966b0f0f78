package pulse_test

import (
	"fmt"
	"iter"
	"runtime"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/pulse"
)

// TestLockedThreads checks what happens to code that locks its goroutine to a
// thread. Where Go's runtime would end the whole process, the run fails with a
// message. A lock from before the run does no harm.
func TestLockedThreads(t *testing.T) {
	const nothing, locked, left = "", "misuse: a step has called runtime.LockOSThread or UnlockOSThread", "runtime.Goexit ended the run in p"
	lock := pulse.Func(func(*pulse.Ctx, any) { runtime.LockOSThread() })
	unlock := pulse.Func(func(*pulse.Ctx, any) { runtime.UnlockOSThread() })
	wait := func(p *pulse.Process) { p.Receive(); p.Receive() }
	stubborn := func(p *pulse.Process) {
		for {
			func() {
				defer func() { _ = recover() }()
				p.Receive()
			}()
		}
	}
	// with runs a program of a process and an actor. The actor takes its step
	// between two steps of the process.
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
		name string
		want string // the failure expected for the run
		do   func(s *pulse.System)
	}{
		{"nobody locks", nothing, func(s *pulse.System) { with(s, wait, pulse.Func(idle)) }},
		{"a handler", locked, func(s *pulse.System) { with(s, wait, lock) }},
		{"a handler, twice", locked, func(s *pulse.System) {
			runtime.LockOSThread()
			with(s, wait, lock)
		}},
		{"a handler unlocks", locked, func(s *pulse.System) {
			runtime.LockOSThread()
			with(s, wait, unlock)
		}},
		{"a handler unlocks once, of twice", locked, func(s *pulse.System) {
			runtime.LockOSThread()
			next, stop := iter.Pull(func(func(int) bool) {})
			runtime.LockOSThread()
			with(s, wait, unlock)
			next() // if the function unlock has released too many locks, this switch ends the process
			stop()
		}},
		{"a handler locks and unlocks", nothing, func(s *pulse.System) {
			with(s, wait, pulse.Func(func(*pulse.Ctx, any) { runtime.LockOSThread(); runtime.UnlockOSThread() }))
		}},
		{"a process that waits", locked, func(s *pulse.System) {
			with(s, func(p *pulse.Process) { runtime.LockOSThread(); p.Receive() }, pulse.Func(idle))
		}},
		{"a process that returns", nothing, func(s *pulse.System) {
			with(s, func(p *pulse.Process) { p.Receive(); p.Receive(); runtime.LockOSThread() }, pulse.Func(idle))
		}},
		{"a process when it is killed", nothing, func(s *pulse.System) {
			with(s, func(p *pulse.Process) { defer runtime.LockOSThread(); p.Receive(); p.Receive(); p.Receive() }, pulse.Func(idle))
		}},
		{"a process that ends its goroutine", left, func(s *pulse.System) {
			with(s, func(p *pulse.Process) { p.Receive(); p.Receive(); runtime.LockOSThread(); runtime.Goexit() }, pulse.Func(idle))
		}},
		{"a process that ends its goroutine when it is killed", nothing, func(s *pulse.System) {
			with(s, func(p *pulse.Process) {
				defer func() { runtime.LockOSThread(); runtime.Goexit() }()
				p.Receive()
				p.Receive()
				p.Receive()
			}, pulse.Func(idle))
		}},
		{"a process that will not die, in a test that locks from the beginning", nothing, func(s *pulse.System) {
			runtime.LockOSThread()
			with(s, stubborn, pulse.Func(idle))
			s.Reset(1)
			with(s, wait, pulse.Func(idle))
		}},
		{"the test, from the beginning", nothing, func(s *pulse.System) {
			runtime.LockOSThread()
			with(s, wait, pulse.Func(idle))
		}},
		{"the test, in the middle", locked, func(s *pulse.System) {
			p := s.Go("p", wait)
			s.Run()
			runtime.LockOSThread()
			s.Send(p, 1)
			s.Run()
		}},
		{"the test, between runs", nothing, func(s *pulse.System) {
			with(s, wait, pulse.Func(idle))
			runtime.LockOSThread()
			s.Reset(1)
			with(s, wait, pulse.Func(idle))
			runtime.UnlockOSThread()
			s.Reset(2)
			with(s, wait, pulse.Func(idle))
		}},
		{"the body of a coroutine", locked, func(s *pulse.System) {
			s.Send(s.Spawn("host", pulse.Func(func(*pulse.Ctx, any) {
				s.Host().Coroutine(func(co *pulse.Coroutine) { runtime.LockOSThread(); co.Park() }).Resume()
			})), 1)
			s.Run()
		}},
		{"who resumes a coroutine", locked, func(s *pulse.System) {
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
				go func() { // on a goroutine of its own, because the run may leave it locked to a thread
					defer func() { done <- s.Failure() }()
					s.Reset(seed)
					c.do(s)
				}()
				f, got := <-done, nothing
				if f != nil {
					got = fmt.Sprint(f.Kind, ": ", f.Text)
				}
				if c.want == nothing && f != nil || !strings.Contains(got, c.want) {
					t.Errorf("the run fails with %q", got)
				}
			}
			s.Close()
		})
	}
}
