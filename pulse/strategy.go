package pulse

import (
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A Strategy makes the decisions of a run. With the same seed it must return
// the same answers to the same sequence of calls.
type Strategy interface {
	// Begin is called before the first decision of each run.
	Begin(seed uint64)
	// Pick returns the index of the message to deliver next, from 0 to
	// e.Len()-1. It is called only if several messages can be delivered, unless
	// the strategy has Needs.Single, Needs.Strikes or Needs.End.
	Pick(e *Enabled) int
	// Choose makes a choice of kind k. It returns a number from 0 to n-1, where
	// n is at least 2. If k is a kind of fault, zero means that no fault
	// happens.
	Choose(k choice.Kind, n int) int
}

// Hold is returned by Pick to delay all deliverable messages. A timer then
// fires early. The early timer counts against Options.EarlyTimers, and the
// record of decisions gets a choice.Hold. Hold requires Needs.Single. The run
// fails if Enabled.CanHold returns false.
const Hold = -1

// Quit is returned by Pick or Choose of a Judge to stop the run. The run then
// fails with the error of Judge.Err.
const Quit = -2

// Again is returned by Pick after a call to Enabled.Restore. Pick is then called again,
// in the restored state.
const Again = -3

// Needs declares the special requirements of a strategy. A strategy with such
// requirements has a method Needs() Needs, which always returns the same
// value.
type Needs struct {
	// Single: Pick is also called if only one message can be delivered, and
	// Pick may return Hold.
	Single bool
	// Record: the strategy reads identities or the trace. The system records
	// the run even if Options.Record is not set.
	Record bool
	// States: the strategy calls Enabled.State. The system records the run and
	// everything else that State needs. See System.State.
	States bool
	// Strikes: Pick chooses crashes, and Choose is not asked about crashes. To
	// make strike i happen (see Enabled.Strike), Pick returns e.Len()+i. Pick
	// is also called if only one message can be delivered, or none. If no
	// message can be delivered, Pick must return a strike, or Hold to let no
	// crash happen. Partitions do not happen, because without timers a
	// partition adds no new orders.
	//
	// If the options allow restarts, or early timers in addition to faults,
	// Choose is asked about all faults and Pick about none. If the options
	// allow early timers but no faults, the strikes are early timers.
	Strikes bool
	// End: Pick is also called when nothing more can happen in a Run, RunFor or
	// Ask. It must then return Hold, Quit or Again.
	End bool
}

// NeedsOf returns the Needs of a strategy. The result is zero if the strategy
// has no method Needs.
func NeedsOf(s Strategy) Needs {
	if n, ok := s.(interface{ Needs() Needs }); ok {
		return n.Needs()
	}
	return Needs{}
}

// An Ender is a strategy whose method End is called with the trace at the end
// of Run and similar methods. The next run overwrites that trace.
type Ender interface {
	Strategy
	End(t *trace.Trace)
}

// A Judge is a strategy that may fail the run. Err returns an error if the run
// did not go as the strategy requires, for example if a strict replay deviates.
type Judge interface {
	Strategy
	Err() error
}

// plain is the default strategy: it picks the oldest message first and answers
// every choice with zero.
type plain struct{}

func (plain) Begin(uint64)                {}
func (plain) Pick(e *Enabled) int         { return e.Oldest() }
func (plain) Choose(choice.Kind, int) int { return 0 }
