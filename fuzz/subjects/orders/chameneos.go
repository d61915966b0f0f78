package orders

import (
	"errors"
	"fmt"

	"github.com/jostle-go/jostle/pulse"
)

// Chameneos is chameneos of the thesis on Basset, after the chameneos-redux benchmark
// of the Great Language Shootout. Creatures ask a mall for a meeting. Two creatures
// that meet change their colors and ask again. After enough meetings, the mall tells
// all who ask to stop. When the run begins, all creatures have asked once.
//
// The creatures race at the mall, where all orders are distinct. With three
// creatures, three requests are in transit after each meeting, and the first two
// requests make the next meeting. That gives 6^(meetings+1) distinct orders. The
// last factor counts the orders in which the creatures are told to stop. The thesis
// has 216 distinct orders, the number for three creatures and two meetings.
func Chameneos(creatures, meetings int) Program {
	return Program{
		Name: fmt.Sprintf("chameneos(%d,%d)", creatures, meetings),
		Build: func(sys *pulse.System) func() error {
			m := &mall{left: meetings}
			to := sys.Spawn("mall", m)
			list := make([]*creature, creatures)
			for i := range list {
				list[i] = &creature{colour: colour(i % 3)}
				sys.Host().Enqueue(sys.Spawn("creature", list[i]), to, seek{list[i].colour})
			}
			return func() error { return checkMeetings(list, meetings) }
		},
	}
}

func checkMeetings(list []*creature, meetings int) error {
	met := 0
	for _, c := range list {
		if !c.stopped {
			return errors.New("a creature was not told to stop")
		}
		met += c.met
	}
	return expect("the number of creatures that met", met, 2*meetings)
}

// A colour is one of three colors.
type colour int

// meeting returns the new color of a creature of color c that meets a creature of color other.
// If both colors are the same, the creature keeps its color. Otherwise it gets the third color.
func (c colour) meeting(other colour) colour {
	if c == other {
		return c
	}
	return 3 - c - other
}

type (
	seek struct{ colour colour } // sent by a creature to ask for a meeting
	met  struct{ colour colour } // sent to a creature that has met another one, with the color of that one
	stop struct{}
)

// A mall lets creatures meet in pairs.
type mall struct {
	left    int       // the number of meetings left
	waiting pulse.Ref // the creature that arrived first and waits
	first   colour
}

func (m *mall) Receive(ctx *pulse.Ctx, msg any) {
	from, c := ctx.Sender(), msg.(seek).colour
	switch {
	case m.left == 0:
		ctx.Send(from, stop{})
	case m.waiting.IsZero():
		m.waiting, m.first = from, c
	default:
		ctx.Send(m.waiting, met{c})
		ctx.Send(from, met{m.first})
		m.waiting, m.first = pulse.Ref{}, 0
		m.left--
	}
}

// A creature seeks meetings until it is told to stop.
type creature struct {
	colour  colour
	met     int
	stopped bool
}

func (c *creature) Receive(ctx *pulse.Ctx, msg any) {
	switch msg := msg.(type) {
	case met:
		c.met++
		c.colour = c.colour.meeting(msg.colour)
		ctx.Reply(seek{c.colour})
	case stop:
		c.stopped = true
	}
}
