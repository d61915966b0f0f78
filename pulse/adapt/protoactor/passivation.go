package protoactor

import (
	"reflect"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/asynkron/protoactor-go/plugin"
	"github.com/asynkron/protoactor-go/scheduler"

	"github.com/jostle-go/jostle/pulse"
)

// A PassivationHolder replaces plugin.PassivationHolder of proto.actor and uses
// virtual time. An actor embeds this type instead of the original. Alternatively,
// the actor embeds the interface plugin.PassivationAware. The test then sets this
// field to a holder of this type, and production code sets it to the original.
type PassivationHolder struct {
	world *world
	timer pulse.Timer
	pid   *actor.PID
}

var _ plugin.PassivationAware = (*PassivationHolder)(nil)

// Init starts the timer that stops the actor. The passivation plugin calls Init.
func (p *PassivationHolder) Init(as *actor.ActorSystem, pid *actor.PID, d time.Duration) {
	if p.world = worldOf(as); p.world == nil {
		panic(misuseOf("protoactor.PassivationHolder in an actor system that was not made by protoactor.New"))
	}
	p.pid = pid
	p.Reset(d)
}

// Reset restarts the timer. The passivation plugin calls Reset for each message.
func (p *PassivationHolder) Reset(d time.Duration) {
	p.timer.Stop()
	p.timer = p.world.later(max(d, 0), "passivation", func() { p.world.as.Root.Stop(p.pid) })
}

// Cancel stops the timer.
func (p *PassivationHolder) Cancel() { p.timer.Stop() }

// refuseRealTime fails the run if a started actor has a field that holds a real timer
// of proto.actor. A run is over long before such a timer fires, and each run would
// leave one timer behind.
func (c *cell) refuseRealTime() {
	v := reflect.ValueOf(c.invoker.Actor())
	for v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	if v.Kind() == reflect.Struct {
		c.refuseRealTimeIn(v)
	}
}

func (c *cell) refuseRealTimeIn(v reflect.Value) {
	for i := range v.NumField() {
		f := v.Field(i)
		if f.Kind() == reflect.Interface {
			f = f.Elem()
		}
		if f.Kind() == reflect.Pointer {
			f = f.Elem()
		}
		switch {
		case !f.IsValid():
		case f.Type() == reflect.TypeFor[scheduler.TimerScheduler]() && !f.IsZero():
			c.misuse("%s keeps a TimerScheduler of package scheduler, whose timers are real: use protoactor.NewTimerScheduler", c.label)
		case f.Type() == reflect.TypeFor[plugin.PassivationHolder]() && !f.IsZero():
			c.misuse("%s is stopped by plugin.PassivationPlugin in real time: have it embed a protoactor.PassivationHolder, which has the same methods", c.label)
		case v.Type().Field(i).Anonymous && f.Kind() == reflect.Struct && !isTheirs(f.Type()):
			c.refuseRealTimeIn(f)
		}
	}
}
