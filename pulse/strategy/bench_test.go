package strategy_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// BenchmarkPick measures a step under each strategy with a number of
// deliverable messages, in turns with Random, and reports the median ratio.
// With FIFO delivery each message waits in a channel of its own; with Unordered
// delivery ten actors receive them all. All runs are recorded, since some
// strategies need that.
func BenchmarkPick(b *testing.B) {
	for _, waiting := range []int{1, 10, 100, 1000} {
		for _, s := range all() {
			b.Run(fmt.Sprintf("%s/fifo-%d", s.name, waiting), func(b *testing.B) {
				againstRandom(b, s.make(), newRelay(max(waiting, 10), waiting), pulse.DeliveryFIFO)
			})
			b.Run(fmt.Sprintf("%s/unordered-%d", s.name, waiting), func(b *testing.B) {
				againstRandom(b, s.make(), newRelay(10, waiting), pulse.DeliveryUnordered)
			})
		}
	}
}

// A relay is a ring of actors that pass messages on, 10,000 times in total.
type relay struct {
	refs   []pulse.Ref
	actors []relayer
	tokens int
	hops   []any // each element is a message with its number of remaining hops
}

type relayer struct {
	*relay
	next int
}

const relaySteps = 10_000

func newRelay(actors, tokens int) *relay {
	r := &relay{refs: make([]pulse.Ref, actors), actors: make([]relayer, actors), tokens: tokens}
	for i := range actors {
		r.actors[i] = relayer{r, (i + 1) % actors}
	}
	for n := range relaySteps / tokens {
		r.hops = append(r.hops, n)
	}
	return r
}

func (r *relayer) Receive(ctx *pulse.Ctx, msg any) {
	if n := msg.(int); n > 0 {
		ctx.Send(r.refs[r.next], r.hops[n-1])
	}
}

func (r *relay) build(sys *pulse.System) {
	for i := range r.actors {
		r.refs[i] = sys.Spawn("relayer", &r.actors[i])
	}
	for i := range r.tokens {
		sys.Send(r.refs[i%len(r.refs)], r.hops[len(r.hops)-1])
	}
}

// againstRandom times rounds of a relay under a strategy in turns with Random.
func againstRandom(b *testing.B, s pulse.Strategy, r *relay, d pulse.Delivery) {
	round := func(s pulse.Strategy) func() time.Duration {
		sys := pulse.New(pulse.Options{Strategy: s, Record: true, Delivery: d, Steps: 1 << 30})
		b.Cleanup(sys.Close)
		seed := uint64(0)
		return func() time.Duration {
			seed++
			sys.Reset(seed)
			r.build(sys)
			start := time.Now()
			sys.Run()
			took := time.Since(start)
			must(b, sys.Failure())
			if sys.Steps() != relaySteps {
				b.Fatalf("%d steps", sys.Steps())
			}
			return took
		}
	}
	strategic, random := round(s), round(strategy.Random())
	for range 2 {
		strategic()
		random()
	}
	var ratios, nanos []float64
	for b.Loop() {
		base, took := random(), strategic()
		ratios = append(ratios, float64(took)/float64(base))
		nanos = append(nanos, float64(took)/relaySteps)
	}
	slices.Sort(ratios)
	slices.Sort(nanos)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(nanos[len(nanos)/2], "ns/step")
	b.ReportMetric(ratios[len(ratios)/2], "x-random")
}
