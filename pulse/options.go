package pulse

import (
	"fmt"
	"reflect"
	"strings"
	"time"
)

// Delivery is which of the messages on their way can come next.
type Delivery uint8

const (
	// DeliveryFIFO keeps the order of the messages from one sender to one receiver.
	DeliveryFIFO Delivery = iota
	// DeliveryUnordered keeps no order: any message on its way may come next.
	DeliveryUnordered
)

func (d Delivery) String() string {
	if d == DeliveryUnordered {
		return "unordered"
	}
	return "fifo"
}

// Environment is what may still come from outside when a run is at rest.
type Environment uint8

const (
	// EnvironmentOpen: the system may be sent more. Actors that wait for any
	// message are fine, and so are processes that sleep beyond the horizon; a
	// process that waits for a particular message is stuck.
	EnvironmentOpen Environment = iota
	// EnvironmentClosed: nothing more comes. Every actor that has not ended is
	// stuck.
	EnvironmentClosed
)

func (e Environment) String() string {
	if e == EnvironmentClosed {
		return "closed"
	}
	return "open"
}

// Options say how a System runs. The zero value is a system with FIFO
// delivery that takes the oldest message first, without faults, unrecorded.
type Options struct {
	Delivery    Delivery
	Environment Environment

	// Strategy makes the decisions; nil takes the oldest message first and
	// answers every choice with zero.
	Strategy Strategy
	// Seed is given to the strategy at the start of the first run; Reset
	// gives the seeds of those that follow.
	Seed uint64

	// Steps is how many steps a run may take before it fails; zero means 100,000.
	Steps int
	// Pending is how many messages may wait at one time before the run
	// fails; zero means 100,000.
	Pending int

	// Record keeps the trace and the decisions, and computes identities.
	Record bool
	// Isolation checks after each step that no message on its way was
	// changed. It implies Record, and costs a walk over all such messages.
	Isolation bool
	// Tools reports whether the values of a struct type are tools of the test,
	// which say nothing of the program: Isolation and State take no notice of
	// what they hold. It is asked once for each type. Nil reports none. The
	// types of package testing and of the standard library's loggers are tools
	// without it, and so are System, Ctx and Process.
	Tools func(reflect.Type) bool
	// Orphans makes a message that was sent to an ended actor a failure.
	Orphans bool

	// EarlyTimers is how many times in a run timers may fire although
	// messages wait. Zero: time moves only when nothing else can happen.
	// Negative: there is no limit.
	EarlyTimers int
	// Ticks is how many times in a row periodic timers may fire, for each such
	// timer, without any other message being sent or being due before the run
	// counts as being at rest; zero means 10. Those that fire at the same time
	// as another timer do not count. RunFor ends by the time only.
	Ticks int
	// Horizon is where virtual time ends: what is due later never comes.
	// Zero: there is no end.
	Horizon time.Duration

	Faults Faults

	// Failed is told when a run has failed, before Run returns. It may panic,
	// so that what follows Run in a property is not run on a broken system.
	Failed func(*Failure)
}

const (
	defaultSteps   = 100_000
	defaultPending = 100_000
	defaultTicks   = 10
)

func orDefault(v, zero int) int {
	if v > 0 {
		return v
	}
	return zero
}

// A Setting is one thing that a system was told, in words.
type Setting struct{ Name, Value string }

// Settings returns in words what a system is told about how to run its
// program; what is left at its default is left out. The strategy, seeds, and
// what is only watched are not part of it.
func (o Options) Settings() (list []Setting) {
	add := func(name string, value any, zero bool) {
		if !zero {
			list = append(list, Setting{Name: name, Value: fmt.Sprint(value)})
		}
	}
	count := func(name string, n int) { add(name, n, n == 0) }
	add("delivery", o.Delivery, o.Delivery == DeliveryFIFO)
	add("environment", o.Environment, o.Environment == EnvironmentOpen)
	count("steps", o.Steps)
	count("pending", o.Pending)
	add("orphans", o.Orphans, !o.Orphans)
	add("isolation", o.Isolation, !o.Isolation)
	count("early timers", o.EarlyTimers)
	count("ticks", o.Ticks)
	add("horizon", o.Horizon, o.Horizon == 0)
	f := &o.Faults
	count("drop", f.Drop)
	count("duplicate", f.Duplicate)
	count("delay", f.Delay)
	add("delay by", durations(f.DelayBy), len(f.DelayBy) == 0)
	count("crash", f.Crash)
	count("restart kept", f.RestartKept)
	count("restart lost", f.RestartLost)
	count("partition", f.Partition)
	add("links", "limited", f.Links == nil)
	add("actors", "limited", f.Actors == nil)
	add("swarm", f.Swarm, !f.Swarm)
	return list
}

// durations lists times as in "1ms, 2s".
func durations(list []time.Duration) string {
	words := make([]string, len(list))
	for i, d := range list {
		words[i] = d.String()
	}
	return strings.Join(words, ", ")
}
