package strategy_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/strategy"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A talk is a small random program. Its actors answer each message by some
// messages to others, at once and later, until the talk has used up its words.
type talk struct {
	actors, words int
	every         time.Duration // the period of a timer; zero means no timer
	seed          uint64
}

// A word is a message of a talk, which is a random program.
type word int

// build spawns the actors of the talk and runs the system.
func (p talk) build(sys *pulse.System) {
	said := 0
	var refs []pulse.Ref
	say := func(ctx *pulse.Ctx, of int) {
		if said++; said > p.words {
			return
		}
		rng := rand.New(rand.NewPCG(p.seed, uint64(of)))
		ctx.Send(refs[rng.IntN(p.actors)], word(said))
		if d := rng.IntN(8); d > 0 {
			ctx.After(time.Duration(d*d)*time.Millisecond, word(-said))
		}
		if rng.IntN(3) == 0 {
			ctx.SendAfter(refs[rng.IntN(p.actors)], time.Duration(ctx.Choose(9))*time.Millisecond, word(1000+said))
		}
	}
	for range p.actors {
		refs = append(refs, sys.SpawnSpec(pulse.Spec{Name: "talker", New: func() pulse.Actor {
			return pulse.Func(func(ctx *pulse.Ctx, msg any) {
				if p.every > 0 && msg == any(word(0)) {
					ctx.Every(p.every, word(-1000))
				}
				if w, is := msg.(word); is {
					say(ctx, int(w)&3)
				}
			})
		}}))
	}
	for _, to := range refs {
		sys.Send(to, word(0))
	}
	sys.RunFor(20 * time.Millisecond)
	sys.Send(refs[0], word(1))
	sys.Run()
}

// drawnTalk returns a random program and the options for its run.
func drawnTalk(rng *rand.Rand) (talk, pulse.Options) {
	p := talk{actors: 1 + rng.IntN(4), words: 2 + rng.IntN(12), seed: rng.Uint64()}
	if rng.IntN(4) == 0 {
		p.every = 3 * time.Millisecond
	}
	n := func() int { return rng.IntN(3) }
	o := pulse.Options{Record: true, Delivery: []pulse.Delivery{pulse.DeliveryFIFO, pulse.DeliveryUnordered}[rng.IntN(2)], EarlyTimers: []int{0, 1, 2, 5, -1}[rng.IntN(5)]}
	if rng.IntN(3) > 0 {
		o.Faults = pulse.Faults{Drop: n(), Duplicate: n(), Delay: n(), Crash: n(), RestartKept: n(), RestartLost: n(), Partition: n(), Swarm: n() == 0}
	}
	return p, o
}

// entangled returns constraints between the messages of a run, and some that
// are never met, so that a run must hold messages back.
func entangled(sys *pulse.System, rng *rand.Rand) (list []choice.Constraint) {
	var ids []uint64
	for i := range sys.Trace().Sends {
		ids = append(ids, sys.Host().StepID(&sys.Trace().Sends[i]))
	}
	ids = append(ids, rng.Uint64())
	for range 1 + rng.IntN(8) {
		list = append(list, choice.Constraint{First: ids[rng.IntN(len(ids))], Second: ids[rng.IntN(len(ids))]})
	}
	return list
}

// A waverer picks at random, and in one of three picks fires a timer early if
// it can.
type waverer struct{ pulse.Strategy }

func (w waverer) Needs() pulse.Needs { return pulse.Needs{Single: true} }
func (w waverer) Pick(e *pulse.Enabled) int {
	if e.CanHold() && w.Choose(choice.Program, 3) == 0 {
		return pulse.Hold
	}
	if e.Len() == 1 {
		return 0
	}
	return w.Strategy.Pick(e)
}

// TestReplayOfOrdered: a replay reproduces runs of a schedule, and of a
// strategy that holds messages back at random. The programs are random, with
// timers, faults and restarts. In the record each early timer is a Hold, and a
// lenient replay follows the whole record.
func TestReplayOfOrdered(t *testing.T) {
	held := map[string]int{}
	programs := byDay(500, 3000)
	for seed := range programs {
		rng := rand.New(rand.NewPCG(uint64(seed), 1))
		p, o := drawnTalk(rng)
		o.Strategy = strategy.Random()
		first := pulse.New(o)
		first.Reset(uint64(seed))
		p.build(first)
		s := &choice.Schedule{Seed: uint64(seed) % 2 * uint64(seed), Before: entangled(first, rng), Choices: slices.Clone(first.Record().Choices)}
		first.Close()
		for name, by := range map[string]pulse.Strategy{"ordered": strategy.Ordered(s), "at random": waverer{strategy.Random()}} {
			o.Strategy = by
			if isHeld := madeAgain(t, seed, p, o); isHeld && o.Faults.Crash > 0 {
				held[name+", with crashes"]++
			} else if isHeld {
				held[name]++
			}
		}
	}
	for _, name := range []string{"ordered", "at random"} {
		if held[name] < programs/4 || held[name+", with crashes"] < programs/5 {
			t.Errorf("too few runs were held back: %v", held)
		}
	}
}

// madeAgain runs a program, and replays the run strictly and leniently. It
// reports whether the strategy held messages back.
func madeAgain(t *testing.T, seed int, p talk, o pulse.Options) bool {
	t.Helper()
	sys := pulse.New(o)
	defer sys.Close()
	sys.Reset(uint64(seed))
	p.build(sys)
	record := sys.Record().Clone()
	for _, lenient := range []bool{false, true} {
		replay := strategy.Replay(record, strategy.ReplayOptions{Lenient: lenient})
		o.Strategy = replay
		second := pulse.New(o)
		p.build(second)
		sameRun(t, seed, sys, second, replay.Done())
		second.Close()
	}
	return slices.Contains(record.Deliveries, choice.Hold)
}

// sameRun fails unless two runs are identical.
func sameRun(t *testing.T, seed int, a, b *pulse.System, err error) {
	t.Helper()
	was, is := stored(t, a), stored(t, b)
	if err == nil && a.Trace().Text() == b.Trace().Text() && failureText(a) == failureText(b) && bytes.Equal(was, is) {
		return
	}
	d, _ := trace.Diff(a.Trace(), b.Trace())
	t.Fatalf("seed %d: %v; %v; failed with %q and %q\n%s\n--- again:\n%s", seed, err, d, failureText(a), failureText(b), a.Trace().Text(), b.Trace().Text())
}

func stored(t *testing.T, sys *pulse.System) []byte {
	t.Helper()
	b, err := sys.Record().AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
