package protoactor

import (
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/asynkron/protoactor-go/scheduler"
	"github.com/jostle-go/jostle/pulse"
)

// A TimerScheduler replaces scheduler.TimerScheduler of proto.actor and uses virtual
// time. A program that gets its scheduler as an interface needs no change.
type TimerScheduler struct {
	ctx   actor.SenderContext
	world *world
}

// NewTimerScheduler returns a scheduler that sends messages through the given
// context. The context must belong to an actor system made by New. In a step, pass
// the actor's own context. In the test, pass the Root of the actor system.
func NewTimerScheduler(ctx actor.SenderContext) *TimerScheduler {
	w := worldOf(ctx.ActorSystem())
	if w == nil {
		panic(misuseOf("protoactor.NewTimerScheduler with a context of an actor system that was not made by protoactor.New"))
	}
	return &TimerScheduler{ctx, w}
}

// SendOnce sends a message after the delay.
func (s *TimerScheduler) SendOnce(delay time.Duration, pid *actor.PID, message any) scheduler.CancelFunc {
	return s.start(delay, 0, func() { s.ctx.Send(pid, message) })
}

// SendRepeatedly sends a message after the initial delay, and then at each interval.
func (s *TimerScheduler) SendRepeatedly(initial, interval time.Duration, pid *actor.PID, message any) scheduler.CancelFunc {
	return s.start(initial, max(interval, 1), func() { s.ctx.Send(pid, message) })
}

// RequestOnce is like SendOnce, but the message carries the sender's PID.
func (s *TimerScheduler) RequestOnce(delay time.Duration, pid *actor.PID, message any) scheduler.CancelFunc {
	return s.start(delay, 0, func() { s.ctx.Request(pid, message) })
}

// RequestRepeatedly is like SendRepeatedly, but the messages carry the sender's PID.
func (s *TimerScheduler) RequestRepeatedly(delay, interval time.Duration, pid *actor.PID, message any) scheduler.CancelFunc {
	return s.start(delay, max(interval, 1), func() { s.ctx.Request(pid, message) })
}

// start calls do after the delay, and then at each interval if the interval is not
// zero. The returned function cancels the calls.
func (s *TimerScheduler) start(delay, interval time.Duration, do func()) scheduler.CancelFunc {
	cancelled := false
	var timer pulse.Timer
	timer = s.world.later(max(delay, 0), "timer", func() {
		if cancelled {
			return
		}
		if do(); interval > 0 {
			timer = s.world.current.ctx.Every(interval, &deed{"timer", func() {
				if !cancelled {
					do()
				}
			}})
		}
	})
	return func() {
		cancelled = true
		timer.Stop()
	}
}

// later calls a function after some virtual time, in a step of the current actor.
func (w *world) later(d time.Duration, what string, do func()) pulse.Timer {
	me := w.me()
	if me == w.test {
		me = w.atDesk()
	}
	return w.host.After(me.born(), d, &deed{what, do})
}
