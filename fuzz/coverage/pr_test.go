package coverage_test

import (
	"math/rand/v2"
	"testing"

	"github.com/jostle-go/jostle/fuzz/coverage"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// hop is a message that is sent on to random actors a few times.
type hop struct{ left int }

// relay sends on each hop that it receives. The receiver follows from what the relay
// has received before, so that another order has other consequences.
type relay struct {
	peers []pulse.Ref
	state uint64
}

func (r *relay) Receive(ctx *pulse.Ctx, msg any) {
	h := msg.(hop)
	r.state = r.state*31 + uint64(h.left)
	for i := range h.left {
		if h.left > 1 || i == 0 {
			ctx.Send(r.peers[(r.state+uint64(i))%uint64(len(r.peers))], hop{h.left - 1})
		}
	}
}

// program spawns random relays and sends them a few hops.
func program(sys *pulse.System, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	relays := make([]*relay, 2+rng.IntN(3))
	var refs []pulse.Ref
	for i := range relays {
		relays[i] = &relay{state: uint64(i)}
		refs = append(refs, sys.Spawn("relay", relays[i]))
	}
	for _, r := range relays {
		r.peers = refs
	}
	for range 2 + rng.IntN(3) {
		sys.Send(refs[rng.IntN(len(refs))], hop{1 + rng.IntN(3)})
	}
}

// pair is an ordered pair of step identities.
type pair [2]uint64

// slow adds the pairs of a run to a set, as definition 2 says.
func slow(set map[pair]bool, sys *pulse.System) {
	steps := sys.Trace().Steps
	for j := range steps {
		for i := range j {
			if steps[i].Actor == steps[j].Actor {
				set[pair{steps[i].ID, steps[j].ID}] = true
			}
		}
	}
}

func TestPRCountsEachPairOnce(t *testing.T) {
	for prog := range uint64(200) {
		pr := &coverage.PR{}
		sys := pulse.New(pulse.Options{Strategy: strategy.Random(), Record: true})
		set := map[pair]bool{}
		for seed := range uint64(30) {
			sys.Reset(seed)
			pr.Begin()
			sys.Observe(pr)
			program(sys, prog)
			sys.Run()
			if f := sys.Failure(); f != nil {
				t.Fatal(f)
			}
			slow(set, sys)
			if pr.Pairs() != len(set) {
				t.Fatalf("program %d run %d: %d pairs; the definition gives %d", prog, seed, pr.Pairs(), len(set))
			}
		}
		sys.Close()
	}
}

// TestPRCanary checks that a measure that forgets earlier runs differs from the
// definition.
func TestPRCanary(t *testing.T) {
	pr := &coverage.PR{}
	sys := pulse.New(pulse.Options{Strategy: strategy.Random(), Record: true})
	defer sys.Close()
	set := map[pair]bool{}
	for seed := range uint64(3) {
		sys.Reset(seed)
		*pr = coverage.PR{}
		pr.Begin()
		sys.Observe(pr)
		program(sys, 1)
		sys.Run()
		slow(set, sys)
	}
	if pr.Pairs() == len(set) {
		t.Fatal("a measure that forgets agrees with the definition: the comparison shows nothing")
	}
}

func TestPRLimit(t *testing.T) {
	pr := &coverage.PR{Limit: 2}
	sys := pulse.New(pulse.Options{Record: true})
	defer sys.Close()
	pr.Begin()
	sys.Observe(pr)
	sink := sys.Spawn("sink", pulse.Func(func(*pulse.Ctx, any) {}))
	for range 5 {
		sys.Send(sink, hop{})
	}
	sys.Run()
	if pr.Pairs() != 1 || pr.Skipped() != 3 {
		t.Fatalf("%d pairs, %d skipped; want 1, 3", pr.Pairs(), pr.Skipped())
	}
}

func TestPRAllocatesNothingOnceItKnowsTheSteps(t *testing.T) {
	pr := &coverage.PR{}
	sys := pulse.New(pulse.Options{Strategy: strategy.Random(), Record: true})
	defer sys.Close()
	sink := pulse.Func(func(*pulse.Ctx, any) {})
	var msg any = hop{}
	run := func() {
		sys.Reset(1)
		pr.Begin()
		sys.Observe(pr)
		ref := sys.Spawn("sink", sink)
		for range 100 {
			sys.Send(ref, msg)
		}
		sys.Run()
	}
	run()
	if n := testing.AllocsPerRun(100, run); n != 0 {
		t.Fatalf("%v allocations a run", n)
	}
}
