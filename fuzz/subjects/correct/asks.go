package correct

import (
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

type question struct{ n int }

// asks returns a property that always holds. A server answers at once, or first asks the next
// server. So while a client waits, some message that leads to its answer can be delivered. Therefore
// no Ask times out under NeverEarly. With early timers a client may ask again. It asks at most once
// more for each early clock tick, because such a tick fires at most one timer of a client.
func asks(s shape) func(*props.T) {
	clients, depth, each := 1+s.below(3), 1+s.below(3), 1+s.below(2)
	return func(t *props.T) {
		sys := s.system(t)
		var to pulse.Ref
		for range depth {
			to = answerer(sys, to)
		}
		late := make([]int, clients)
		answers := 0
		for i := range clients {
			sys.Go("client", func(p *pulse.Process) {
				for n := range each {
					for {
						v, ok := p.AskTimeout(to, question{n}, 10*ms)
						if ok {
							if v != n+depth {
								t.Errorf("client %d: got %v as the answer to question %d", i, v, n)
							}
							answers++
							break
						}
						late[i]++
					}
				}
			})
		}
		sys.Run()
		if answers != clients*each {
			t.Errorf("%d of %d answers", answers, clients*each)
		}
		for i, n := range late {
			if n > s.passes(sys) {
				t.Errorf("client %d: %d questions timed out, but at most %d early timers are possible", i, n, s.passes(sys))
			}
		}
	}
}

// answerer spawns a process that answers questions. Before it answers, it asks next, if not zero.
func answerer(sys *pulse.System, next pulse.Ref) pulse.Ref {
	return sys.Go("server", func(p *pulse.Process) {
		for {
			q := p.Receive().(question)
			who := p.Sender()
			if next.IsZero() {
				p.Send(who, q.n+1)
				continue
			}
			p.Send(who, p.Ask(next, q).(int)+1)
		}
	})
}
