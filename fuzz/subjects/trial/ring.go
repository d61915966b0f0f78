package trial

import (
	"time"

	"github.com/jostle-go/jostle/pulse"
)

// A Ring is a program in which ten actors pass tokens around. All its memory is
// allocated once, so that its runs allocate nothing.
type Ring struct {
	tokens, steps int // the number of tokens, and the number of steps of a run
	left          int
	refs          [10]pulse.Ref
	passers       [10]passer
	// Run adds the program to a system and runs it.
	Run func(*pulse.System)
}

// A passer hands each token to the next actor while there are steps left.
type passer struct {
	ring *Ring
	next int
}

// Receive hands the token on.
func (p *passer) Receive(ctx *pulse.Ctx, msg any) {
	if p.ring.left > 0 {
		p.ring.left--
		ctx.Send(p.ring.refs[p.next], msg)
	}
}

type kick struct{}

var token any = &kick{}

// NewRing returns a Ring with a number of tokens, whose runs take a number of
// steps.
func NewRing(tokens, steps int) *Ring {
	r := &Ring{tokens: tokens, steps: steps}
	for i := range r.passers {
		r.passers[i] = passer{r, (i + 1) % len(r.passers)}
	}
	r.Run = func(sys *pulse.System) {
		r.left = r.steps - r.tokens
		for i := range r.refs {
			r.refs[i] = sys.Spawn("passer", &r.passers[i])
		}
		for i := range r.tokens {
			sys.Send(r.refs[i%len(r.refs)], token)
		}
		sys.Run()
	}
	return r
}

// Steps returns the number of steps of a run.
func (r *Ring) Steps() int { return r.steps }

// RoundTime runs a Ring of 1,000 steps under a strategy for a number of rounds and
// returns the time of one round.
func RoundTime(s pulse.Strategy, tokens, rounds int) time.Duration {
	r := NewRing(tokens, 1000)
	sys := pulse.New(pulse.Options{Strategy: s, Record: true, Delivery: pulse.DeliveryUnordered})
	defer sys.Close()
	round := func(seed int) {
		sys.Reset(uint64(seed))
		r.Run(sys)
	}
	for seed := range 3 {
		round(seed)
	}
	start := time.Now()
	for seed := range rounds {
		round(seed)
	}
	return time.Since(start) / time.Duration(rounds)
}
