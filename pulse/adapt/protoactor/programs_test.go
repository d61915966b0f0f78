package protoactor_test

import (
	"fmt"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/jostle-go/jostle/fuzz/subjects/barber"
	"github.com/jostle-go/jostle/fuzz/subjects/load"
	"github.com/jostle-go/jostle/fuzz/subjects/orders"
	"github.com/jostle-go/jostle/pulse"
)

// A program is a program for proto.actor, with the same program for pulse: both have
// the same distinct orders.
type program struct {
	name     string
	build    func(as *actor.ActorSystem)
	original func(*pulse.System) func() error
	distinct int // the number of distinct orders of the original; 0 if its package does not state it
}

func programs() []program {
	list := []program{
		{"senders(4,1)", senders(4, 1), load.Senders(4, 1).Build, 24},
		{"senders(3,2)", senders(3, 2), load.Senders(3, 2).Build, 90},
		{"pi(4)", pi(4), load.Pi(4).Build, 24},
		{"pingpong(8)", pingPong(8), orders.PingPong(8).Build, 256},
		{"philosophers(2)", philosophers(2), orders.Philosophers(2).Build, 8},
		{"philosophers(3)", philosophers(3), orders.Philosophers(3).Build, 48},
	}
	for _, mended := range []bool{false, true} {
		for _, customers := range []int{2, 3} {
			list = append(list, program{fmt.Sprintf("barber(%d,%v)", customers, mended),
				func(as *actor.ActorSystem) { openShop(as, customers, 1, mended) },
				barber.Config{Customers: customers, Mended: mended}.Build, 0})
		}
	}
	return list
}

func fromFunc(f actor.ReceiveFunc) *actor.Props { return actor.PropsFromFunc(f) }

func of(a actor.Actor) *actor.Props { return actor.PropsFromProducer(func() actor.Actor { return a }) }

type (
	start struct{}
	stop  struct{}
)

// The senders send their messages when they start.
func senders(n, messages int) func(*actor.ActorSystem) {
	return func(as *actor.ActorSystem) {
		to := as.Root.Spawn(fromFunc(func(actor.Context) {}))
		for range n {
			as.Root.Spawn(fromFunc(func(ctx actor.Context) {
				if _, ok := ctx.Message().(*actor.Started); ok {
					for i := range messages {
						ctx.Send(to, i)
					}
				}
			}))
		}
	}
}

type (
	intervals struct{}
	sum       struct{ part int }
)

func pi(workers int) func(*actor.ActorSystem) {
	return func(as *actor.ActorSystem) {
		var list []*actor.PID
		for i := range workers {
			list = append(list, as.Root.Spawn(fromFunc(func(ctx actor.Context) {
				switch ctx.Message().(type) {
				case intervals:
					ctx.Respond(sum{i})
				case stop:
					ctx.Stop(ctx.Self())
				}
			})))
		}
		sums := 0
		as.Root.Send(as.Root.Spawn(fromFunc(func(ctx actor.Context) {
			switch ctx.Message().(type) {
			case start:
				for _, w := range list {
					ctx.Request(w, intervals{})
				}
			case sum:
				if sums++; sums == workers {
					for _, w := range list {
						ctx.Send(w, stop{})
					}
					ctx.Stop(ctx.Self())
				}
			}
		})), start{})
	}
}

type (
	ping  struct{}
	pong  struct{}
	ack   struct{}
	noted struct{}
)

type pinger struct {
	other     *actor.PID
	left, due int
}

func (p *pinger) Receive(ctx actor.Context) {
	switch ctx.Message().(type) {
	case start:
		p.next(ctx)
	case ack:
		ctx.Send(ctx.Self(), noted{})
	case noted, pong:
		if p.due--; p.due == 0 {
			p.next(ctx)
		}
	}
}

func (p *pinger) next(ctx actor.Context) {
	if p.left == 0 {
		ctx.Send(p.other, stop{})
		ctx.Send(ctx.Self(), stop{})
		return
	}
	p.left--
	p.due = 2
	ctx.Request(p.other, ping{})
}

func pingPong(n int) func(*actor.ActorSystem) {
	return func(as *actor.ActorSystem) {
		other := as.Root.Spawn(fromFunc(func(ctx actor.Context) {
			if _, ok := ctx.Message().(ping); ok {
				ctx.Respond(ack{})
				ctx.Respond(pong{})
			}
		}))
		as.Root.Send(as.Root.Spawn(of(&pinger{other: other, left: n})), start{})
	}
}

type (
	take  struct{}
	taken struct{}
	put   struct{}
)

type fork struct{ queue []*actor.PID }

func (f *fork) Receive(ctx actor.Context) {
	switch ctx.Message().(type) {
	case take:
		f.queue = append(f.queue, ctx.Sender())
		if len(f.queue) == 1 {
			ctx.Respond(taken{})
		}
	case put:
		if f.queue = f.queue[1:]; len(f.queue) > 0 {
			ctx.Send(f.queue[0], taken{})
		}
	}
}

type philosopher struct {
	forks [2]*actor.PID
	held  int
}

func (p *philosopher) Receive(ctx actor.Context) {
	switch ctx.Message().(type) {
	case taken:
		p.held++
	case start:
	default:
		return
	}
	if p.held < len(p.forks) {
		ctx.Request(p.forks[p.held], take{})
		return
	}
	for _, f := range p.forks {
		ctx.Send(f, put{})
	}
	p.held = 0
}

func philosophers(n int) func(*actor.ActorSystem) {
	return func(as *actor.ActorSystem) {
		forks := make([]*actor.PID, n)
		for i := range forks {
			forks[i] = as.Root.Spawn(of(&fork{}))
		}
		for i := range n {
			a, b := i, (i+1)%n
			as.Root.Send(as.Root.Spawn(of(&philosopher{forks: [2]*actor.PID{forks[min(a, b)], forks[max(a, b)]}})), start{})
		}
	}
}

type (
	comes    struct{}
	enter    struct{}
	wakes    struct{}
	full     struct{}
	wake     struct{}
	next     struct{}
	nobody   struct{}
	customer struct{ pid *actor.PID }
	cut      struct{}
)

type visitor struct {
	room, barber *actor.PID
	left         bool
}

func (v *visitor) Receive(ctx actor.Context) {
	switch ctx.Message().(type) {
	case comes:
		ctx.Request(v.room, enter{})
	case wakes:
		ctx.Send(v.barber, wake{})
	case cut, full:
		v.left = true
	}
}

type room struct {
	waiting []*actor.PID
	chairs  int
	asleep  bool
}

func (r *room) Receive(ctx actor.Context) {
	switch ctx.Message().(type) {
	case enter:
		switch {
		case r.asleep:
			r.asleep = false
			r.waiting = append(r.waiting, ctx.Sender())
			ctx.Respond(wakes{})
		case len(r.waiting) < r.chairs:
			r.waiting = append(r.waiting, ctx.Sender())
		default:
			ctx.Respond(full{})
		}
	case next:
		if len(r.waiting) == 0 {
			r.asleep = true
			ctx.Respond(nobody{})
			return
		}
		ctx.Respond(customer{r.waiting[0]})
		r.waiting = r.waiting[1:]
	}
}

// A shaver is the barber; its behavior is asleep or awake.
type shaver struct {
	behavior  actor.Behavior
	room      *actor.PID
	woken     bool
	remembers bool
}

func newShaver(room *actor.PID, remembers bool) *shaver {
	b := &shaver{behavior: actor.NewBehavior(), room: room, remembers: remembers}
	b.behavior.Become(b.asleep)
	return b
}

func (b *shaver) Receive(ctx actor.Context) { b.behavior.Receive(ctx) }

func (b *shaver) asleep(ctx actor.Context) {
	if _, ok := ctx.Message().(wake); ok {
		ctx.Request(b.room, next{})
		b.behavior.Become(b.awake)
	}
}

func (b *shaver) awake(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case customer:
		ctx.Send(m.pid, cut{})
		ctx.Request(b.room, next{})
	case wake:
		b.woken = b.remembers
	case nobody:
		if b.woken {
			b.woken = false
			ctx.Request(b.room, next{})
			return
		}
		b.behavior.Become(b.asleep)
	}
}

// openShop has customers come to the barber. It returns their PIDs.
func openShop(as *actor.ActorSystem, customers, chairs int, mended bool) (list []*visitor) {
	r := as.Root.Spawn(of(&room{chairs: chairs, asleep: true}))
	b := as.Root.Spawn(of(newShaver(r, mended)))
	for range customers {
		v := &visitor{room: r, barber: b}
		list = append(list, v)
		as.Root.Send(as.Root.Spawn(of(v)), comes{})
	}
	return list
}
