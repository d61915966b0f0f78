package pulse

import (
	"reflect"
	"time"
)

// Delivery says which of the messages on their way can come next.
type Delivery uint8

const (
	// FIFO keeps the order of the messages from one sender to one receiver.
	DeliveryFIFO Delivery = iota
	// Unordered keeps no order: any message on its way may come next.
	DeliveryUnordered
)

func (d Delivery) String() string {
	if d == DeliveryUnordered {
		return "unordered"
	}
	return "fifo"
}

// Environment says what may still come from outside when a run is at rest.
type Environment uint8

const (
	// Open systems may be sent more: actors that wait for any message are
	// fine, and so are processes that sleep beyond the horizon; a process that
	// waits for a particular message is stuck.
	EnvironmentOpen Environment = iota
	// Closed systems must have ended: every actor that has not is stuck.
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
	// Observer is told of each step; it implies Record.
	Observer Observer
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
	// counts as being at rest; zero means 10. RunFor ends by the time only.
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

// An Observer is told of each step when it is over. The system and its trace
// may be read, not used to send.
type Observer interface {
	Stepped(s *System, step int)
}

func orDefault(v, zero int) int {
	if v > 0 {
		return v
	}
	return zero
}
