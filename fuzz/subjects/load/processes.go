package load

import (
	"fmt"

	"github.com/jostle-go/jostle/pulse"
)

// Processes is Ring with processes instead of actors. Each process returns when
// the process has passed on all its tokens.
func Processes(processes, tokens, laps int) Load {
	messages := hops(processes * laps)
	ring := make([]*station, processes)
	bodies := make([]func(*pulse.Process), processes)
	for i := range ring {
		ring[i] = &station{messages: messages, due: tokens * laps}
		bodies[i] = ring[i].run
	}
	refs := make([]pulse.Ref, processes)
	passes := processes * tokens * laps
	check := func() error {
		got := 0
		for _, st := range ring {
			got += st.received
		}
		return expect(got, passes)
	}
	return Load{
		Name:  fmt.Sprintf("processes(%d,%d,%d)", processes, tokens, laps),
		Steps: processes + passes,
		Build: func(sys *pulse.System) func() error {
			for i, st := range ring {
				st.received = 0
				refs[i] = sys.Go("station", bodies[i])
			}
			for i, st := range ring {
				st.next = refs[(i+1)%processes]
			}
			for i := range tokens {
				sys.Send(refs[i%processes], messages[len(messages)-1])
			}
			return check
		},
	}
}

// A station passes tokens on.
type station struct {
	tally
	next     pulse.Ref
	messages []any
	due      int // the number of tokens that the station will receive
}

func (s *station) run(p *pulse.Process) {
	for range s.due {
		left := p.Receive().(hop)
		s.received++
		if left > 0 {
			p.Send(s.next, s.messages[left-1])
		}
	}
}
