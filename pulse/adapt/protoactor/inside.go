package protoactor

import (
	"fmt"
	"log/slog"
	"reflect"
	"sync"
	"time"
	"unsafe"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/asynkron/protoactor-go/router"
)

// Proto.actor has no API to change how its futures block and where its logger writes.
// This file accesses the unexported fields that such a change needs. No other file
// accesses unexported fields. If a release of proto.actor lacks one of the fields,
// New fails and names the field.

// A layout holds the offsets and numbers of the unexported fields that the package
// needs.
type layout struct {
	logger, stopper         uintptr // of an ActorSystem
	cond, done, err, timer  uintptr // of a Future
	pipes                   uintptr
	failures                uintptr // of a RestartStatistics
	mailbox, spawner, rules int     // of Props: field numbers, not offsets
	guardian                int
	process                 uintptr // of a PID
	box                     uintptr // of an ActorProcess
	missing                 string  // names the first field that was not found; "" if all were found
}

// fields returns the positions of the unexported fields in the linked release of
// proto.actor. It finds them only once.
var fields = sync.OnceValue(func() layout {
	var l layout
	find := func(of reflect.Type, name string, as reflect.Type) reflect.StructField {
		f, ok := of.FieldByName(name)
		if !ok || f.Type != as {
			l.missing = fmt.Sprintf("%v has no field %s of type %v", of, name, as)
			return reflect.StructField{Index: []int{0}}
		}
		return f
	}
	system, future, props := reflect.TypeFor[actor.ActorSystem](), reflect.TypeFor[actor.Future](), reflect.TypeFor[actor.Props]()
	l.logger = find(system, "logger", reflect.TypeFor[*slog.Logger]()).Offset
	l.stopper = find(system, "stopper", reflect.TypeFor[chan struct{}]()).Offset
	l.cond = find(future, "cond", reflect.TypeFor[*sync.Cond]()).Offset
	l.done = find(future, "done", reflect.TypeFor[bool]()).Offset
	l.err = find(future, "err", reflect.TypeFor[error]()).Offset
	l.timer = find(future, "t", reflect.TypeFor[*time.Timer]()).Offset
	l.pipes = find(future, "pipes", reflect.TypeFor[[]*actor.PID]()).Offset
	l.failures = find(reflect.TypeFor[actor.RestartStatistics](), "failureTimes", reflect.TypeFor[[]time.Time]()).Offset
	l.mailbox = find(props, "mailboxProducer", reflect.TypeFor[actor.MailboxProducer]()).Index[0]
	l.spawner = find(props, "spawner", reflect.TypeFor[actor.SpawnFunc]()).Index[0]
	l.rules = find(props, "supervisionStrategy", reflect.TypeFor[actor.SupervisorStrategy]()).Index[0]
	l.process = find(reflect.TypeFor[actor.PID](), "p", reflect.TypeFor[*actor.Process]()).Offset
	l.box = find(reflect.TypeFor[actor.ActorProcess](), "mailbox", reflect.TypeFor[actor.Mailbox]()).Offset
	l.guardian = find(props, "guardianStrategy", reflect.TypeFor[actor.SupervisorStrategy]()).Index[0]
	return l
})

// at returns a pointer to the field of type T at an offset in a struct.
func at[T any](of unsafe.Pointer, offset uintptr) *T { return (*T)(unsafe.Add(of, offset)) }

// newActorSystem returns an actor system without a process registry. The thousand
// maps of a real registry take longer to make than most runs. The method world.begin
// makes the parts that refer to the actor system itself.
func newActorSystem(config *actor.Config) *actor.ActorSystem {
	as := &actor.ActorSystem{Config: config, ID: "jostle"}
	*at[chan struct{}](unsafe.Pointer(as), fields().stopper) = make(chan struct{})
	*at[*slog.Logger](unsafe.Pointer(as), fields().logger) = config.LoggerFactory(as)
	return as
}

// These functions access the unexported fields of a future.
func condOf(f *actor.Future) *sync.Cond { return *at[*sync.Cond](unsafe.Pointer(f), fields().cond) }
func doneOf(f *actor.Future) *bool      { return at[bool](unsafe.Pointer(f), fields().done) }
func errOf(f *actor.Future) *error      { return at[error](unsafe.Pointer(f), fields().err) }
func pipesOf(f *actor.Future) *[]*actor.PID {
	return at[[]*actor.PID](unsafe.Pointer(f), fields().pipes)
}
func timerOf(f *actor.Future) **time.Timer { return at[*time.Timer](unsafe.Pointer(f), fields().timer) }

// futureOf returns the Future that a process embeds as its first field, nil if there
// is none.
func futureOf(p actor.Process) *actor.Future {
	t := reflect.TypeOf(p)
	if t.Kind() != reflect.Pointer || t.Elem().Kind() != reflect.Struct || t.Elem().NumField() == 0 {
		return nil
	}
	if first := t.Elem().Field(0); !first.Anonymous || first.Type != reflect.TypeFor[actor.Future]() {
		return nil
	}
	return (*actor.Future)(reflect.ValueOf(p).UnsafePointer())
}

// knownMailbox returns the mailbox that a PID led to when it was last used. It
// returns nil if the PID was not used or leads to no actor.
func knownMailbox(pid *actor.PID) actor.Mailbox {
	p := *at[*actor.Process](unsafe.Pointer(pid), fields().process)
	if p == nil {
		return nil
	}
	a, is := (*p).(*actor.ActorProcess)
	if !is {
		return nil
	}
	return *at[actor.Mailbox](unsafe.Pointer(a), fields().box)
}

// failuresOf returns the times at which an actor failed.
func failuresOf(rs *actor.RestartStatistics) *[]time.Time {
	return at[[]time.Time](unsafe.Pointer(rs), fields().failures)
}

// mailboxOf returns the function that makes the mailboxes of props, nil for the
// default.
func mailboxOf(p *actor.Props) actor.MailboxProducer {
	return *field[actor.MailboxProducer](p, fields().mailbox)
}

// spawnerOf returns the function that spawns the actors of props, nil for the
// default.
func spawnerOf(p *actor.Props) actor.SpawnFunc { return *field[actor.SpawnFunc](p, fields().spawner) }

// rulesOf returns the strategy for an actor's children in props, nil if there is none.
func rulesOf(p *actor.Props) actor.SupervisorStrategy {
	return *field[actor.SupervisorStrategy](p, fields().rules)
}

// guardianOf returns the guardian's strategy in props, nil if there is none.
func guardianOf(p *actor.Props) actor.SupervisorStrategy {
	return *field[actor.SupervisorStrategy](p, fields().guardian)
}

func field[T any](p *actor.Props, n int) *T {
	return (*T)(unsafe.Pointer(reflect.ValueOf(p).Elem().Field(n).UnsafeAddr()))
}

// backOff returns the settings of an exponential back-off strategy, and reports
// whether s is such a strategy.
func backOff(s actor.SupervisorStrategy) (window, initial time.Duration, ok bool) {
	v := reflect.ValueOf(s)
	if v.Type() != reflect.TypeOf(actor.NewExponentialBackoffStrategy(0, 0)) {
		return 0, 0, false
	}
	w, i := v.Elem().FieldByName("backoffWindow"), v.Elem().FieldByName("initialBackoff")
	if !w.IsValid() || !i.IsValid() {
		return 0, 0, false
	}
	return time.Duration(w.Int()), time.Duration(i.Int()), true
}

// randomRoutees returns the routees of a random router. It returns nil if the
// process is not a random router.
func randomRoutees(p actor.Process) *actor.PIDSet {
	v := reflect.ValueOf(p)
	if v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct {
		return nil
	}
	f := v.Elem().FieldByName("state")
	if !f.IsValid() || f.Type() != reflect.TypeFor[router.State]() || f.IsNil() {
		return nil
	}
	state := *(*router.State)(unsafe.Pointer(f.UnsafeAddr()))
	if t := reflect.TypeOf(state); t.Kind() != reflect.Pointer || t.Elem().Name() != "randomRouterState" {
		return nil
	}
	return state.GetRoutees()
}

// queueOf returns the type name of a mailbox's queue and whether the mailbox has
// middleware. The name is "" unless the mailbox is one of proto.actor's own.
func queueOf(m actor.Mailbox) (name string, middleware bool) {
	v := reflect.ValueOf(m)
	if v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct {
		return "", false
	}
	queue, list := v.Elem().FieldByName("userMailbox"), v.Elem().FieldByName("middlewares")
	if !queue.IsValid() || queue.Kind() != reflect.Interface || queue.IsNil() {
		return "", false
	}
	return queue.Elem().Type().String(), list.IsValid() && list.Kind() == reflect.Slice && list.Len() > 0
}
