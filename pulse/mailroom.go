package pulse

import (
	"math"

	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A mailroom stores the messages that are in flight and knows which of them
// can be delivered now. With FIFO delivery messages wait in channels, with
// Unordered delivery individually. The mailroom knows actors only by their
// mailboxes.
//
// Invariants:
//   - Each message in flight is in exactly one place: in a channel (with FIFO
//     delivery), in the list ready or held (with Unordered delivery), or in
//     the clock until it arrives.
//   - The list ready has each deliverable message once. The receiver of such a
//     message is alive and accepts it, and no partition, cut or delay holds the
//     message up.
//   - With FIFO delivery the list ready has at most one message of each channel.
//   - Each slot, which is an index of sends, is in the list of free slots,
//     holds a message in flight, or is kept for the recorder or the orphans.
type mailroom struct {
	ready     []int32      // slots of the messages that can be delivered now
	sends     []trace.Send // the messages in flight; the index of a message is its slot; in a recorded run sends is also Trace.Sends
	channels  []channel
	moved     int   // the smallest index of ready at which a removal has moved entries since Enabled.Changed last read this field
	seq       int32 // number of messages that have entered a channel so far; the next one gets the next Seq
	front     int32 // the least Seq of a message that Host.Continue has sent, or zero
	taken     int32 // index of the closed channel from which a message was last taken
	past      int32 // in a recorded run, the number of messages that are no longer in flight
	limit     int32 // maximum number of messages in flight
	free      int32 // the first free slot, or none; Send.Next of a free slot is the next free slot
	onSend    work  // the kinds of extra work to do for each message sent
	unordered bool
	keeps     bool // set if the run is recorded, so that slots are not reused

	cut     int32      // the actor that a partition of Options.Faults separates from all others, or none
	links   links      // the links changed by a Nemesis
	slow    int        // number of delayed messages in flight
	choosy  int        // number of closed mailboxes
	matches bool       // set if in this run some actor has accepted only messages that match a predicate
	boxes   []*mailbox // for each actor, its mailbox
	table   hash.Table // maps channelKey to the index of a channel
	held    []int32    // with Unordered delivery, the messages that have arrived but are not deliverable now
	scratch []int32
	orphans orphans
	clock   *clock // the clock of the run, which ends delays
}

const none = trace.None

// A channel is the queue from one source to one receiver. The source is
// usually the sender. An actor's own timers and an actor's SendAfter messages
// have separate sources: see sourceOf.
//
// While a channel is open, its first message can be delivered. While a channel
// is closed, only its candidate can be delivered, if there is one: the first
// message that the receiver accepts.
//
// Invariants: the list ready has the head of each open channel and the
// candidate of each closed channel. A channel is open only while its fields
// blocked and slow are zero and the receiver's mailbox is open.
type channel struct {
	from, to   int32
	head, tail int32 // slots of the first and the last message; head is none if the channel is empty, and tail is then invalid
	sibling    int32 // index of the next channel to the same receiver, or none
	candidate  int32 // slot of the only message of a closed channel that can be delivered, or none
	blocked    int32 // number of partitions and cut links that block the channel
	slow       int32 // number of delayed messages in the channel
	open       bool
}

// orphans holds the first keptOrphans messages that were sent to actors that
// had ended. It only counts all further orphans.
//
// Invariant: the field lost is zero while the list kept is shorter than
// keptOrphans.
type orphans struct {
	kept []int32
	lost int
}

const keptOrphans = 64

// add stores the orphan in slot m if there is room, and otherwise only counts
// the orphan. It reports whether the orphan was stored.
func (o *orphans) add(m int32) bool {
	if len(o.kept) == keptOrphans {
		o.lost++
		return false
	}
	o.kept = append(o.kept, m)
	return true
}

func (o *orphans) count() int { return len(o.kept) + o.lost }

func (o *orphans) reset() { o.kept, o.lost = o.kept[:0], 0 }

// reset empties the mailroom and keeps its memory.
func (r *mailroom) reset() {
	r.ready, r.sends, r.channels = r.ready[:0], r.sends[:0], r.channels[:0]
	r.seq, r.front, r.past, r.free = 0, 0, 0, none
	r.cut, r.slow, r.choosy, r.matches = none, 0, 0, false
	r.table.Reset()
	r.boxes, r.held = r.boxes[:0], r.held[:0]
	r.orphans.reset()
	r.links.reset()
	r.onSend &^= workBounded | workObserve
	r.flagChoosy()
	r.flagLinks()
}

// newSlot returns a slot (an index of r.sends) for a new message, or none if
// there are too many messages. A recorded run reuses no slot, because r.sends
// is part of the trace.
func (r *mailroom) newSlot() int32 {
	if m := r.free; m >= 0 {
		r.free = r.sends[m].Next
		return m
	}
	m := len(r.sends)
	if int32(m)-r.past >= r.limit || m == math.MaxInt32 {
		return none
	}
	if m == cap(r.sends) {
		r.sends = append(r.sends, trace.Send{})
	}
	r.sends = r.sends[:m+1]
	return int32(m)
}

// copySlot copies the message in slot m into a new slot. It returns the new
// slot, or none if there are too many messages.
func (r *mailroom) copySlot(m int32) int32 {
	c := r.newSlot()
	if c >= 0 {
		r.sends[c] = r.sends[m]
		r.sends[c].ID = copyID(r.sends[m].ID)
	}
	return c
}

// release makes the slot of a message free for another message. In a recorded
// run the trace needs the message, so release only counts it.
func (r *mailroom) release(m int32) {
	if r.keeps {
		r.past++
		return
	}
	r.sends[m].Next = r.free
	r.free = m
}

// mayBeOrphan reports whether a message of kind k becomes an orphan if its
// receiver has ended. The answer to an Ask becomes no orphan, because it often
// races with the end of the actor that asked.
func mayBeOrphan(k trace.SendKind) bool {
	return k != trace.Down && k != trace.Kill && k != trace.Reply
}

// discard records what became of message m (see trace.Fate), and frees the
// slot of m. The message must be in no channel.
func (r *mailroom) discard(m int32, fate trace.Fate) {
	d := &r.sends[m]
	if d.Kind == trace.Poll {
		fate = trace.Dropped // the timeout message of a poll comes from the system, so it is not reported as an orphan
	}
	d.Fate = fate
	if fate == trace.Orphaned && mayBeOrphan(d.Kind) {
		if r.orphans.add(m) && !r.keeps {
			return // the report of orphans needs the message, so its slot is not freed
		}
	}
	r.release(m)
}

// undeliverable discards message m because its receiver has ended or has
// crashed.
func (r *mailroom) undeliverable(m int32, b *mailbox) {
	if b.life == down {
		r.discard(m, trace.Dropped)
		return
	}
	r.discard(m, trace.Orphaned)
}

// post puts a message into its channel or, with Unordered delivery, into the
// list ready or held. The parameter from is the source of that channel: see
// sourceOf.
func (r *mailroom) post(m, from int32) {
	d := &r.sends[m]
	if !r.unordered {
		d.Channel = r.channelOf(from, d.To)
		r.enqueue(d, m)
		return
	}
	r.seq++
	d.Seq = r.seq
	if r.onSend&workChoosy == 0 {
		r.ready = append(r.ready, m)
		return
	}
	r.arrive(m, from)
}

// enqueue appends a message to its channel.
func (r *mailroom) enqueue(d *trace.Send, m int32) {
	c := &r.channels[d.Channel]
	if !c.open {
		r.enqueueClosed(d, m, c)
		return
	}
	r.seq++
	d.Seq = r.seq
	r.append(c, d, m)
}

// append appends a message to an open channel. If the channel was empty, the
// message also enters the list ready. The code has no branch for an empty
// channel, because the processor could not predict the branch.
func (r *mailroom) append(c *channel, d *trace.Send, m int32) {
	head, before := c.head, c.tail
	empty := int(uint32(head) >> 31)
	if head < 0 {
		before = m
	}
	if head < 0 {
		head = m
	}
	r.sends[before].Next = m
	d.Next = none
	c.head, c.tail = head, m
	n := len(r.ready) // newChannel has ensured that n is less than cap(r.ready)
	r.ready[:n+1][n] = m
	r.ready = r.ready[:n+empty] // slicing the field itself makes the compiler store only the new length
}

// putFirst gives a message that is alone in its channel the least Seq of all, so that plain
// order delivers it next. With Unordered delivery, where Seq also names a channel, it does
// nothing.
func (r *mailroom) putFirst(m int32) {
	d := &r.sends[m]
	if !r.unordered && d.Fate == trace.Pending && d.Seq != 0 && r.channels[d.Channel].head == m {
		r.front--
		d.Seq = r.front
	}
}

// enqueueClosed appends a message to a closed channel. If the message becomes
// the channel's candidate, it also enters the list ready.
func (r *mailroom) enqueueClosed(d *trace.Send, m int32, c *channel) {
	r.seq++
	d.Seq, d.Next = r.seq, none
	b := r.boxes[c.to]
	if b.life != alive {
		r.undeliverable(m, b)
		return
	}
	if c.head < 0 {
		c.head = m
	} else {
		r.sends[c.tail].Next = m
	}
	c.tail = m
	if c.blocked == 0 && c.slow == 0 && c.candidate < 0 && b.accepts(d) {
		c.candidate = m
		r.ready = append(r.ready, m)
	}
}

func channelKey(from, to int32) uint64 { return uint64(uint32(from))<<32 | uint64(uint32(to)) }

// channelOf returns the index of the channel from a source to an actor. If
// there is no such channel, channelOf makes it.
func (r *mailroom) channelOf(from, to int32) int32 {
	if c, ok := r.table.Get(channelKey(from, to)); ok {
		return c
	}
	return r.newChannel(from, to)
}

func (r *mailroom) newChannel(from, to int32) int32 {
	n := len(r.channels)
	if n == cap(r.channels) {
		r.channels = append(r.channels, channel{})
	}
	r.channels = r.channels[:n+1]
	b, c := r.boxes[to], &r.channels[n]
	c.from, c.to, c.head, c.candidate = from, to, none, none
	c.sibling, b.inward = b.inward, int32(n)
	c.blocked, c.slow = 0, 0
	if r.crosses(r.cut, from, to) {
		c.blocked++
	}
	if r.links.isCut(from, to) {
		c.blocked++
	}
	c.open = b.open && c.blocked == 0
	// The method append relies on a capacity of ready that is larger than the
	// number of channels.
	if n+2 > cap(r.ready) {
		r.ready = append(r.ready, make([]int32, n+2-len(r.ready))...)[:len(r.ready)]
	}
	r.table.Put(channelKey(from, to), int32(n))
	return int32(n)
}

// removeReady removes entry k of the list ready and moves the last entry to
// index k.
func (r *mailroom) removeReady(k int) {
	last := len(r.ready) - 1
	r.ready[k] = r.ready[last]
	r.ready = r.ready[:last]
}

// removeReadyIf removes every message for which f returns true from the list
// ready. It keeps the order of the remaining messages.
func (r *mailroom) removeReadyIf(f func(slot int32) bool) {
	k := indexFunc(r.ready, f)
	if k < 0 {
		return
	}
	kept := r.ready[:k]
	for _, m := range r.ready[k+1:] {
		if !f(m) {
			kept = append(kept, m)
		}
	}
	r.moved = min(r.moved, k)
	r.ready = kept
}

// removeReadySlot removes the message in slot m from the list ready if the
// list has it. It keeps the order of the remaining messages.
func (r *mailroom) removeReadySlot(m int32) {
	k := indexOf(r.ready, m)
	if k < 0 {
		return
	}
	r.moved = min(r.moved, k)
	r.ready = append(r.ready[:k], r.ready[k+1:]...)
}

// takeClosed removes message m, which is entry k of the list ready, from a
// closed channel. The caller must then call refilter or sift, which finds the
// next candidate of the channel.
func (r *mailroom) takeClosed(k int, m int32, c *channel) {
	r.removeReady(k)
	r.taken = r.sends[m].Channel
	r.unlink(m, c)
}

// unlink removes message m, which may be at any position, from channel c.
func (r *mailroom) unlink(m int32, c *channel) {
	next := r.sends[m].Next
	if c.candidate == m {
		c.candidate = none
	}
	if c.head == m {
		c.head = next
		return
	}
	before := c.head
	for r.sends[before].Next != m {
		before = r.sends[before].Next
	}
	r.sends[before].Next = next
	if c.tail == m {
		c.tail = before
	}
}

// withdraw removes and discards a waiting message that is no longer wanted.
func (r *mailroom) withdraw(m int32) {
	r.removeReadySlot(m)
	d := &r.sends[m]
	slow := r.forgetDelay(m)
	b := r.boxes[d.To]
	if b.sifted = 0; b.here > 0 && !slow {
		b.here--
	}
	if r.unordered {
		r.held = deleteFunc(r.held, func(x int32) bool { return x == m })
	} else {
		c := &r.channels[d.Channel]
		r.unlink(m, c)
		if b.open && c.head >= 0 || slow {
			r.reopen(b)
		}
	}
	r.discard(m, trace.Dropped)
}

// forget withdraws the message of the given kind, an answer or a timeout, that
// is in flight to an actor and would end wait number ask. It is called when
// that wait is over. If there is no such message, forget does nothing.
func (r *mailroom) forget(to int32, kind trace.SendKind, ask int32) {
	is := func(m int32) bool {
		d := &r.sends[m]
		return d.To == to && d.Kind == kind && d.Ask == ask
	}
	if r.unordered {
		for _, list := range [...][]int32{r.ready, r.held, r.clock.delayed()} {
			if i := indexFunc(list, is); i >= 0 {
				r.withdraw(list[i])
				return
			}
		}
		return
	}
	for i := r.boxes[to].inward; i >= 0; i = r.channels[i].sibling {
		for m := r.channels[i].head; m >= 0; m = r.sends[m].Next {
			if is(m) {
				r.withdraw(m)
				return
			}
		}
	}
}

// forgetWait withdraws the messages in flight that would end the wait of a
// killed process, because a restarted process must not receive them. The
// timers of the process are already stopped.
func (r *mailroom) forgetWait(b *mailbox) {
	if b.await == 0 {
		return
	}
	if b.answered == b.await {
		r.forget(b.actor, trace.Reply, b.await)
	}
	r.forget(b.actor, trace.Timer, b.await)
	r.forget(b.actor, trace.Poll, b.await)
}

// empty discards all messages that wait for an actor.
func (r *mailroom) empty(b *mailbox, fate trace.Fate) {
	if r.unordered {
		r.emptyUnordered(b, fate)
		return
	}
	waiting := false
	for i := b.inward; i >= 0; i = r.channels[i].sibling {
		c := &r.channels[i]
		waiting = waiting || c.head >= 0
		for m := c.head; m >= 0; {
			next := r.sends[m].Next // discard may overwrite Next
			r.forgetDelay(m)
			r.discard(m, fate)
			m = next
		}
		c.head, c.candidate, c.open = none, none, false
	}
	if waiting {
		r.removeReadyIf(func(m int32) bool { return r.sends[m].To == b.actor })
	}
}

// sentTo returns the slots of the messages in flight to an actor, without the
// messages of timers that have not fired. With FIFO delivery the list is
// ordered by channel. With Unordered delivery delayed messages come last.
func (r *mailroom) sentTo(b *mailbox) []int32 {
	var list []int32
	add := func(m int32) {
		if r.sends[m].To == b.actor {
			list = append(list, m)
		}
	}
	if !r.unordered {
		for i := b.inward; i >= 0; i = r.channels[i].sibling {
			for m := r.channels[i].head; m >= 0; m = r.sends[m].Next {
				add(m)
			}
		}
		return list
	}
	for _, m := range r.ready {
		add(m)
	}
	for _, m := range r.held {
		add(m)
	}
	for _, m := range r.clock.delayed() {
		add(m)
	}
	return list
}

// waiting returns the slots of the messages that wait for an actor, in the
// order of arrival. With Unordered delivery it leaves out the messages that
// can be delivered and the delayed messages.
func (r *mailroom) waiting(b *mailbox) []int32 {
	var list []int32
	if r.unordered {
		for _, m := range r.held {
			if r.sends[m].To == b.actor {
				list = append(list, m)
			}
		}
	} else {
		for i := b.inward; i >= 0; i = r.channels[i].sibling {
			for m := r.channels[i].head; m >= 0; m = r.sends[m].Next {
				list = append(list, m)
			}
		}
	}
	sortFunc(list, r.compareArrival)
	return list
}

func (r *mailroom) compareArrival(x, y int32) int { return int(r.sends[x].Seq - r.sends[y].Seq) }
