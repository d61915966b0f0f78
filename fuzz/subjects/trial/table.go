package trial

import (
	"math/rand/v2"

	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

// A Table describes a random small program: what its actors do, and in which state it fails.
type Table struct {
	// AtOnce makes an actor panic as soon as it is in the failing state. Otherwise the program
	// fails if the actor is in that state at the end.
	AtOnce bool
	// Number makes Property also draw the number of messages to the first actor.
	Number bool

	first  [3]int       // by the value of an element: the actor that gets a message for the element
	next   [4][3][]told // by actor and received message: the messages that the actor then sends
	state  [4][3][3]int // by actor, state and message: the next state
	fails  told         // the actor (to) and its state (what) in which the program fails
	actors int
}

// A told is a message to an actor.
type told struct{ to, what int }

// A said is a message. Hops is the number of generations of messages that follow from it.
type said struct{ What, Hops int }

// NewTable returns the program that the random numbers describe.
func NewTable(d *rand.Rand) *Table {
	p := &Table{actors: 2 + d.IntN(3), AtOnce: d.IntN(2) == 0, Number: d.IntN(2) == 0}
	for i := range p.first {
		p.first[i] = d.IntN(p.actors)
	}
	for a := range p.next {
		for m := range p.next[a] {
			for range d.IntN(3) / (1 + d.IntN(2)) {
				p.next[a][m] = append(p.next[a][m], told{d.IntN(p.actors), d.IntN(3)})
			}
		}
		for s := range p.state[a] {
			for m := range p.state[a][s] {
				p.state[a][s][m] = d.IntN(3)
			}
		}
	}
	p.fails = told{d.IntN(p.actors), 1 + d.IntN(2)}
	return p
}

// Property returns the program as a property with these inputs. If list is nil, the property
// draws a list of up to three elements, and the number if Number is set.
func (p *Table) Property(list []int, number int) func(*props.T) {
	return func(t *props.T) {
		list, number := list, number
		if list == nil {
			list = props.Draw(t, rapid.SliceOfN(rapid.IntRange(0, 2), 0, 3), "list")
			if p.Number {
				number = props.Draw(t, rapid.IntRange(0, 2), "number")
			}
		}
		states := make([]int, p.actors)
		sys := t.System()
		var actors []pulse.Ref
		for a := range p.actors {
			actors = append(actors, sys.Spawn("actor", pulse.Func(func(ctx *pulse.Ctx, msg any) {
				m := msg.(said)
				states[a] = p.state[a][states[a]][m.What]
				if p.AtOnce && a == p.fails.to && states[a] == p.fails.what {
					panic("wrong")
				}
				for _, n := range p.next[a][m.What] {
					if m.Hops > 0 {
						ctx.Send(actors[n.to], said{n.what, m.Hops - 1})
					}
				}
			})))
		}
		for _, v := range list {
			sys.Send(actors[p.first[v]], said{v, 1})
		}
		for range number {
			sys.Send(actors[0], said{2, 1})
		}
		sys.Run()
		if !p.AtOnce && states[p.fails.to] == p.fails.what {
			t.Error("wrong")
		}
	}
}
