// Package ackcompact is an example program with a known bug. Its property: a message whose
// acknowledgment was confirmed does not come again.
//
// Issue 4849 of Apache Pulsar (github.com/apache/pulsar), "Acknowledged messages get
// redelivered after broker failure", reports this kind of bug. Pull request 23495 there fixes
// such a bug of a compacted topic. The program is ours.
//
// A queue has two subscribers, and a broker delivers one message after the other to each. The
// broker has a store write each acknowledgment to a log, and then confirms it. When the log
// has grown, the store gives the log to a compactor, and holds new acknowledgments until the
// compacted log comes. A broker that restarts reads the log and delivers messages that are
// not acknowledged there. So an acknowledgment may come twice, and the store holds it once.
//
// In the broken form the store identifies a held acknowledgment by its message alone. If both
// subscribers acknowledge a message while the log is compacted, the store takes the second
// acknowledgment for a repetition of the first. The store drops the second acknowledgment,
// but confirms it. If the broker then restarts, the second subscriber gets the message again.
// In the mended form the store also compares the subscribers.
//
// The mended form is correct. Every acknowledgment that the store confirms is in its log, and
// the compactor removes only repetitions. A broker delivers only by a log that it has read
// since it started. It has delivered before any message that is confirmed later.
//
// Subject.Depth is 1, the least that random runs have shown, with a crash and a restart.
// Both acknowledgments of one message must come to the store while its log is at the
// compactor. The broker must crash after it has confirmed the second acknowledgment, and
// restart before the subscriber has acknowledged all messages.
package ackcompact

import (
	"fmt"
	"slices"

	"github.com/jostle-go/jostle/pulse"
)

// Config chooses the program to build. The zero value is the broken form with four
// messages, and a compaction after four acknowledgments.
type Config struct {
	Messages int // 0 means 4
	Every    int // the number of new acknowledgments after which the log is compacted; 0 means 4
	Mended   bool
}

// Options returns the options of a system in which the bug can occur: the broker may crash
// and restart.
func Options() pulse.Options {
	return pulse.Options{Faults: pulse.Faults{Crash: 1, RestartLost: 1}}
}

type (
	load    struct{}                // sent from the broker to the store
	loaded  struct{ log []record }  // sent from the store to the broker
	deliver struct{ message int }   // sent from the broker to a subscriber
	ack     struct{ message int }   // sent from a subscriber to the broker
	add     struct{ record record } // sent from the broker to the store
	added   struct{ record record } // sent from the store to the broker
	confirm struct{ message int }   // sent from the broker to a subscriber

	compact   struct{ log []record } // sent from the store to the compactor
	compacted struct{ log []record } // sent from the compactor to the store
)

// A record says that a subscriber has acknowledged a message.
type record struct{ message, subscriber int }

// Build adds the program to a system. After the run, check returns an error if the
// property does not hold.
func (c Config) Build(sys *pulse.System) (check func() error) {
	messages, every := c.Messages, c.Every
	if messages == 0 {
		messages = 4
	}
	if every == 0 {
		every = 4
	}
	s := &store{every: every, confuses: !c.Mended}
	s.compactor = sys.SpawnSpec(pulse.Spec{Name: "compactor", Actor: pulse.Func(compacts), Safe: true})
	keeps := sys.SpawnSpec(pulse.Spec{Name: "store", Actor: s, Safe: true})
	subscribers, refs := make([]*subscriber, 2), make([]pulse.Ref, 2)
	for i := range refs {
		subscribers[i] = &subscriber{confirmed: make([]bool, messages)}
		refs[i] = sys.SpawnSpec(pulse.Spec{Name: "subscriber", Actor: subscribers[i], Safe: true})
	}
	sys.SpawnSpec(pulse.Spec{Name: "broker", New: func() pulse.Actor {
		return &broker{store: keeps, subscribers: refs, messages: messages}
	}})
	return func() error {
		for i, s := range subscribers {
			if s.again != 0 {
				return fmt.Errorf("message %d came again to subscriber %d after its acknowledgment was confirmed", s.again, i+1)
			}
		}
		return nil
	}
}

// A subscriber acknowledges all that it gets.
type subscriber struct {
	confirmed []bool // by message
	again     int    // the number, from 1, of a message that came after its acknowledgment was confirmed; 0 if none
}

func (s *subscriber) Receive(ctx *pulse.Ctx, msg any) {
	switch msg := msg.(type) {
	case deliver:
		if s.confirmed[msg.message] {
			s.again = msg.message + 1
		}
		ctx.Reply(ack(msg))
	case confirm:
		s.confirmed[msg.message] = true
	}
}

// A broker delivers to each subscriber one message after the other.
type broker struct {
	store       pulse.Ref
	subscribers []pulse.Ref
	messages    int
	log         []record // the acknowledgments that the broker knows of
	ready       bool     // set once the broker has the log of the store
}

// Started asks the store for the log.
func (b *broker) Started(ctx *pulse.Ctx, _ pulse.Start) { ctx.Send(b.store, load{}) }

func (b *broker) Receive(ctx *pulse.Ctx, msg any) {
	switch msg := msg.(type) {
	case loaded:
		b.log, b.ready = msg.log, true
		for i := range b.subscribers {
			b.deliver(ctx, i)
		}
	case ack:
		ctx.Send(b.store, add{record{msg.message, slices.Index(b.subscribers, ctx.Sender())}})
	case added:
		r := msg.record
		b.log = append(slices.Clip(b.log), r)
		ctx.Send(b.subscribers[r.subscriber], confirm{r.message})
		if b.ready {
			b.deliver(ctx, r.subscriber)
		}
	}
}

// deliver delivers the first message that a subscriber has not acknowledged.
func (b *broker) deliver(ctx *pulse.Ctx, subscriber int) {
	for m := range b.messages {
		if !slices.Contains(b.log, record{m, subscriber}) {
			ctx.Send(b.subscribers[subscriber], deliver{m})
			return
		}
	}
}

// A store has the log of acknowledgments. A log is never changed in place.
type store struct {
	compactor pulse.Ref
	broker    pulse.Ref
	every     int
	log       []record
	since     int      // the number of records since the last compaction
	busy      bool     // set while the log is at the compactor
	held      []record // records to add when the log is back
	waiting   []record // records to confirm when the log is back
	confuses  bool     // set in the broken form: the store identifies a held record by its message alone
}

func (s *store) Receive(ctx *pulse.Ctx, msg any) {
	switch msg := msg.(type) {
	case load:
		s.broker = ctx.Sender()
		ctx.Reply(loaded{s.log})
	case add:
		if s.busy {
			s.hold(msg.record)
			return
		}
		s.add(ctx, msg.record)
		ctx.Reply(added(msg))
	case compacted:
		s.busy, s.log, s.since = false, msg.log, 0
		s.add(ctx, s.held...)
		for _, r := range s.waiting {
			ctx.Send(s.broker, added{r})
		}
		s.held, s.waiting = nil, nil
	}
}

// hold stores a record until the log is back.
func (s *store) hold(r record) {
	s.waiting = append(s.waiting, r)
	if !slices.ContainsFunc(s.held, func(h record) bool { return h == r || s.confuses && h.message == r.message }) {
		s.held = append(s.held, r)
	}
}

// add adds records to the log, and has the log compacted when it has grown.
func (s *store) add(ctx *pulse.Ctx, list ...record) {
	s.log, s.since = slices.Concat(s.log, list), s.since+len(list)
	if s.since >= s.every {
		s.busy = true
		ctx.Send(s.compactor, compact{s.log})
	}
}

// compacts is the handler of the compactor, which removes repeated records.
func compacts(ctx *pulse.Ctx, msg any) {
	var list []record
	for _, r := range msg.(compact).log {
		if !slices.Contains(list, r) {
			list = append(list, r)
		}
	}
	ctx.Reply(compacted{list})
}
