package pulse

import (
	"cmp"
	"slices"

	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/trace"
)

// channels writes the messages in flight with FIFO delivery. It writes the
// messages of each channel in their order. The hash of the channels is a sum of
// parts. If memory may be shared, channels are written in the order of the
// identities of receiver and source. Otherwise their order does not matter.
func (w *stateWalk) channels() {
	s := w.sys
	w.Word(tagChannel)
	sum := uint64(0)
	if w.lone.on {
		for i := range s.mail.channels {
			if c := &s.mail.channels[i]; c.head >= 0 {
				sum += w.channel(c, w.idOfSource(c.from))
			}
		}
		w.Word(sum)
		return
	}
	for _, to := range w.order {
		w.inward = w.inward[:0]
		for i := s.actors[to].inward; i >= 0; i = s.mail.channels[i].sibling {
			if s.mail.channels[i].head >= 0 {
				w.inward = append(w.inward, inward{w.idOfSource(s.mail.channels[i].from), i})
			}
		}
		slices.SortFunc(w.inward, func(x, y inward) int { return cmp.Compare(x.source, y.source) })
		for _, x := range w.inward {
			sum += w.channel(&s.mail.channels[x.channel], x.source)
		}
	}
	w.Word(sum)
}

// channel writes the messages of a channel as a part, which it returns. The
// identity of the channel's source is source.
func (w *stateWalk) channel(c *channel, source uint64) uint64 {
	before := w.Part()
	w.Say("\nchannel ")
	w.Hex(source)
	w.Hex(w.idOf(c.to))
	for m := c.head; m >= 0; m = w.sys.mail.sends[m].Next {
		w.Tag(tagMessage, "← ")
		w.message(m, !c.open && c.candidate != m)
	}
	return w.EndPart(before)
}

// An inward is a channel with messages to one receiver.
type inward struct {
	source  uint64 // the identity of the channel's source
	channel int32
}

// cloud writes the messages in flight with Unordered delivery as a multiset.
// It sorts the messages by content, so that the numbers of shared pointers are
// the same in equal states.
func (w *stateWalk) cloud() {
	s := w.sys
	w.keyed = w.keyed[:0]
	for _, m := range s.mail.ready {
		w.addKeyed(m, false)
	}
	for _, m := range s.mail.held {
		w.addKeyed(m, true)
	}
	if s.mail.slow > 0 {
		for i := range s.clock.heap {
			if e := &s.clock.heap[i]; e.effect == release {
				w.addKeyed(e.send, true)
			}
		}
	}
	slices.SortFunc(w.keyed, func(x, y keyedSlot) int { return cmp.Compare(x.key, y.key) })
	for _, k := range w.keyed {
		if k.whole && !w.Texts() {
			w.Word(k.key)
			continue
		}
		w.Tag(tagMessage, "\nmessage ")
		w.ends(k.slot)
		w.message(k.slot, k.held)
	}
}

// A keyedSlot holds the slot of a message and a hash of the content. The hash
// does not cover which pointers the message shares with other messages.
type keyedSlot struct {
	key   uint64
	slot  int32
	held  bool
	whole bool // set if the message has no pointers, so that the field key covers the whole content
}

func (w *stateWalk) addKeyed(m int32, held bool) {
	probe := w.Probe()
	w.ends(m)
	w.message(m, held)
	w.keyed = append(w.keyed, keyedSlot{w.EndProbe(probe), m, held, w.Plain(w.sys.mail.sends[m].Body)})
}

func (w *stateWalk) ends(m int32) {
	d := &w.sys.mail.sends[m]
	w.Hex(w.idOf(d.From))
	w.Hex(w.idOf(d.To))
}

// message writes a message without its sender and receiver. It does not
// distinguish a duplicate from an ordinary message. held is set if the message
// cannot be delivered now.
func (w *stateWalk) message(m int32, held bool) {
	s := w.sys
	d := &s.mail.sends[m]
	kind := d.Kind
	if kind == trace.Copy {
		kind = trace.Message
	}
	if w.Texts() {
		w.Unsigned(uint64(kind))
		w.Signed(int64(d.Ask))
		w.Flag(held)
	} else {
		facts := uint64(kind) | uint64(uint32(d.Ask))<<16
		if held {
			facts |= 1 << 8
		}
		w.Word(facts)
	}
	if b := s.mail.boxes[d.To]; b.room > 0 && b.onFull == OnFullDropOldest {
		w.Signed(int64(s.mail.older(b, m)))
	}
	if s.mail.slow > 0 {
		if i := s.clock.delayOf(m); i >= 0 {
			w.Say("due ")
			w.Signed(s.clock.heap[i].at)
		}
	}
	if kind == trace.Periodic {
		w.Signed(w.timerIndex(func(e *entry) bool { return e.last == m }))
	}
	w.body(m)
}

// body writes the contents of message m. If the contents cannot be read, it
// writes the history that the sender had when it sent the message (see
// history.go).
func (w *stateWalk) body(m int32) {
	d := &w.sys.mail.sends[m]
	switch {
	case !w.Steady(d.Body):
		w.unsteady(d)
	case w.Texts():
		w.Value(d.Body)
	default:
		w.Word(w.bodySum(m))
	}
}

// unsteady writes the contents of a message that can change.
func (w *stateWalk) unsteady(d *trace.Send) {
	if !w.Try(d.Body) {
		w.miss(gap{kind: gapMessage, actor: d.From, body: d.Body, why: w.Why()})
		w.Tag(tagUnread, "unread ")
		w.Hex(hash.Fold(d.ID, w.historyAt(d.Step)))
	}
}

// bodySum returns the hash of message m, which cannot change and which every walk
// can read. It computes the hash once.
func (w *stateWalk) bodySum(m int32) uint64 {
	for int(m) >= len(w.bodies) {
		w.bodies = append(w.bodies, 0)
	}
	if w.bodies[m] == 0 {
		w.bodies[m] = w.SteadySum(w.sys.mail.sends[m].Body)
	}
	return w.bodies[m]
}
