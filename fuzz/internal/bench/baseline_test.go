package bench

import (
	"math"
	"testing"

	"github.com/jostle-go/jostle/fuzz/subjects"
	"github.com/jostle-go/jostle/pulse"
)

// relay adds an actor for which two messages race: the first is sent directly, the second
// through a chain of other actors. overtook reports whether the second arrived first.
func relay(sys *pulse.System, others int) (overtook func() bool) {
	first := ""
	goal := sys.Spawn("goal", pulse.Func(func(_ *pulse.Ctx, msg any) {
		if first == "" {
			first = msg.(string)
		}
	}))
	next := goal
	for range others {
		to := next
		next = sys.Spawn("relay", pulse.Func(func(ctx *pulse.Ctx, msg any) { ctx.Send(to, msg) }))
	}
	sender := sys.Spawn("sender", pulse.Func(func(ctx *pulse.Ctx, _ any) {
		ctx.Send(goal, "straight")
		ctx.Send(next, "around")
	}))
	sys.Send(sender, "go")
	return func() bool { return first == "around" }
}

// TestDelays: the sum of k+1 delays is less than a single delay with probability 1/(k+2)!. A
// message arrives before one sent later to the same actor.
func TestDelays(t *testing.T) {
	const runs = 60_000
	for others, want := range map[int]float64{1: 1. / 6, 2: 1. / 24, 3: 1. / 120} {
		sys := pulse.New(pulse.Options{Strategy: newDelays()})
		n := 0
		for seed := range uint64(runs) {
			sys.Reset(seed)
			overtook := relay(sys, others)
			sys.Run()
			if overtook() {
				n++
			}
		}
		sys.Close()
		if got, off := float64(n)/runs, 4*math.Sqrt(want/runs); math.Abs(got-want) > off {
			t.Errorf("past %d others: %.4f, want %.4f ± %.4f", others, got, want, off)
		}
	}
}

// crowd sends one message to each of n actors. It returns the order in which the messages arrive.
func crowd(sys *pulse.System, n int) (order *[]int) {
	order = new([]int)
	for i := range n {
		a := sys.Spawn("one", pulse.Func(func(*pulse.Ctx, any) { *order = append(*order, i) }))
		sys.Send(a, i)
	}
	return order
}

// TestJitter: a message sent jitterPlaces later never overtakes an earlier one. The
// next message overtakes it as often as the distribution of the jitter predicts.
func TestJitter(t *testing.T) {
	const runs, n = 4000, 20
	sys := pulse.New(pulse.Options{Strategy: newJitter()})
	defer sys.Close()
	swapped := 0
	for seed := range uint64(runs) {
		sys.Reset(seed)
		order := crowd(sys, n)
		sys.Run()
		place := make([]int, n)
		for at, i := range *order {
			place[i] = at
		}
		for i := range n {
			for j := i + jitterPlaces; j < n; j++ {
				if place[j] < place[i] {
					t.Fatalf("seed %d: %d comes before %d", seed, j, i)
				}
			}
			if i+1 < n && place[i+1] < place[i] {
				swapped++
			}
		}
	}
	const want = float64((jitterPlaces-1)*(jitterPlaces-1)) / (2 * jitterPlaces * jitterPlaces)
	if got := float64(swapped) / (runs * (n - 1)); math.Abs(got-want) > 0.01 {
		t.Errorf("%.3f of neighbours come in the other order, want %.3f", got, want)
	}
}

// TestBaselinesRepeat: equal seeds give equal runs, whatever ran before, and different
// seeds give different ones.
func TestBaselinesRepeat(t *testing.T) {
	for name, by := range map[string]pulse.Strategy{"delay": boundedBy(delaysPerRun, 20), "delays": newDelays(), "jitter": newJitter()} {
		several := 0
		for _, s := range subjects.Easy() {
			o := s.Options
			o.Strategy, o.Record = by, true
			sys := pulse.New(o)
			hashes := map[uint64]uint64{}
			different := map[uint64]bool{}
			for _, seed := range []uint64{1, 2, 3, 4, 5, 6, 7, 8, 3, 1, 8} {
				sys.Reset(seed)
				s.Mended(sys)
				sys.Run()
				hash := sys.Trace().Hash
				if old, ran := hashes[seed]; ran && old != hash {
					t.Errorf("%s by %s: seed %d gives another run the second time", s.Name, name, seed)
				}
				hashes[seed], different[hash] = hash, true
			}
			if len(different) > 1 {
				several++
			}
			sys.Close()
		}
		if several < len(subjects.Easy())/2 { // the other subjects have few orders
			t.Errorf("%s: of %d subjects all seeds give one run", name, len(subjects.Easy())-several)
		}
	}
}
