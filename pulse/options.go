package pulse

import (
	"fmt"
	"math"
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
	// fails; zero means 100,000. It also bounds what a handler may do else
	// without an end: a run may have as many actors and faults of a Nemesis, an
	// actor as many watchers, and a run ten times as many choices, lines of log and
	// writes to disks.
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
	// messages wait. Zero: time moves only when nothing else can happen; but
	// a search may give a property that leaves it at zero a few in some runs,
	// as fuzz.Check does. NeverEarly: in no run. Any other negative number:
	// there is no limit. A strategy that holds messages back cannot exceed it.
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

// NeverEarly is for Options.EarlyTimers: time moves only when nothing else can
// happen, in every run of every search. It is for programs whose timers are so
// much slower than all their messages that no timer races with one.
const NeverEarly = math.MinInt

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

// refusal returns what is wrong with the options, "" when nothing is. Negative
// counts are refused: a program that computes one has a fault.
func (o *Options) refusal() string {
	switch {
	case o.Delivery > DeliveryUnordered:
		return fmt.Sprintf("Options.Delivery is %d: it is DeliveryFIFO or DeliveryUnordered", o.Delivery)
	case o.Environment > EnvironmentClosed:
		return fmt.Sprintf("Options.Environment is %d: it is EnvironmentOpen or EnvironmentClosed", o.Environment)
	case o.Horizon < 0:
		return fmt.Sprintf("Options.Horizon is %v: give it a time from 1ns on, or zero for no end", o.Horizon)
	case o.Steps < 0:
		return negative("Options.Steps", o.Steps, "the default")
	case o.Pending < 0:
		return negative("Options.Pending", o.Pending, "the default")
	case o.Ticks < 0:
		return negative("Options.Ticks", o.Ticks, "the default")
	}
	return o.Faults.refusal()
}

// refusal returns what is wrong with the budgets of faults, "" when nothing is.
func (f *Faults) refusal() string {
	if f.Drop|f.Duplicate|f.Delay|f.Crash|f.RestartKept|f.RestartLost|f.Partition < 0 { // one of them is
		for _, b := range []struct {
			name string
			n    int
		}{
			{"Drop", f.Drop}, {"Duplicate", f.Duplicate}, {"Delay", f.Delay}, {"Crash", f.Crash},
			{"RestartKept", f.RestartKept}, {"RestartLost", f.RestartLost}, {"Partition", f.Partition},
		} {
			if b.n < 0 {
				return negative("Options.Faults."+b.name, b.n, "none")
			}
		}
	}
	for i, d := range f.DelayBy {
		if d <= 0 {
			return fmt.Sprintf("Options.Faults.DelayBy[%d] is %v: a message is held back for 1ns or longer", i, d)
		}
	}
	return ""
}

func negative(field string, n int, zero string) string {
	return fmt.Sprintf("%s is %d: give it a number from 1 on, or zero for %s", field, n, zero)
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
	add("unordered writes", f.UnorderedWrites, !f.UnorderedWrites)
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
