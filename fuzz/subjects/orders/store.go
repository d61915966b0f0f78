package orders

import (
	"fmt"

	"github.com/jostle-go/jostle/pulse"
)

// Store is the key-value store of the paper on Eta (tables 1 and 2). Its
// parameters are the numbers of front-ends, back-ends, clients, and requests
// of all clients together. The paper says no more about the program; the rest
// is ours. A client is a process that sends all its requests, to each
// front-end in turn, and then receives the answers. A front-end passes a
// request on to the back-end that has the key, and passes the answer back.
// Every second request gets the value that the previous request puts.
//
// At the front-ends, requests of different clients race with one another and
// with answers. At the back-ends, requests by different front-ends race, and a
// put and its get may come in either order. At the clients, answers of
// different front-ends race. Eta's counts differ: its store(1,1,1,3) has 1,946
// orders, 289 of them distinct. Here it has 462 orders, 5 of them distinct.
func Store(fronts, backs, clients, requests int) Program {
	return Program{
		Name: fmt.Sprintf("store(%d,%d,%d,%d)", fronts, backs, clients, requests),
		Build: func(sys *pulse.System) func() error {
			s := &shop{}
			s.addBacks(sys, backs, requests)
			s.addFronts(sys, fronts, requests)
			s.addClients(sys, clients, requests)
			return s.check
		},
	}
}

// A shop holds the actors of a store.
type shop struct {
	backs     []*back
	clients   []*client
	backRefs  []pulse.Ref
	frontRefs []pulse.Ref
}

func (s *shop) addBacks(sys *pulse.System, backs, requests int) {
	for range backs {
		b := &back{values: make([]int, requests)}
		s.backs = append(s.backs, b)
		s.backRefs = append(s.backRefs, sys.Spawn("back-end", b))
	}
}

func (s *shop) addFronts(sys *pulse.System, fronts, requests int) {
	for range fronts {
		f := &front{backs: s.backRefs, askers: make([]pulse.Ref, requests)}
		s.frontRefs = append(s.frontRefs, sys.Spawn("front-end", f))
	}
}

func (s *shop) addClients(sys *pulse.System, clients, requests int) {
	for i := range clients {
		c := &client{number: i, fronts: s.frontRefs}
		for number := i; number < requests; number += clients {
			c.requests = append(c.requests, requestOf(number))
		}
		s.clients = append(s.clients, c)
	}
	for _, c := range s.clients {
		sys.Go("client", c.run)
	}
}

// requestOf returns the request with a number. Even numbers put a value, and odd numbers get it.
func requestOf(number int) request {
	r := request{number: number, key: number / 2}
	if number%2 == 0 {
		r.value = number + 1
	}
	return r
}

func (s *shop) check() error {
	for _, c := range s.clients {
		if err := expect("the number of answers", len(c.answers), len(c.requests)); err != nil {
			return err
		}
		for _, a := range c.answers {
			if err := s.checkAnswer(a); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkAnswer checks that an answer has the value that was put, or 0 if the get came first.
func (s *shop) checkAnswer(a answer) error {
	key := a.number / 2
	stored := s.backs[key%len(s.backs)].values[key]
	if err := expect("a stored value", stored, requestOf(2*key).value); err != nil {
		return err
	}
	if early := a.number%2 == 1 && a.value == 0; early {
		return nil
	}
	return expect("an answer", a.value, stored)
}

type (
	// A request puts its value, or gets the stored value if its own value is 0.
	request struct{ number, key, value int }
	answer  struct{ number, value int }
)

// A client sends requests and receives answers.
type client struct {
	number   int
	fronts   []pulse.Ref
	requests []request
	answers  []answer
}

func (c *client) run(p *pulse.Process) {
	for i, r := range c.requests {
		p.Send(c.fronts[(c.number+i)%len(c.fronts)], r)
	}
	for range c.requests {
		c.answers = append(c.answers, p.Receive().(answer))
	}
}

// A front stands between clients and back-ends.
type front struct {
	backs  []pulse.Ref
	askers []pulse.Ref // by request number: the client that has sent the request
}

func (f *front) Receive(ctx *pulse.Ctx, msg any) {
	switch msg := msg.(type) {
	case request:
		f.askers[msg.number] = ctx.Sender()
		ctx.Send(f.backs[msg.key%len(f.backs)], msg)
	case answer:
		ctx.Send(f.askers[msg.number], msg)
	}
}

// A back stores the values of some keys.
type back struct{ values []int }

func (b *back) Receive(ctx *pulse.Ctx, msg any) {
	r := msg.(request)
	if r.value != 0 {
		b.values[r.key] = r.value
	}
	ctx.Reply(answer{r.number, b.values[r.key]})
}
