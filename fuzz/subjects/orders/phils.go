package orders

import (
	"fmt"

	"github.com/jostle-go/jostle/pulse"
)

// Phils is Phils of the paper on Eta (tables 1 and 2), a coordination protocol
// similar to that of dining philosophers. The paper says no more about the protocol.
// This program uses that of Ricart and Agrawala: a hungry philosopher asks all
// others, and eats when all have agreed. A philosopher who has been hungry for longer
// agrees only after its own meal. Each philosopher eats a number of meals.
//
// At each philosopher, hunger, requests and agreements race. Eta's two philosophers
// have 150 orders, 44 of them distinct. Its three have 3,159,870 orders, 67,192 of
// them distinct. Here two philosophers with two meals have 118 orders, 13 of them
// distinct. Three with one meal have 2,787,542 orders, 1,938 of them distinct.
func Phils(n, meals int) Program {
	return Program{
		Name: fmt.Sprintf("phils(%d,%d)", n, meals),
		Build: func(sys *pulse.System) func() error {
			list, refs := make([]*phil, n), make([]pulse.Ref, n)
			for i := range list {
				list[i] = &phil{id: i, left: meals}
				refs[i] = sys.Spawn("phil", list[i])
				sys.Send(refs[i], start{})
			}
			for i, p := range list {
				p.others = append(append(p.others, refs[:i]...), refs[i+1:]...)
			}
			return func() error { return checkPhils(list) }
		},
	}
}

func checkPhils(list []*phil) error {
	for _, p := range list {
		if p.left != 0 || p.hungry || len(p.later) > 0 {
			return fmt.Errorf("phil %d has %d meals left and has not answered %d others", p.id, p.left, len(p.later))
		}
	}
	return nil
}

type (
	// A wish is a message that asks to eat. It says since when its sender has been hungry.
	wish  struct{ since, id int }
	agree struct{}
)

func (w wish) before(other wish) bool {
	return w.since < other.since || w.since == other.since && w.id < other.id
}

// A phil is a philosopher, who eats when all other phils agree.
type phil struct {
	id     int
	others []pulse.Ref
	left   int  // the number of meals left
	clock  int  // the latest logical time that the phil has sent or received
	hungry bool // set from the time wish.since until the phil eats
	wish   wish
	agreed int         // the number of other phils that have agreed
	later  []pulse.Ref // the phils with whom this phil agrees after its meal
}

func (p *phil) Receive(ctx *pulse.Ctx, msg any) {
	switch msg := msg.(type) {
	case start:
		p.ask(ctx)
	case wish:
		p.clock = max(p.clock, msg.since)
		if p.hungry && p.wish.before(msg) {
			p.later = append(p.later, ctx.Sender())
			return
		}
		ctx.Reply(agree{})
	case agree:
		if p.agreed++; p.agreed == len(p.others) {
			p.eat(ctx)
		}
	}
}

func (p *phil) ask(ctx *pulse.Ctx) {
	p.clock++
	p.hungry, p.wish = true, wish{p.clock, p.id}
	for _, r := range p.others {
		ctx.Send(r, p.wish)
	}
}

func (p *phil) eat(ctx *pulse.Ctx) {
	p.hungry, p.agreed = false, 0
	if p.left--; p.left > 0 {
		ctx.Send(ctx.Self(), start{})
	}
	for _, r := range p.later {
		ctx.Send(r, agree{})
	}
	p.later = nil
}
