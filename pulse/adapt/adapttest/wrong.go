package adapttest

import (
	"strings"

	"github.com/jostle-go/jostle/pulse"
)

// handlers checks that the step in which an actor changes its behavior is marked, and
// that the new behavior receives the later messages.
func (s *suite) handlers() {
	if !s.becomes {
		return
	}
	sys := pulse.New(pulse.Options{Record: true})
	defer sys.Close()
	said := ""
	p := program{"handlers", func(st *stage) {
		one := st.spawn("chameleon", func(t *turn, word string) {
			if said += "first "; word == "change" {
				t.become(func(*turn, string) { said += "second " })
			}
		})
		st.send(one, "change")
		st.send(st.spawn("bystander", func(t *turn, _ string) { t.send(one, "hello") }), "go")
	}, false}
	st := p.play(sys, s.adapter.New)
	for _, e := range st.entries {
		changes := e.word == "change"
		if changed := sys.Trace().Steps[e.step].Changed; changed != changes {
			s.breaks(handlers, p.name, "%s receives %q and changes its behavior: %t; the trace marks a change: %t", e.to, e.text, changes, changed)
		}
	}
	if said != "first second " {
		s.breaks(handlers, p.name, "chameleon has two behaviors, and its messages are received by the %s", strings.TrimSpace(said))
	}
}

// panics checks that a panic of a handler fails the run.
func (s *suite) panics() {
	sys := pulse.New(pulse.Options{Record: true})
	defer sys.Close()
	p := program{"panics", func(st *stage) {
		bystander := st.spawn("bystander", func(*turn, string) {})
		st.send(st.spawn("thrower", func(t *turn, _ string) {
			t.send(bystander, "hello")
			panic("thrown by adapttest")
		}), "go")
	}, false}
	p.play(sys, s.adapter.New)
	switch f := sys.Failure(); {
	case f == nil:
		s.breaks(panics, p.name, "the handler of thrower panics, and the run does not fail")
	case f.Kind != pulse.KindPanic:
		s.breaks(panics, p.name, "the handler of thrower panics, and the run fails with a failure of the kind %v: %v", f.Kind, f)
	case !strings.Contains(f.Text, "thrower"):
		s.breaks(panics, p.name, "the handler of thrower panics, and the failure does not name thrower: %s", f.Text)
	}
}

// stuck checks that the report of a stuck run names the waiting actor. The actor
// waits for an answer or, if actors cannot ask, for any message in a closed
// environment.
func (s *suite) stuck() {
	o := pulse.Options{Record: true}
	if !s.asks {
		o.Environment = pulse.EnvironmentClosed
	}
	sys := pulse.New(o)
	defer sys.Close()
	p := program{"stuck", func(st *stage) {
		silent := st.spawn("silent", func(*turn, string) {})
		st.send(st.spawn("patient", func(t *turn, _ string) {
			if s.asks {
				t.ask(silent, "question")
			} else {
				t.send(silent, "question")
			}
		}), "go")
		st.send(st.spawn("bystander", func(*turn, string) {}), "go")
	}, s.asks}
	p.play(sys, s.adapter.New)
	switch f := sys.Failure(); {
	case f == nil:
		s.breaks(stuck, p.name, "the actor patient waits for a message that never comes, and the run does not fail")
	case f.Kind != pulse.KindStuck:
		s.breaks(stuck, p.name, "the actor patient waits for a message that never comes, and the run fails with a failure of the kind %v: %v", f.Kind, f)
	case !strings.Contains(f.Detail, "patient waits"):
		s.breaks(stuck, p.name, "the actor patient waits for a message that never comes, and the report does not name it: %v", f)
	case s.asks && strings.Contains(f.Detail, "bystander"):
		s.breaks(stuck, p.name, "the actor bystander does not wait, and the report names it: %v", f)
	}
}

// foreign checks that a message sent by another goroutine fails the run. If the
// adapter's Send waits for the end of the step, foreign never returns: set Blind for
// such an adapter.
func (s *suite) foreign() {
	if s.adapter.Blind {
		return
	}
	sys := pulse.New(pulse.Options{Record: true})
	defer sys.Close()
	host := sys.Host()
	mine, theirs := host.Goroutine(), uintptr(0)
	var panicked any // a panic counts as a failure, because it ends the process
	p := program{"foreign", func(st *stage) {
		to := st.spawn("receiver", func(*turn, string) {})
		st.send(st.spawn("spy", func(t *turn, _ string) {
			msg, done := t.next(to.name, "secret"), make(chan struct{})
			go func() {
				defer close(done)
				defer func() { panicked = recover() }()
				theirs = host.Goroutine()
				t.runtime.Send(to.address, msg)
			}()
			<-done
		}), "go")
	}, false}
	p.play(sys, s.adapter.New)
	if mine != theirs && panicked == nil && sys.Failure() == nil && host.Late() == nil {
		s.breaks(foreign, p.name, "a goroutine that the handler of spy has started sends to receiver, and the run does not fail")
	}
}
