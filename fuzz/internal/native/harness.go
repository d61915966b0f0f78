package native

import (
	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// A Harness runs a property on inputs of a fuzzing engine. Every byte string is an input,
// and the same bytes give the same run.
type Harness struct {
	// Runner runs the property.
	Runner *props.Runner
	// Blind disables the bridge. Then the engine does not see receive pairs.
	Blind  bool
	draft  Draft
	bridge bridge
}

// stepsPerRun limits the steps of a run if the property sets no limit. Without a limit the
// engine would not notice an endless run.
const stepsPerRun = 10_000

// An early timer fires while messages are deliverable. A run may have up to earlyTimers
// early timers, unless the property sets this number. Only one draft seed in earlyShare
// allows early timers, and seed zero does not.
const (
	earlyTimers = 2
	earlyShare  = 4
)

// early returns the number of timers that may fire early in the run of a draft.
func early(d *Draft) int {
	if d.Seed%earlyShare == earlyShare-1 {
		return earlyTimers
	}
	return 0
}

// Run runs the property once with the draft that data encodes. The result is valid until
// the next run.
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

// Seed returns the seed of the last draft that was run.
func (h *Harness) Seed() uint64 { return h.draft.Seed }

// BytesOf returns the bytes of a draft that replays a case. It runs the case to find the
// order in which messages are sent. BytesOf returns nil if the case no longer applies to
// the program.
func (h *Harness) BytesOf(c *corpus.Case) []byte {
	replayer := strategy.Replay(&c.Record, strategy.ReplayOptions{Lenient: true})
	res := h.Runner.Run(props.Plan{Inputs: c.Inputs, EarlyTimers: c.EarlyTimers, Strategy: replayer})
	if res.System == nil {
		return nil
	}
	return draftOf(c, res.System.Trace()).Bytes()
}

// The numbers of words and priorities of a random draft.
const (
	randomWords      = props.WordsPerDraw
	randomPriorities = 48
)

// RandomBytes returns the bytes of a pseudo-random draft, determined by n.
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
