package strategy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/trace"
)

// ReplayOptions are the options of Replay.
type ReplayOptions struct {
	// Trace is the trace of the recorded run, or nil. With a Trace, errors name the
	// steps that differ, and a run that ends early fails.
	Trace *trace.Trace
	// Lenient is for programs that have changed. The replay skips parts of the record
	// that no longer apply, and delivers the oldest message first if no recorded
	// message is deliverable. Whole then reports whether all parts applied.
	Lenient bool
}

// Replay returns a strategy that repeats the decisions of a record. The seed of the
// run has no effect. The record must not change.
//
// A strict replay ends the run at the first difference, with a failure of kind
// pulse.KindNondeterminism. If the system becomes quiescent before the end of the
// record, the test may still send messages. Therefore call Done when the run is
// over.
func Replay(record *choice.Record, o ReplayOptions) *Replayer {
	r := &Replayer{options: o, record: record, all: -1}
	if slices.Contains(record.Deliveries, choice.Hold) {
		r.all = record.Early()
	}
	if o.Lenient {
		r.lenient = newLenient(record)
	}
	r.Begin(0)
	return r
}

// A Replayer is the strategy that Replay returns.
type Replayer struct {
	options ReplayOptions
	stepOf  hash.Table // maps the identity of a step to its index in options.Trace.Steps; filled on first use
	record  *choice.Record
	reader  choice.Reader
	lenient *lenient     // nil if the replay is strict
	run     *trace.Trace // the trace of the run so far; nil before the first Pick
	held    int          // number of consecutive times that Pick returned Hold without a recorded Hold
	early   int          // number of timers fired early so far
	all     int          // number of timers fired early in the whole record; -1 if it has no Holds
	unasked int          // number of choices skipped by outdated
	err     error        // the first difference from the record
	at      int          // the step in which or before which the difference occurred
}

// Begin starts again at the first decision of the record.
func (r *Replayer) Begin(uint64) {
	r.reader.Reset(r.record)
	r.run, r.held, r.early, r.unasked, r.err, r.at = nil, 0, 0, 0, nil, int(trace.None)
	if r.lenient != nil {
		r.lenient.begin()
	}
}

// Needs requests a Pick in every step, and identities.
func (r *Replayer) Needs() pulse.Needs { return pulse.Needs{Single: true, Record: true} }

// Pick returns the next message of the record.
func (r *Replayer) Pick(e *pulse.Enabled) int {
	r.run = e.Trace()
	if r.lenient != nil {
		return r.lenient.pick(e)
	}
	if r.err != nil {
		return pulse.Quit
	}
	wanted, more := r.reader.Peek()
	if more && wanted == choice.Hold && e.CanHold() {
		r.reader.Delivery()
		r.early++
		return pulse.Hold
	}
	for i := range e.Len() {
		if more && e.ID(i) == wanted {
			r.reader.Delivery()
			r.held = 0
			return i
		}
	}
	if !more && r.record.Plain {
		return e.Oldest()
	}
	if more && r.comesLater(e, wanted) {
		r.held++
		return pulse.Hold
	}
	r.err, r.at = r.differs(e), e.Step()
	return pulse.Quit
}

// comesLater reports whether the wanted message comes from a pending timer that must
// fire early. Records of older versions contain no choice.Hold before such a
// message.
func (r *Replayer) comesLater(e *pulse.Enabled, wanted uint64) bool {
	if r.held == mostHeld || !e.CanHold() {
		return false
	}
	for i := range r.run.Sends {
		if s := &r.run.Sends[i]; s.Fate == trace.Pending && e.IDOf(s) == wanted {
			return s.Kind.IsTimer()
		}
	}
	return false
}

// Choose returns the next choice of the record.
func (r *Replayer) Choose(k choice.Kind, n int) int {
	if r.lenient != nil {
		return r.lenient.choose(k, n)
	}
	v, err := r.reader.Choice(k, n)
	for err != nil && r.outdated() {
		v, err = r.reader.Choice(k, n)
	}
	if err != nil {
		r.err = r.misses(k, err)
		return pulse.Quit
	}
	if k == choice.Clock {
		r.early += v
	}
	return v
}

// outdated reports whether it has skipped a choice that only an older version made.
// This is a choice.Clock with value 0 after the last early timer. The older version
// did not count a Hold as an early timer, so it still asked for a choice.Clock.
func (r *Replayer) outdated() bool {
	if r.all < 0 || r.early < r.all || !r.reader.Skip(choice.Clock) {
		return false
	}
	r.unasked++
	return true
}

// Outdated reports whether the record is of an older version and contains choices
// that the run did not ask for. The run is then the same, but its hash differs.
func (r *Replayer) Outdated() bool { return r.unasked > 0 }

// misses adds to err the number of the step in which, or before which, the run
// asked for a choice.
func (r *Replayer) misses(k choice.Kind, err error) error {
	taken := 0
	if r.run != nil {
		taken = len(r.run.Steps)
	}
	if taken == 0 || k == choice.Clock || k == choice.Fault || k == choice.Swarm {
		r.at = taken
		return fmt.Errorf("before step %d, %w", taken, err)
	}
	r.at = taken - 1
	return fmt.Errorf("in step %d, %w", r.at, err)
}

// Err returns the first difference between the run and the record, or nil. If the
// system is quiescent before the end of the record, the run differs, unless the
// recorded run was quiescent after the same number of steps.
func (r *Replayer) Err() error {
	if r.err != nil || r.lenient != nil || r.options.Trace == nil {
		return r.err
	}
	if r.run == nil || !slices.Contains(r.options.Trace.Rests, int32(len(r.run.Steps))) {
		return r.Done()
	}
	return nil
}

// Done returns the first difference between the record and a run that is over, or
// nil. A run that ended before the end of the record differs.
func (r *Replayer) Done() error {
	if r.err != nil || r.lenient != nil {
		return r.err
	}
	deliveries, choices := r.reader.Rest()
	for choices > 0 && r.outdated() {
		choices--
	}
	switch {
	case deliveries > 0:
		next, _ := r.wanted()
		rest := choice.Record{Deliveries: r.record.Deliveries[len(r.record.Deliveries)-deliveries:]}
		left, more := rest.Received(), "has more"
		if left > 0 { // if left is zero, the rest of the record consists of Holds
			more = fmt.Sprintf("has %d more", left)
		}
		return fmt.Errorf("the run ended after %s, but the record %s: next is %s",
			count(r.record.Received()-left, "delivery", "deliveries"), more, next)
	case choices > 0:
		next := r.record.Choices[len(r.record.Choices)-choices]
		return fmt.Errorf("the run ended without asking for %s of the record: next is %v with %d answers",
			count(choices, "choice", "choices"), next.Kind, next.N)
	}
	return nil
}

// Whole reports whether a lenient replay that is over made every delivery of the
// record, in order, and used every choice. The run may have had further deliveries.
// If all choices of the record are zero, Whole ignores the choices.
func (r *Replayer) Whole() bool { return r.lenient != nil && r.lenient.whole() }

// differs returns an error that names the wanted message and the deliverable
// messages.
func (r *Replayer) differs(e *pulse.Enabled) error {
	wanted, ambiguous := r.wanted()
	var labels []string
	for i := range e.Len() {
		labels = append(labels, e.Label(i))
	}
	if ambiguous = ambiguous || slices.Contains(labels, wanted); ambiguous {
		for i := range labels {
			labels[i] += identity(e.ID(i))
		}
	}
	if id, more := r.reader.Peek(); more && ambiguous {
		wanted += identity(id)
	}
	const most = 8
	if n := len(labels); n > most {
		labels = append(labels[:most], fmt.Sprintf("%d more", n-most))
	}
	return fmt.Errorf("step %d wanted %s; deliverable were: %s", e.Step(), wanted, strings.Join(labels, ", "))
}

func identity(id uint64) string { return fmt.Sprintf(" (identity %016x)", id) }

// wanted returns a name for the next delivery of the record. ambiguous is set if
// other messages may have the same name.
func (r *Replayer) wanted() (name string, ambiguous bool) {
	left, _ := r.reader.Rest()
	if left == 0 {
		return fmt.Sprintf("no more (the record has %s)", count(r.record.Received(), "delivery", "deliveries")), false
	}
	name, known := r.deliveryLabel(len(r.record.Deliveries) - left)
	return name, !known
}

// deliveryLabel returns a name for delivery n of the record. known is false if the
// trace of the recorded run is missing or does not contain the delivery.
func (r *Replayer) deliveryLabel(n int) (name string, known bool) {
	if r.record.Deliveries[n] == choice.Hold {
		return "an early timer", true
	}
	t := r.options.Trace
	if t == nil {
		return "another message", false
	}
	if r.stepOf.Len() == 0 {
		for i := range t.Steps {
			r.stepOf.Put(t.Steps[i].ID, int32(i))
		}
	}
	i, found := r.stepOf.Get(r.record.Deliveries[n])
	if !found || t.Steps[i].Send < 0 {
		return "another message", false
	}
	step := &t.Steps[i]
	return t.Name(step.Actor) + " ← " + trace.Label(t.Sends[step.Send].Body), true
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
