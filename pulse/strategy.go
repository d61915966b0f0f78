package pulse

import (
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A Strategy makes the decisions of a run. Given the same seed and the same
// questions it gives the same answers.
type Strategy interface {
	// Begin is called before the first decision of each run.
	Begin(seed uint64)
	// Pick returns which of the deliverable messages comes next: at least 0,
	// less than e.Len(). It is asked only when there is more than one, unless
	// the strategy Needs to be asked for a single one, or for strikes.
	Pick(e *Enabled) int
	// Choose answers a question that has n answers, 0 to n-1; n is at least 2.
	// To a fault, zero is the answer in which nothing goes wrong.
	Choose(k choice.Kind, n int) int
}

// Hold is what Pick returns when none of the deliverable messages may come
// yet, if the strategy Needs to be asked for a single one. A timer then fires early:
// that counts against Options.EarlyTimers, as every early timer does, and the record
// has a choice.Hold. The run fails if Enabled.CanHold reports false.
const Hold = -1

// Quit is what a Judge's Pick or Choose returns when the run must not go on;
// its Err is the reason.
const Quit = -2

// Needs are what a strategy needs of the system beyond the questions that each
// is asked. A strategy that needs something has a method Needs() Needs, which
// always returns the same.
type Needs struct {
	// Single: Pick is asked also when only one message is deliverable, and may
	// answer Hold.
	Single bool
	// Record: the strategy reads identities or the trace. The system records
	// the run even when the options do not ask for it.
	Record bool
	// States: the strategy compares states. The system records the run and
	// keeps what State needs. See System.State.
	States bool
	// Strikes: where a crash could come next, Choose is not asked for it, but Pick,
	// for a single message or none as well. It may answer e.Len() plus the number of a
	// strike; where nothing is deliverable it answers that, or Hold for no strike. And no
	// actor is cut off: while nothing comes with time, a partition leads to nothing that
	// could not come without. It is so only under options without restarts and
	// without early timers; under others Choose is asked for all faults. Under options
	// with early timers and without faults Pick is asked where time passes early, too.
	Strikes bool
}

// NeedsOf returns what a strategy needs.
func NeedsOf(s Strategy) Needs {
	if n, ok := s.(interface{ Needs() Needs }); ok {
		return n.Needs()
	}
	return Needs{}
}

// An Ender is a strategy that is told when a run is over and what happened
// in it. The trace is filled again by the next run.
type Ender interface {
	Strategy
	End(t *trace.Trace)
}

// A Judge is a strategy that may fail the run: Err returns an error when the
// run did not go as it had to, as a strict replay does.
type Judge interface {
	Strategy
	Err() error
}

// plain is the order that everything else is compared with: the oldest
// message first, zero to every choice.
type plain struct{}

func (plain) Begin(uint64)                {}
func (plain) Pick(e *Enabled) int         { return e.Oldest() }
func (plain) Choose(choice.Kind, int) int { return 0 }
