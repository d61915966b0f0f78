package pulse

import (
	"github.com/jostle-go/jostle/pulse/trace"
)

// This file holds up messages at partitions and during delays.

// crosses reports whether messages between two actors cross the partition that
// separates actor cut from all others. A partition never separates the test or
// safe actors.
func (r *mailroom) crosses(cut, from, to int32) bool {
	return cut >= 0 && (from == cut) != (to == cut) && from > trace.Test && to > trace.Test &&
		!r.boxes[from].safe && !r.boxes[to].safe
}

// partition separates an actor from all others.
func (r *mailroom) partition(actor int32) {
	r.cut = actor
	r.block(actor, +1)
}

// heal ends the current partition.
func (r *mailroom) heal() {
	actor := r.cut
	r.cut = none
	r.block(actor, -1)
}

// block adds delta to the field blocked of each channel that crosses a
// partition between actor and all other actors. It then updates which messages
// can be delivered.
func (r *mailroom) block(actor, delta int32) {
	r.flagChoosy()
	for i := range r.channels {
		c := &r.channels[i]
		if r.crosses(actor, c.from, c.to) {
			c.blocked += delta
		}
	}
	for _, b := range r.boxes {
		if b.life == alive {
			r.reopen(b)
		}
	}
}

// delay delays message m, which has just been sent, until the time at.
func (r *mailroom) delay(m int32, at int64) {
	d := &r.sends[m]
	e := entry{at: at, send: m, actor: none, effect: release, last: none}
	b := r.boxes[d.To]
	if !r.unordered {
		r.post(m, d.From)
		if b.life != alive {
			return // post has discarded the message, because its receiver is not alive
		}
		e.effect = unblock
		r.channels[d.Channel].slow++
	}
	r.slow++
	r.clock.push(e)
	if !r.unordered {
		r.reopen(b)
	}
}

// endDelay ends the delay of the message of clock entry e.
func (r *mailroom) endDelay(e *entry) {
	r.slow--
	if e.effect == release {
		r.post(e.send, r.sends[e.send].From)
		return
	}
	c := &r.channels[r.sends[e.send].Channel]
	c.slow--
	r.reopen(r.boxes[c.to])
}

func (r *mailroom) isSlow(m int32) bool { return r.clock.delayOf(m) >= 0 }

// forgetDelay removes the delay of a message that is withdrawn or discarded,
// and reports whether the message was delayed.
func (r *mailroom) forgetDelay(m int32) bool {
	if r.slow == 0 {
		return false
	}
	i := r.clock.delayOf(m)
	if i < 0 {
		return false
	}
	if r.clock.heap[i].effect == unblock {
		r.channels[r.sends[m].Channel].slow--
	}
	r.slow--
	r.clock.removeAt(i)
	return true
}

// arrive stores a message with Unordered delivery. It adds the message to the
// list ready if the message can be delivered, and otherwise to the list held.
// arrive is needed only while a mailbox is closed, or while there is a
// partition or a cut link.
func (r *mailroom) arrive(m, from int32) {
	b := r.boxes[r.sends[m].To]
	if b.life != alive {
		r.undeliverable(m, b)
		return
	}
	if b.here != unknown {
		b.here++
	}
	if !r.crosses(r.cut, from, b.actor) && !r.links.isCut(from, b.actor) && b.accepts(&r.sends[m]) {
		r.ready = append(r.ready, m)
		return
	}
	r.held = append(r.held, m)
}

// refilterUnordered implements refilter for Unordered delivery. Messages to
// the actor that can be delivered now go to the list ready, all others to the
// list held.
func (r *mailroom) refilterUnordered(b *mailbox) {
	if b.here == 0 {
		return
	}
	mine := r.scratch[:0]
	gather := func(m int32) bool {
		if r.sends[m].To != b.actor {
			return false
		}
		mine = append(mine, m)
		return true
	}
	r.removeReadyIf(gather)
	r.held = deleteFunc(r.held, gather)
	sortFunc(mine, r.compareArrival)
	if b.here = unknown; !b.open {
		b.here = 0 // the calls to arrive below count the messages again
	}
	for _, m := range mine {
		r.arrive(m, sourceOf(&r.sends[m]))
	}
	r.scratch = mine[:0]
}

// emptyUnordered implements empty, which discards an actor's messages, for
// Unordered delivery.
func (r *mailroom) emptyUnordered(b *mailbox, fate trace.Fate) {
	if b.here == 0 {
		return
	}
	drop := func(m int32) bool {
		if r.sends[m].To != b.actor {
			return false
		}
		r.discard(m, fate)
		return true
	}
	r.removeReadyIf(drop)
	r.held = deleteFunc(r.held, drop)
	if b.here = unknown; !b.open {
		b.here = 0
	}
}
