package coverage_test

import (
	"math/rand/v2"
	"time"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// hop is a message that is forwarded to random actors a few
// times. The messages stop, turn and query are of other types.
type (
	hop   struct{ left int }
	turn  struct{ left int }
	query struct{}
	// work is the turn of a goroutine.
	work struct{ left int }
)

func (work) IsOperation()   {}
func (work) String() string { return "work" }

// A relay forwards each hop that it receives. The next receiver depends on what the relay
// has received before, so orders have consequences. A turn changes its handler.
type relay struct {
	peers  []pulse.Ref
	state  uint64
	turned bool
	// touch does an operation on an object. It is nil in programs without objects.
	touch func(number uint32, first bool)
}

func (r *relay) Receive(ctx *pulse.Ctx, msg any) {
	left := 0
	switch m := msg.(type) {
	case query:
		ctx.Reply(hop{})
		return
	case turn:
		left = m.left
		ctx.Become(&relay{r.peers, r.state + 1, !r.turned, r.touch})
	case hop:
		left = m.left
	case work:
		left = m.left
	}
	r.state = r.state*31 + uint64(left)
	if r.touch != nil {
		for i := range r.state % 3 {
			r.touch(uint32((r.state+i)%2), false)
		}
	}
	for i := range left {
		to := r.peers[(r.state+uint64(i))%uint64(len(r.peers))]
		switch {
		case r.touch != nil && left > 1 && r.state%3 == 1:
			ctx.Send(to, work{left - 1})
		case left > 1 && r.state%3 == 0:
			ctx.Send(to, turn{left - 1})
		case left > 1 || i == 0:
			ctx.Send(to, hop{left - 1})
		}
	}
}

// A waiter is a process that waits for one thing after another.
func waiter(peers []pulse.Ref, seed uint64) func(*pulse.Process) {
	isTurn := func(m any) bool { _, is := m.(turn); return is }
	return func(p *pulse.Process) {
		for n := seed; ; n = n*31 + 7 {
			switch n % 5 {
			case 0:
				p.ReceiveTimeout(time.Duration(1 + n%3))
			case 1:
				p.Ask(peers[n%uint64(len(peers))], query{})
			case 2:
				p.Receive()
				p.Send(peers[n%uint64(len(peers))], hop{1})
			case 3:
				p.Send(p.Self(), turn{})
				p.ReceiveMatch(isTurn)
			default:
				p.Receive()
			}
			if n > 1<<40 {
				return
			}
		}
	}
}

// A program is a few random actors and messages for them.
type program struct {
	seed    uint64
	rest    bool // the program comes to rest after a start-up and then continues
	objects bool // the actors do operations on objects
}

func (p program) build(sys *pulse.System) {
	rng := rand.New(rand.NewPCG(p.seed, 1))
	relays := make([]*relay, 2+rng.IntN(2))
	var refs []pulse.Ref
	for i := range relays {
		relays[i] = &relay{state: uint64(i)}
		refs = append(refs, sys.Spawn("relay", relays[i]))
	}
	if rng.IntN(2) == 0 {
		w := sys.Go("waiter", waiter(refs[:len(refs):len(refs)], rng.Uint64N(1000)))
		refs = append(refs, w)
	}
	for _, r := range relays {
		if r.peers = refs; p.objects {
			r.touch = sys.Host().TouchObject
		}
	}
	if p.rest {
		sys.Send(refs[0], hop{1})
		sys.Settle()
	}
	for range 2 + rng.IntN(3) {
		if to := refs[rng.IntN(len(refs))]; rng.IntN(3) == 0 {
			sys.Send(to, turn{rng.IntN(3)})
		} else {
			sys.Send(to, hop{1 + rng.IntN(2)})
		}
	}
	sys.Run()
}

// system returns a system whose runs are recorded.
func system(seed uint64) *pulse.System {
	o := pulse.Options{Strategy: strategy.Random(), Record: true, Steps: 2000}
	if seed%3 == 1 {
		o.Delivery = pulse.DeliveryUnordered
	}
	return pulse.New(o)
}

// play runs a program once.
func (p program) play(sys *pulse.System, seed uint64) {
	sys.Reset(seed)
	p.build(sys)
}
