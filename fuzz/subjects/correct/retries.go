package correct

import (
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

type (
	request struct {
		client pulse.Ref
		number int
	}
	response struct{ number int }
	again    struct{ number int }
)

// A server performs each request of a client once, and answers every copy of it.
type server struct {
	done map[pulse.Ref]int // the number of the last performed request of each client
	work int
}

func (s *server) Receive(ctx *pulse.Ctx, msg any) {
	r := msg.(request)
	if r.number > s.done[r.client] {
		s.done[r.client] = r.number
		s.work++
	}
	ctx.Send(r.client, response{r.number})
}

// A requester sends one request after the other, and resends each until it is answered.
type requester struct {
	to       pulse.Ref
	requests int
	number   int // the number of the unanswered request
	retries  int
	timer    pulse.Timer
}

func (r *requester) Receive(ctx *pulse.Ctx, msg any) {
	switch m := msg.(type) {
	case again:
		if m.number != r.number {
			return
		}
		r.retries++
	case response:
		if m.number != r.number {
			return
		}
		r.timer.Stop()
		r.number++
	}
	r.ask(ctx)
}

// Started sends the first request. No fault can lose the start of an actor.
func (r *requester) Started(ctx *pulse.Ctx, _ pulse.Start) {
	r.number = 1
	r.ask(ctx)
}

// ask sends the current request, unless all requests are answered.
func (r *requester) ask(ctx *pulse.Ctx) {
	if r.number <= r.requests {
		ctx.Send(r.to, request{ctx.Self(), r.number})
		r.timer = ctx.After(10*ms, again{r.number})
	}
}

// retries returns a property that always holds. A client's request number grows by one when the
// request is answered, and the server performs each number once. A client resends a request
// only when the request's timer fires. There are two possible reasons. First, a clock tick came
// early. The number of early ticks is bounded, and each fires at most one timer of a client.
// Second, no message could be delivered. Then the last copy of the request, or its answer, was
// lost. Each loss explains at most one resend, and the number of losses is bounded.
func retries(s shape) func(*props.T) {
	clients, each := 1+s.below(3), 1+s.below(2)
	s.options.Faults.Drop, s.options.Faults.Duplicate = s.below(3), s.below(2)
	return func(t *props.T) {
		sys := s.system(t)
		srv := &server{done: map[pulse.Ref]int{}}
		to := sys.Spawn("server", srv)
		var list []*requester
		for range clients {
			r := &requester{to: to, requests: each}
			list = append(list, r)
			sys.Spawn("client", r)
		}
		sys.Run()
		most := s.options.Faults.Drop + s.passes(sys)
		for i, r := range list {
			if r.number != each+1 {
				t.Errorf("client %d: %d of %d requests answered", i, r.number-1, each)
			}
			if r.retries > most {
				t.Errorf("client %d sent again %d times, which %d losses and early timers do not explain", i, r.retries, most)
			}
		}
		if srv.work != clients*each {
			t.Errorf("%d of %d requests done", srv.work, clients*each)
		}
	}
}
