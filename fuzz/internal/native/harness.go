package native

import (
	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// A Harness runs a property on the bytes of an engine. Every byte string is
// some run, and the same bytes are the same run.
type Harness struct {
	// Runner runs the property.
	Runner *props.Runner
	// Blind leaves the bridge out: the engine then does not see orders.
	Blind  bool
	draft  Draft
	bridge bridge
}

// stepsPerRun bounds a run whose property sets no bound: the engine does not
// notice one that never ends.
const stepsPerRun = 10_000

// In a quarter of all drafts, by their seeds, so many timers may fire although
// messages wait, if the property leaves that to the search. The seed zero, plain
// order, is none of these.
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

// Run runs the property once. The result is good until the next run.
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

// Seed returns what the last run's decisions followed from where the bytes
// said nothing.
func (h *Harness) Seed() uint64 { return h.draft.Seed }

// BytesOf replays a case to see what was sent when, which its bytes order. A
// case that no longer applies has none.
func (h *Harness) BytesOf(c *corpus.Case) []byte {
	replayer := strategy.Replay(&c.Record, strategy.ReplayOptions{Lenient: true})
	res := h.Runner.Run(props.Plan{Inputs: c.Inputs, EarlyTimers: c.EarlyTimers, Strategy: replayer})
	if res.System == nil {
		return nil
	}
	return draftOf(c, res.System.Trace()).Bytes()
}

// A random draft has some words for the draws, and priorities for the first
// messages.
const (
	randomWords      = props.WordsPerDraw
	randomPriorities = 48
)

// RandomBytes returns those of a draft that follows from a number.
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
