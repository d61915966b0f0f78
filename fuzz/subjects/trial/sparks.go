package trial

import (
	"math/rand/v2"
	"time"

	"github.com/jostle-go/jostle/pulse"
)

// sparks is a random program. What a step does depends only on the message that
// the step receives, so every order consists of the same steps.
type sparks struct {
	actors []pulse.Ref
	choose bool
	timers bool
}

// A spark is a message that leads to further sparks, until no generations are left.
type spark struct {
	left   int
	random uint64
}

func (p *sparks) Receive(ctx *pulse.Ctx, msg any) {
	s := msg.(spark)
	r := rand.New(rand.NewPCG(s.random, 7))
	if p.choose {
		s.left -= ctx.Choose(2)
	}
	if s.left <= 0 {
		return
	}
	for range r.IntN(4) {
		next := spark{s.left - 1, r.Uint64()}
		if p.timers && r.IntN(4) == 0 {
			ctx.After(time.Duration(r.IntN(3))*time.Millisecond, next)
			continue
		}
		ctx.Send(p.actors[r.IntN(len(p.actors))], next)
	}
}

// Sparks adds random program number n to a system. Each spark leads to further
// sparks, for at most left generations.
func Sparks(sys *pulse.System, n uint64, left int) {
	r := rand.New(rand.NewPCG(n, 5))
	p := &sparks{choose: r.IntN(2) == 0, timers: r.IntN(2) == 0}
	for range 1 + r.IntN(5) {
		p.actors = append(p.actors, sys.Spawn("actor", p))
	}
	for range 1 + r.IntN(6) {
		sys.Send(p.actors[r.IntN(len(p.actors))], spark{left, r.Uint64()})
	}
}
