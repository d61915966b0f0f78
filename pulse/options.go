package pulse

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"time"
)

// Delivery is the delivery order that the system guarantees for messages.
type Delivery uint8

const (
	// DeliveryFIFO delivers the messages from one sender to one receiver in the
	// order of sending.
	DeliveryFIFO Delivery = iota
	// DeliveryUnordered guarantees no order: any message in flight may come
	// next.
	DeliveryUnordered
)

func (d Delivery) String() string {
	if d == DeliveryUnordered {
		return "unordered"
	}
	return "fifo"
}

// Environment says whether the test may send more messages when nothing more
// can happen in a run. The Environment decides which waiting actors count as
// stuck.
type Environment uint8

const (
	// EnvironmentOpen: the test may send more messages. A process that waits
	// for a particular message is stuck. Actors that accept any message and
	// processes that sleep past the horizon are not stuck.
	EnvironmentOpen Environment = iota
	// EnvironmentClosed: the test sends no more messages. Every actor that is
	// still alive is stuck.
	EnvironmentClosed
)

func (e Environment) String() string {
	if e == EnvironmentClosed {
		return "closed"
	}
	return "open"
}

// Options configures a System. The zero value has FIFO delivery and no faults,
// delivers the oldest message first and records nothing.
type Options struct {
	Delivery    Delivery
	Environment Environment

	// Strategy chooses the order of messages and answers all choices. If nil,
	// the oldest message comes first and every choice is zero.
	Strategy Strategy
	// Seed is the strategy's seed for the first run. Reset sets the seeds of
	// later runs.
	Seed uint64

	// Steps is the maximum number of steps of a run; zero means 100,000. A run
	// that needs more steps fails.
	Steps int
	// Pending is the maximum number of messages that wait at once; zero means
	// 100,000. It also limits other things: the messages that one step sends,
	// the actors and Nemesis faults of a run, and the watchers of an actor.
	// The number of choices, of log lines and of disk writes of a run may each
	// be ten times Pending. A run that exceeds a limit fails.
	Pending int

	// Record records the trace and the decisions of the run, and computes
	// identities of messages, actors and steps.
	Record bool
	// Isolation checks after each step that no message in flight has changed.
	// It implies Record. Each check walks over all messages in flight.
	Isolation bool
	// Tools reports whether a struct type is a tool of the test and not a part
	// of the program. Isolation and State ignore the fields of tools. Tools is
	// called once for each type. System, Ctx, Process, the types of package
	// testing and the standard library's loggers are tools in any case, also
	// if Tools is nil.
	Tools func(reflect.Type) bool
	// Orphans makes a run fail if a message is sent to an actor that has ended.
	Orphans bool

	// EarlyTimers is the maximum number of times in a run that a timer may
	// fire while messages can be delivered. Zero means never, except that a
	// search such as fuzz.Check may allow a few early timers in some runs.
	// NeverEarly means never, in all runs of a search. Any other negative
	// number means no limit. The limit also counts timers that fire because a
	// strategy's Pick returns Hold.
	EarlyTimers int
	// Ticks limits how long periodic timers alone keep a run going; zero means
	// 10. Time stops after Ticks consecutive firings per periodic timer if no
	// other message was sent or came due meanwhile. A firing at the same time
	// as a timer that is not periodic does not count. RunFor ignores Ticks.
	Ticks int
	// Horizon is the end of virtual time. Events due later, such as timers,
	// never happen. Zero means no end.
	Horizon time.Duration

	Faults Faults

	// Failed is called when a run has failed, before Run returns. Failed may
	// panic, so that a property does not continue with a broken system.
	Failed func(*Failure)
}

// NeverEarly is a value of Options.EarlyTimers that forbids early timers in
// every run of every search. Use it if timers are so much slower than messages
// that no timer races with a message.
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

// refusal says why the options are invalid. It returns "" if the options are
// valid. A negative count is invalid, since a program that computes a negative
// count has a bug.
func (o *Options) refusal() string {
	switch {
	case o.Delivery > DeliveryUnordered:
		return fmt.Sprintf("Options.Delivery is %d: it must be DeliveryFIFO or DeliveryUnordered", o.Delivery)
	case o.Environment > EnvironmentClosed:
		return fmt.Sprintf("Options.Environment is %d: it must be EnvironmentOpen or EnvironmentClosed", o.Environment)
	case o.Horizon < 0:
		return fmt.Sprintf("Options.Horizon is %v: use a time of at least 1ns, or zero for no end", o.Horizon)
	case o.Steps < 0:
		return negative("Options.Steps", o.Steps, "the default")
	case o.Pending < 0:
		return negative("Options.Pending", o.Pending, "the default")
	case o.Ticks < 0:
		return negative("Options.Ticks", o.Ticks, "the default")
	}
	return o.Faults.refusal()
}

// refusal says why the settings in f are invalid. It returns "" if they are
// valid.
func (f *Faults) refusal() string {
	if f.Drop|f.Duplicate|f.Delay|f.Crash|f.RestartKept|f.RestartLost|f.Partition|f.Network < 0 { // true if any of the numbers is negative
		for _, b := range []struct {
			name string
			n    int
		}{
			{"Drop", f.Drop}, {"Duplicate", f.Duplicate}, {"Delay", f.Delay}, {"Crash", f.Crash},
			{"RestartKept", f.RestartKept}, {"RestartLost", f.RestartLost}, {"Partition", f.Partition}, {"Network", f.Network},
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
	return fmt.Sprintf("%s is %d: use a number of at least 1, or zero for %s", field, n, zero)
}

// A Setting is the name and the value of an option as text.
type Setting struct{ Name, Value string }

// Settings returns the options that affect how the program runs, except
// options left at their default. Settings leaves out the strategy, the seed,
// and options such as Record that only observe the run.
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
	count("network", f.Network)
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

// horizon returns the end of virtual time.
func (o *Options) horizon() int64 {
	if h := int64(o.Horizon); h > 0 {
		return min(h, endOfTime)
	}
	return endOfTime
}
