package finding

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/fuzz/subjects"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

// reordered sends 30 messages to five actors. For three of the actors, the seed names two messages. The run fails if,
// at all three, the message that was sent later is received first.
func reordered(seed uint64) func(*props.T) {
	d := rand.New(rand.NewPCG(seed, 4))
	at := d.Perm(5)[:3]
	var pairs [][2]int
	for range at {
		first := d.IntN(5)
		pairs = append(pairs, [2]int{first, first + 1 + d.IntN(5-first)})
	}
	return func(t *props.T) {
		sys := t.SystemWith(pulse.Options{Delivery: pulse.DeliveryUnordered})
		var actors []pulse.Ref
		got := make([][]int, 5)
		for i := range got {
			actors = append(actors, sys.Spawn("actor", pulse.Func(func(_ *pulse.Ctx, msg any) { got[i] = append(got[i], msg.(int)) })))
		}
		for n := range 30 {
			sys.Send(actors[n%5], n/5)
		}
		sys.Run()
		for i, a := range at {
			if slices.Index(got[a], pairs[i][0]) < slices.Index(got[a], pairs[i][1]) {
				return
			}
		}
		t.Error("three are the wrong way round")
	}
}

// TestShrinkToThreeReorderings: a failure of 30 randomly ordered messages is shrunk to three
// constraints.
func TestShrinkToThreeReorderings(t *testing.T) {
	trials, exact, most := 3, 0, 0
	if nightly() {
		trials = 100
	}
	for seed := uint64(1); seed <= uint64(trials); seed++ {
		out := shrunkBy(t, reordered(seed), seed, 20_000)
		if n := len(out.Best.Case.Schedule.Before); n == 3 {
			exact++
		} else {
			t.Logf("seed %d: %d constraints in %d runs", seed, n, out.Runs)
		}
		most = max(most, out.Runs)
	}
	t.Logf("%d of %d have 3 constraints, in at most %d runs", exact, trials, most)
	if exact*100 < trials*99 {
		t.Errorf("%d of %d have 3 constraints", exact, trials)
	}
}

// crowded has many clients. The number of words that each passes on is drawn. With 40 clients a run
// has some 300 steps. It fails if the first word of client 13 comes before the second word of
// client 3.
func crowded(clients int) func(*props.T) {
	return func(t *props.T) {
		sys := t.System()
		var said []string
		hall := sys.Spawn("hall", pulse.Func(func(_ *pulse.Ctx, msg any) { said = append(said, msg.(string)) }))
		for i := range clients {
			n := props.Draw(t, rapid.IntRange(0, 9), fmt.Sprintf("words of %d", i))
			client := sys.Spawn("client", pulse.Func(func(ctx *pulse.Ctx, msg any) { ctx.Send(hall, fmt.Sprintf("%d/%d", i, msg)) }))
			for k := range n {
				sys.Send(client, k)
			}
		}
		sys.Run()
		if at := slices.Index(said, "13/0"); at >= 0 && at < slices.Index(said, "3/1") {
			t.Error("too early")
		}
	}
}

// TestShrinkManyDraws: a failing run with many steps and many drawn numbers of words is shrunk to three words, the
// fewest with which it fails.
func TestShrinkManyDraws(t *testing.T) {
	trial.Long(t)
	seeds, clients := uint64(1), 16
	if nightly() {
		seeds, clients = 5, 40
	}
	for seed := range seeds {
		out := shrunkBy(t, crowded(clients), seed+1, 50_000)
		t.Logf("seed %d: from %d steps to %s in %d runs", seed+1, out.From, size(&out), out.Runs)
		if size(&out) != "3, 6, 1" || !out.Done {
			t.Errorf("seed %d: shrunk to %s with %s", seed+1, size(&out), out.Finding.Draws)
		}
	}
}

// TestShrinkHardSubjects: the failure of each hard subject is shrunk to a schedule that reproduces it. The run gets no
// longer, and the explanation has exactly the remaining constraints. By day one subject of sixteen is shrunk.
func TestShrinkHardSubjects(t *testing.T) {
	trial.Long(t)
	seeds, runs := uint64(1), 500
	if nightly() {
		seeds, runs = 20, 20_000
	}
	for i, s := range subjects.Hard() {
		if i%16 > 0 && !nightly() {
			continue
		}
		for seed := uint64(1); seed <= seeds; seed++ {
			out := shrunkBy(t, s.Property(false), seed, runs)
			b, why := &out.Best, &out.why
			switch {
			case b.Steps > out.From:
				t.Errorf("%s, seed %d: %d steps become %d", s.Name, seed, out.From, b.Steps)
			case !strings.HasPrefix(why.String(), "fails in") || !slices.Equal(why.Before, b.Case.Schedule.Before):
				t.Errorf("%s, seed %d: %s", s.Name, seed, why.String())
			}
			t.Logf("%s, seed %d: from %d steps to %s in %d runs", s.Name, seed, out.From, size(&out), out.Runs)
		}
	}
}
