package pulse

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"time"
)

// Delivery says which of the messages on their way can come next.
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

// Environment says whether more can come from outside when a run is at rest.
type Environment uint8

const (
	// EnvironmentOpen: the test may send more. A process that waits for a
	// particular message is stuck. Actors that wait for any message are not,
	// nor are processes that sleep past the horizon.
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

// Options configures a System. The zero value has FIFO delivery, takes the
// oldest message first, has no faults and records nothing.
type Options struct {
	Delivery    Delivery
	Environment Environment

	// Strategy makes the decisions. If nil, the oldest message comes first and
	// every choice is zero.
	Strategy Strategy
	// Seed is the strategy's seed for the first run. Reset sets the seeds of
	// later runs.
	Seed uint64

	// Steps is how many steps a run may take before it fails; zero means
	// 100,000.
	Steps int
	// Pending is how many messages may wait at once before the run fails; zero
	// means 100,000. It also bounds other actions of handlers. A run may have
	// as many actors and Nemesis faults, an actor as many watchers. A run may
	// have ten times as many choices, log lines and disk writes.
	Pending int

	// Record records the trace and the decisions, and computes identities.
	Record bool
	// Isolation checks after each step that no message on its way has changed.
	// It implies Record and costs a walk over all such messages.
	Isolation bool
	// Tools reports whether a struct type is a tool of the test, which is no
	// part of the program: Isolation and State ignore its fields. It is called
	// once for each type. Nil means none. System, Ctx, Process, the types of
	// package testing and the standard library's loggers are always tools.
	Tools func(reflect.Type) bool
	// Orphans makes a message to an ended actor a failure.
	Orphans bool

	// EarlyTimers is how many times in a run a timer may fire while messages
	// wait. Zero means never; but a search may allow a few in some runs of a
	// property that leaves it at zero, as fuzz.Check does. NeverEarly means
	// never in any run. Any other negative number means no limit. The limit
	// also holds for strategies that hold messages back.
	EarlyTimers int
	// Ticks bounds how long periodic timers keep a run going by themselves;
	// zero means 10. The run is at rest after Ticks firings per periodic timer
	// in a row without another message sent or due. Firings at the same time as
	// another timer do not count. RunFor ignores Ticks.
	Ticks int
	// Horizon is the end of virtual time: events due later never happen. Zero
	// means no end.
	Horizon time.Duration

	Faults Faults

	// Failed is called when a run has failed, before Run returns. It may panic,
	// so that a property does not continue with a broken system.
	Failed func(*Failure)
}

// NeverEarly, for Options.EarlyTimers, forbids early timers in every run of
// every search. Use it if timers are so much slower than messages that no timer
// races with a message.
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

// refusal returns what is wrong with the options, or "". Negative counts are an
// error, since a program that computes one has a bug.
func (o *Options) refusal() string {
	switch {
	case o.Delivery > DeliveryUnordered:
		return fmt.Sprintf("Options.Delivery is %d: it must be DeliveryFIFO or DeliveryUnordered", o.Delivery)
	case o.Environment > EnvironmentClosed:
		return fmt.Sprintf("Options.Environment is %d: it must be EnvironmentOpen or EnvironmentClosed", o.Environment)
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

// refusal returns what is wrong with the budgets, or "".
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
			return fmt.Sprintf("Options.Faults.DelayBy[%d] is %v: a delay must be 1ns or longer", i, d)
		}
	}
	return ""
}

func negative(field string, n int, zero string) string {
	return fmt.Sprintf("%s is %d: give it a number from 1 on, or zero for %s", field, n, zero)
}

// A Setting is one option as text.
type Setting struct{ Name, Value string }

// Settings returns the options that affect how the program runs, as text,
// without those left at their default. It leaves out the strategy, the seed and
// options that only observe.
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

// durations formats durations as "1ms, 2s".
func durations(list []time.Duration) string {
	words := make([]string, len(list))
	for i, d := range list {
		words[i] = d.String()
	}
	return strings.Join(words, ", ")
}
