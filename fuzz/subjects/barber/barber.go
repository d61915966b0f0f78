// Package barber is an example program with a known bug. Its property: no customer of
// a sleeping barber is forgotten.
//
// The problem is Dijkstra's; the paper Bitá (Tasharofi et al., ASE 2013) mentions
// a program with a room, a barber and customers in which a customer is lost. The
// program is ours.
//
// Customers enter the room. If the barber is asleep, the room sends the customer to
// wake the barber. Otherwise the customer waits on a chair, or leaves if all chairs
// are taken. The barber asks the room for the next customer, and goes to sleep if
// there is none. As soon as the room has answered "nobody", it considers the barber
// asleep. A customer who enters then may wake the barber before that answer arrives.
// The barber, still awake, ignores the wake, then gets the answer and sleeps forever.
// In the mended form the barber remembers the wake, and asks the room once more.
//
// Subject.Depth is 1: at the room, the second customer must enter after the barber
// has asked for one. Then the wake must overtake the answer at the barber, but the
// oldest-first order does not contain that wake. So two reorderings are needed
// together.
package barber

import (
	"fmt"

	"github.com/jostle-go/jostle/pulse"
)

// Config chooses the program to build. The zero value is the broken form with
// two customers and one chair.
type Config struct {
	Customers int // 0 means 2
	Chairs    int // 0 means 1
	Mended    bool
}

type (
	comes struct{} // sent from the test to a customer

	enter struct{} // sent from a customer to the room
	wakes struct{} // sent from the room to a customer who is to wake the barber
	full  struct{} // sent from the room to a customer for whom there is no chair

	wake     struct{} // sent from a customer to the barber
	next     struct{} // sent from the barber to the room
	customer struct{ ref pulse.Ref }
	nobody   struct{} // sent from the room to the barber, instead of a customer

	cut struct{} // sent from the barber to a customer
)

// Build adds the program to a system. After the run, check returns an error if the
// property does not hold.
func (c Config) Build(sys *pulse.System) (check func() error) { return c.open(sys).check }

// A shop is the list of a program's customers.
type shop []*visitor

// open adds the program to a system.
func (c Config) open(sys *pulse.System) shop {
	n := c.Customers
	if n == 0 {
		n = 2
	}
	r := sys.Spawn("room", &room{chairs: max(c.Chairs, 1), asleep: true})
	b := sys.Spawn("barber", &barber{room: r, remembers: c.Mended})
	s := make(shop, n)
	for i := range s {
		s[i] = &visitor{room: r, barber: b}
		sys.Send(sys.Spawn("customer", s[i]), comes{})
	}
	return s
}

// waiting returns the number of customers who have not left.
func (s shop) waiting() (n int) {
	for _, v := range s {
		if !v.left {
			n++
		}
	}
	return n
}

func (s shop) check() error {
	if n := s.waiting(); n > 0 {
		return fmt.Errorf("%d of %d customers wait forever", n, len(s))
	}
	return nil
}

// A visitor is a customer, who leaves with a haircut or is turned away.
type visitor struct {
	room, barber pulse.Ref
	left         bool
}

func (v *visitor) Receive(ctx *pulse.Ctx, msg any) {
	switch msg.(type) {
	case comes:
		ctx.Send(v.room, enter{})
	case wakes:
		ctx.Send(v.barber, wake{})
	case cut, full:
		v.left = true
	}
}

// A room knows who waits, in the order of arrival.
type room struct {
	waiting []pulse.Ref
	chairs  int
	asleep  bool // set if the room believes that the barber is asleep
}

func (r *room) Receive(ctx *pulse.Ctx, msg any) {
	switch msg.(type) {
	case enter:
		r.enter(ctx)
	case next:
		if len(r.waiting) == 0 {
			r.asleep = true
			ctx.Reply(nobody{})
			return
		}
		ctx.Reply(customer{r.waiting[0]})
		r.waiting = r.waiting[1:]
	}
}

func (r *room) enter(ctx *pulse.Ctx) {
	switch {
	case r.asleep:
		r.asleep = false
		r.waiting = append(r.waiting, ctx.Sender())
		ctx.Reply(wakes{})
	case len(r.waiting) < r.chairs:
		r.waiting = append(r.waiting, ctx.Sender())
	default:
		ctx.Reply(full{})
	}
}

// A barber cuts hair. Receive is the behavior of a sleeping barber.
type barber struct {
	room      pulse.Ref
	woken     bool // set if a wake came while the barber was awake, after its last question
	remembers bool
}

func (b *barber) Receive(ctx *pulse.Ctx, msg any) {
	if _, ok := msg.(wake); ok {
		ctx.Send(b.room, next{})
		ctx.Become(pulse.Func(b.awake))
	}
}

// awake is the behavior of a barber who is awake.
func (b *barber) awake(ctx *pulse.Ctx, msg any) {
	switch msg := msg.(type) {
	case customer:
		ctx.Send(msg.ref, cut{})
		ctx.Send(b.room, next{})
	case wake:
		b.woken = b.remembers
	case nobody:
		if b.woken {
			b.woken = false
			ctx.Send(b.room, next{})
			return
		}
		ctx.Become(b)
	}
}
