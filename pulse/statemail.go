package pulse

import (
	"cmp"
	"slices"

	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/trace"
)

// channels writes the messages in flight with FIFO delivery. It writes the
// messages of each channel in their order. The channels are sorted by the
// identities of receiver and source.
func (w *stateWalk) channels() {
	s := w.sys
	w.Word(tagChannel)
	for _, to := range w.order {
		w.inward = w.inward[:0]
		for i := s.actors[to].inward; i >= 0; i = s.mail.channels[i].sibling {
			if s.mail.channels[i].head >= 0 {
				w.inward = append(w.inward, i)
			}
		}
		if len(w.inward) > 1 {
			slices.SortFunc(w.inward, func(x, y int32) int {
				return cmp.Compare(w.idOfSource(s.mail.channels[x].from), w.idOfSource(s.mail.channels[y].from))
			})
		}
		for _, i := range w.inward {
			c := &s.mail.channels[i]
			w.Say("\nchannel ")
			w.Hex(w.idOfSource(c.from))
			w.Hex(w.idOf(to))
			for m := c.head; m >= 0; m = s.mail.sends[m].Next {
				w.Tag(tagMessage, "← ")
				w.message(m, !c.open && c.candidate != m)
			}
		}
	}
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
	w.body(d)
}

// body writes the contents of a message. If the contents cannot be read, it
// writes the history that the sender had when it sent the message (see
// history.go).
func (w *stateWalk) body(d *trace.Send) {
	if w.Steady(d.Body) { // a body is steady if it cannot change; a steady body can always be read
		w.Value(d.Body)
	} else if !w.Try(d.Body) {
		w.miss(gap{kind: gapMessage, actor: d.From, body: d.Body, why: w.Why()})
		w.Tag(tagUnread, "unread ")
		w.Hex(hash.Fold(d.ID, w.historyAt(d.Step)))
	}
}
