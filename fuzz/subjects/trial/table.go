package trial

import (
	"math/rand/v2"

	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

// A Table is a random small program, which may fail: what its actors do, and when it fails.
type Table struct {
	// AtOnce has an actor panic as soon as it is in the state that fails. Otherwise the program
	// fails if the actor is in that state at the end.
	AtOnce bool
	// Number has Property draw one more number, of messages to the first actor.
	Number bool

	first  [3]int       // by the value of an element: who is sent a message for it
	next   [4][3][]told // by actor and message: what is sent then
	state  [4][3][3]int // by actor, state and message: the next state
	fails  told         // this actor in this state
	actors int
}

// A told is a message to an actor.
type told struct{ to, what int }

// A said is a message: hops more messages follow from it.
type said struct{ What, Hops int }

// NewTable returns a program that follows from the random numbers.
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

// Property returns the program as a property with these inputs. It draws a list of up to three
// elements, and the number if there is one, if the list is nil.
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
