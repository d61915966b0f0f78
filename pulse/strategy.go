package pulse

import (
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A Strategy makes the decisions of a run. With the same seed it gives the same
// answers to the same questions.
type Strategy interface {
	// Begin is called before the first decision of each run.
	Begin(seed uint64)
	// Pick returns which of the deliverable messages comes next, from 0 to
	// e.Len()-1. It is called only if there are several, unless Needs has
	// Single or Strikes.
	Pick(e *Enabled) int
	// Choose answers a question with n possible answers, 0 to n-1; n is at
	// least 2. For a fault, zero means that nothing goes wrong.
	Choose(k choice.Kind, n int) int
}

// Hold is returned by Pick if none of the deliverable messages may come yet. It
// requires Needs.Single. A timer then fires early: it counts against
// Options.EarlyTimers, and the record gets a choice.Hold. The run fails if
// Enabled.CanHold reports false.
const Hold = -1

// Quit is returned by a Judge's Pick or Choose to stop the run; its Err is the
// reason.
const Quit = -2

// Needs declares what a strategy needs from the system in addition to Begin,
// Pick and Choose. A strategy declares it by a method Needs() Needs, which
// always returns the same value.
type Needs struct {
	// Single: Pick is also called for a single deliverable message, and may
	// return Hold.
	Single bool
	// Record: the strategy reads identities or the trace. The system records
	// the run even if the options do not say so.
	Record bool
	// States: the strategy compares states. The system records the run and what
	// State needs. See System.State.
	States bool
	// Strikes: Pick chooses crashes, and Choose is not asked about them. Pick
	// is then also called for a single message or none. It may return e.Len()
	// plus the number of a strike; if nothing is deliverable, it returns that
	// or Hold. There are no partitions, because without timers a partition adds
	// no new orders. All this requires options without restarts and early
	// timers; otherwise Choose is asked about all faults. With early timers and
	// without faults, Pick chooses early timers in the same way.
	Strikes bool
}

// NeedsOf returns what a strategy needs.
func NeedsOf(s Strategy) Needs {
	if n, ok := s.(interface{ Needs() Needs }); ok {
		return n.Needs()
	}
	return Needs{}
}

// An Ender is a strategy that receives the trace when a run is over. The next
// run overwrites the trace.
type Ender interface {
	Strategy
	End(t *trace.Trace)
}

// A Judge is a strategy that may fail the run: Err returns an error if the run
// did not go as required, as in a strict replay.
type Judge interface {
	Strategy
	Err() error
}

// plain is the reference order: the oldest message first, zero for every
// choice.
type plain struct{}

func (plain) Begin(uint64)                {}
func (plain) Pick(e *Enabled) int         { return e.Oldest() }
func (plain) Choose(choice.Kind, int) int { return 0 }
