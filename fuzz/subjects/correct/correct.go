// Package correct makes random programs that are correct, with a proof for each kind. A
// search that reports a failure of such a program is wrong.
//
//	for seed := range uint64(40) {
//		fuzz.Check(t, correct.New(seed).Property)
//	}
//
// The claims of a program depend on its options. Under pulse.NeverEarly no time passes
// while a message can be delivered, so a timeout for lost messages never expires. With
// early timers such a timeout may expire, and the program claims only what still holds.
package correct

import (
	"fmt"
	"time"

	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/hash"
)

// A Program has a Property that holds in every legal run. Hasty makes the same
// claims, but runs with a planted fault: time passes although messages can be
// delivered.
type Program struct {
	Name            string
	Property, Hasty func(*props.T)
}

// kinds lists the kinds of programs. Each build function's comment says why its programs are correct.
var kinds = []struct {
	name  string
	build func(shape) func(*props.T)
}{
	{"counters", counters},
	{"retries", retries},
	{"leases", leases},
	{"asks", asks},
	{"heartbeats", heartbeats},
	{"rounds", rounds},
}

// New returns the program with a number. Programs whose numbers differ by less than 6
// are of different kinds.
func New(seed uint64) Program {
	kind := kinds[seed%uint64(len(kinds))]
	s := shape{state: seed}
	s.options.Delivery = pulse.Delivery(s.below(2))
	s.options.EarlyTimers = [...]int{pulse.NeverEarly, 0, 1 + s.below(4)}[s.below(3)]
	hasty := s
	hasty.hasty = true
	return Program{fmt.Sprintf("%s %d (%v, early timers %s)", kind.name, seed, s.options.Delivery, s.early()), kind.build(s), kind.build(hasty)}
}

// A shape holds the parameters that are derived from a program's number.
type shape struct {
	state   uint64
	options pulse.Options
	hasty   bool
}

// below returns the next random number of the shape, from 0 to n-1.
func (s *shape) below(n int) int { return int(hash.Splitmix(&s.state) % uint64(n)) }

func (s *shape) early() string {
	if s.options.EarlyTimers == pulse.NeverEarly {
		return "never"
	}
	return fmt.Sprint(s.options.EarlyTimers)
}

// strict reports whether no time passes while a message can be delivered.
func (s *shape) strict() bool { return s.options.EarlyTimers == pulse.NeverEarly }

// system makes the system of a run.
func (s *shape) system(t *props.T) *pulse.System {
	o := s.options
	if s.hasty {
		o.EarlyTimers = -1
	}
	return t.SystemWith(o)
}

// passes returns the maximum number of early clock ticks in a run. If the program's
// options leave this number open, the search sets it.
func (s *shape) passes(sys *pulse.System) int {
	if s.hasty {
		return max(0, s.options.EarlyTimers)
	}
	return max(0, sys.Options().EarlyTimers)
}

const ms = time.Millisecond

// relayed spawns a chain of n actors that forward messages to an actor. It returns
// the first actor of the chain.
func relayed(sys *pulse.System, n int, to pulse.Ref) pulse.Ref {
	for range n {
		next := to
		to = sys.Spawn("relay", pulse.Func(func(ctx *pulse.Ctx, msg any) { ctx.Send(next, msg) }))
	}
	return to
}

type begin struct{}
