package native

import (
	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// A Harness runs a property on the bytes of an engine. Every byte string is a run, and
// the same bytes give the same run.
type Harness struct {
	// Runner runs the property.
	Runner *props.Runner
	// Blind disables the bridge: the engine does not see receive pairs.
	Blind  bool
	draft  Draft
	bridge bridge
}

// stepsPerRun limits a run whose property sets no limit: the engine does not notice an
// endless run.
const stepsPerRun = 10_000

// A quarter of all drafts, chosen by seed, let this many timers fire while messages wait,
// if the property leaves that to the search. Seed zero, plain order, is not among them.
const (
	earlyTimers = 2
	earlyShare  = 4
)

// early returns how many timers may fire early in the run of a draft.
func early(d *Draft) int {
	if d.Seed%earlyShare == earlyShare-1 {
		return earlyTimers
	}
	return 0
}

// Run runs the property once. The result is valid until the next run.
func (h *Harness) Run(data []byte) props.Result {
	h.draft.FromBytes(data)
	plan := props.Plan{Words: h.draft.Words, Seed: h.draft.Seed, Steps: stepsPerRun, EarlyTimers: early(&h.draft), Strategy: Play(&h.draft)}
	if h.Blind {
		return h.Runner.Run(plan)
	}
	h.bridge.begin()
	plan.Observer = &h.bridge
	res := h.Runner.Run(plan)
	h.bridge.hit()
	return res
}

// Seed returns the seed that decided what the bytes of the last run left open.
func (h *Harness) Seed() uint64 { return h.draft.Seed }

// BytesOf returns the bytes of a draft for a case. It replays the case to see the order
// of sending, and returns nil if the case no longer applies.
func (h *Harness) BytesOf(c *corpus.Case) []byte {
	replayer := strategy.Replay(&c.Record, strategy.ReplayOptions{Lenient: true})
	res := h.Runner.Run(props.Plan{Inputs: c.Inputs, EarlyTimers: c.EarlyTimers, Strategy: replayer})
	if res.System == nil {
		return nil
	}
	return draftOf(c, res.System.Trace()).Bytes()
}

// Sizes of a random draft: words for the draws, priorities for the first messages.
const (
	randomWords      = props.WordsPerDraw
	randomPriorities = 48
)

// RandomBytes returns the bytes of a draft that is derived from n.
func RandomBytes(n uint64) []byte {
	d := Draft{Seed: hash.Seed(n, 0)}
	for i := range uint64(randomWords) {
		d.Words = append(d.Words, hash.Seed(n, 1+i))
	}
	for i := range uint64(randomPriorities) {
		d.Priorities = append(d.Priorities, byte(hash.Seed(n, 1000+i)))
	}
	return d.Bytes()
}
