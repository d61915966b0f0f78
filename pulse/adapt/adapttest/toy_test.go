package adapttest_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/adapt/adapttest"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A toy is a foreign runtime that is hosted correctly or with one fault.
type toy struct {
	host   pulse.Host
	sys    *pulse.System
	fault  string
	agents map[string]*agent // by id
	test   *agent
	made   int
	late   []func() // the sends by foreign goroutines, with the fault "escapes"
	held   map[*agent][]note
	turns  bool // with the fault "turns": this run behaves differently than the run before
}

// An address is an agent's id, and the number of the question that a message to it answers.
type address struct {
	ID     string
	Answer int
}

// A note is a message in transit.
type note struct {
	from     *agent
	text     string
	question int // the number of the question; an answer has the same number
	answer   int
}

// String returns the text that is sent.
func (n note) String() string { return n.text }

// A chore is a message of the runtime itself.
type chore struct{}

// An agent is an actor of the toy.
type agent struct {
	*toy
	id       string
	name     string
	ref      pulse.Ref
	handler  adapttest.Handler
	children int
	box      []note // with faults
	job      note
	co       *pulse.Coroutine
	asked    int
	answer   *note
}

func newToy(fault string) func(*pulse.System) adapttest.Runtime {
	var kept adapttest.Runtime // with a fault
	var made int
	return func(sys *pulse.System) adapttest.Runtime {
		made++
		if fault == "one runtime for all runs" && kept != nil {
			return kept
		}
		if fault == "another system" {
			sys = pulse.New(pulse.Options{})
		}
		t := &toy{host: sys.Host(), sys: sys, fault: fault, turns: made > 250 && made%2 == 0, agents: map[string]*agent{}}
		t.test = &agent{toy: t, ref: t.host.Running()}
		if fault == "cannot wait" {
			return t.test
		}
		kept = asker{t.test}
		return kept
	}
}

// An asker is an agent that can wait for answers and change its behavior.
type asker struct{ *agent }

// everMade counts the agents of all runs; one planted fault uses it for ids.
var everMade int

func (a *agent) Spawn(name string, h adapttest.Handler) adapttest.Address {
	a.children++
	a.made++
	everMade++
	b := &agent{toy: a.toy, id: fmt.Sprint(a.id, "/", a.children), name: name, handler: h}
	spec := pulse.Spec{Name: name, Actor: b}
	switch a.fault {
	case "ids count all runs":
		b.id = fmt.Sprint("agent", everMade)
	case "ids count all agents":
		b.id = fmt.Sprint("agent", a.made)
	case "ids by chance":
		b.id = fmt.Sprint("agent", rand.Uint64())
	case "one name":
		spec.Name = "agent"
	case "names by chance":
		spec.Name = fmt.Sprint(name, rand.Uint64())
	}
	b.ref = a.host.Spawn(a.ref, spec)
	a.agents[b.id] = b
	return address{ID: b.id}
}

func (a *agent) Send(to adapttest.Address, msg string) {
	a.put(to.(address), note{from: a, text: msg})
}

func (a *agent) put(to address, n note) {
	n.answer = to.Answer
	b := a.agents[to.ID]
	if b == nil {
		b = a.test
	}
	switch a.fault {
	case "last in, first out", "a queue behind tokens":
		b.box = append(b.box, n)
		a.host.Enqueue(a.ref, b.ref, chore{})
		return
	case "a queue behind one message", "a queue that is emptied":
		if b.box = append(b.box, n); len(b.box) == 1 {
			a.host.Enqueue(a.ref, b.ref, chore{})
		}
		return
	case "turns":
		if a.turns {
			a.host.Enqueue(a.ref, b.ref, chore{})
		}
	case "a message is lost":
		if strings.HasPrefix(n.text, "told") && a.id == "/1/1/2" {
			return
		}
	case "a message comes twice":
		a.host.Enqueue(a.ref, b.ref, n)
	case "at once":
		b.job = n
		b.handler(asker{b}, n.text)
		return
	case "goroutines of its own":
		done := make(chan struct{})
		go func() {
			defer close(done)
			b.job = n
			b.handler(asker{b}, n.text)
		}()
		<-done
		return
	case "a sender of nothing":
		if to.ID == "" {
			panic("nobody is called by no name")
		}
	case "in the name of the test":
		a.host.Enqueue(a.test.ref, b.ref, n)
		return
	case "a message of the receiver's own":
		a.host.Enqueue(b.ref, b.ref, chore{})
	case "a message of its own":
		a.host.Enqueue(a.ref, b.ref, chore{})
	case "a message of its own to the first":
		if strings.HasPrefix(n.text, "number 1 from one") {
			a.host.Enqueue(a.ref, b.ref, chore{})
		}
	case "in the order of a map":
		if a.held != nil {
			a.held[b] = append(a.held[b], n)
			return
		}
	case "escapes":
		if a.sys.Running() && a.host.Caller() == pulse.CallerOutside {
			a.late = append(a.late, func() { a.put(to, n) })
			return
		}
	case "waits for the step":
		if a.sys.Running() && a.host.Caller() == pulse.CallerOutside {
			select {} // the fault: the sender waits for the step, and the step for the sender
		}
	}
	a.host.Enqueue(a.ref, b.ref, n)
}

// Receive handles a message or, with a fault, does something that an adapter must not do.
func (a *agent) Receive(ctx *pulse.Ctx, msg any) {
	switch a.fault {
	case "a goroutine":
		go func() { select {} }()
	case "goroutines that end":
		go func() {}()
	case "always changes":
		a.host.HandlersChanged()
	case "everything touches":
		a.host.Touch(trace.AllSteps)
	case "in the order of a map":
		a.held = map[*agent][]note{}
	}
	a.step(msg)
	for b, list := range a.held {
		for _, n := range list {
			a.host.Enqueue(a.ref, b.ref, n)
		}
	}
	a.held = nil
	for _, send := range a.late {
		send()
	}
	a.late = nil
}

func (a *agent) step(msg any) {
	n, is := msg.(note)
	switch {
	case is:
		a.take(n)
	case a.fault == "last in, first out":
		n = a.box[len(a.box)-1]
		a.box = a.box[:len(a.box)-1]
		a.take(n)
	case len(a.box) > 0:
		n, a.box = a.box[0], a.box[1:]
		a.take(n)
		switch {
		case a.fault == "a queue behind one message" && len(a.box) > 0:
			a.host.Enqueue(a.ref, a.ref, chore{})
		case a.fault == "a queue that is emptied" && len(a.box) > 0:
			a.step(chore{})
		}
	}
}

// take passes a message to the handler, or to the handler's pending question.
func (a *agent) take(n note) {
	before := a.job.text
	switch {
	case n.answer > 0 && a.co != nil, a.fault == "takes anything for an answer" && a.co != nil:
		a.answer = &n
	case a.fault == "a message is lost in some orders" && n.text == "number 1 from two" && before == "number 2 from one":
		return
	default:
		a.job = n
		if a.co == nil || a.fault == "waits and receives" {
			a.co = a.host.Coroutine(a.handle)
		}
	}
	if a.co.Resume() {
		a.co = nil
	}
}

func (a *agent) handle(*pulse.Coroutine) {
	defer func() {
		switch {
		case a.host.Caller() == pulse.CallerDying:
		case a.fault == "panics are swallowed":
			_ = recover()
		case a.fault == "panics are renamed":
			if v := recover(); v != nil {
				a.sys.Fail(&pulse.Failure{Kind: pulse.KindPanic, Text: fmt.Sprint("panic: ", v), Step: -1})
			}
		case a.fault == "panics are no panics":
			if v := recover(); v != nil {
				a.sys.Fail(&pulse.Failure{Text: fmt.Sprint("panic in ", a.name, ": ", v), Step: -1})
			}
		}
	}()
	var ctx adapttest.Context = a
	if a.fault != "cannot wait" {
		ctx = asker{a}
	}
	a.handler(ctx, a.job.text)
}

func (a *agent) Sender() adapttest.Address {
	switch a.fault {
	case "no sender":
		return address{ID: a.id}
	case "a sender of nothing":
		return address{}
	}
	return address{ID: a.job.from.id, Answer: a.job.question}
}

func (a *agent) Stop() { a.host.End(a.ref, "stopped") }

func (a asker) Become(h adapttest.Handler) {
	if a.fault != "old behavior goes on" {
		a.handler = h
	}
	if a.fault != "a change in silence" {
		a.host.HandlersChanged()
	}
}

func (a asker) Ask(to adapttest.Address, msg string) string {
	a.asked++
	number := a.asked
	of := a.ref
	if a.fault == "the other waits" {
		of = a.agents[to.(address).ID].ref
	}
	if a.fault != "waits and receives" && a.fault != "takes anything for an answer" {
		a.host.Accept(of, func(msg any) bool { n, _ := msg.(note); return n.answer == number })
		a.host.Waits(of, "for an answer")
	}
	a.put(to.(address), note{from: a.agent, text: msg, question: number})
	switch other := a.agents[to.(address).ID]; {
	case a.fault == "gives up":
		defer a.host.After(a.ref, time.Hour, note{from: a.agent, text: "never mind", answer: number}).Stop()
	case other.name != "silent":
	case a.fault == "another waits too":
		a.host.Accept(a.agents["/3"].ref, func(any) bool { return false })
	case a.fault == "stuck names another":
		a.sys.Fail(&pulse.Failure{Kind: pulse.KindStuck, Text: "stuck", Detail: "    silent waits", Step: -1})
	case a.fault == "stuck is misuse":
		a.sys.Fail(&pulse.Failure{Kind: pulse.KindMisuse, Text: "patient waits", Step: -1})
	}
	for a.answer == nil {
		a.co.Park()
	}
	n := a.answer
	a.answer = nil
	if a.fault != "waits for ever" {
		a.host.Accept(of, nil)
	}
	return n.text
}
