package pulse

import (
	"math"

	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/trace"
)

// links holds the links that a Nemesis has changed. All other links work
// normally.
//
// Invariants: the field list has each changed link once. The field table maps
// the channelKey of a changed link to its index in list. cuts is the number of
// cut links. flawed is the number of links that lose or delay messages.
type links struct {
	list   []link
	table  hash.Table
	cuts   int
	flawed int
}

// A link is the connection from one actor to another, in one direction.
type link struct {
	from, to int32
	cut      bool  // set if messages on the link wait instead of being delivered
	lose     int   // number of further messages that the link loses; lossWithoutEnd means all
	delay    int64 // virtual time by which the link delays messages
}

const lossWithoutEnd = math.MaxInt

func (l *link) isFlawed() bool { return l.lose > 0 || l.delay > 0 }

// reset makes all links work normally.
func (l *links) reset() {
	if len(l.list) == 0 {
		return
	}
	l.list, l.cuts, l.flawed = l.list[:0], 0, 0
	l.table.Reset()
}

// find returns the entry of a link, or nil if the link was never changed.
func (l *links) find(from, to int32) *link {
	if len(l.list) == 0 {
		return nil
	}
	if i, ok := l.table.Get(channelKey(from, to)); ok {
		return &l.list[i]
	}
	return nil
}

// change applies f to a link and updates l.cuts and l.flawed.
func (l *links) change(from, to int32, f func(*link)) {
	x := l.find(from, to)
	if x == nil {
		l.table.Put(channelKey(from, to), int32(len(l.list)))
		l.list = append(l.list, link{from: from, to: to})
		x = &l.list[len(l.list)-1]
	}
	l.count(x, -1)
	f(x)
	l.count(x, +1)
}

func (l *links) count(x *link, by int) {
	if x.cut {
		l.cuts += by
	}
	if x.isFlawed() {
		l.flawed += by
	}
}

// isCut reports whether the link from one actor to another is cut.
func (l *links) isCut(from, to int32) bool {
	if l.cuts == 0 {
		return false
	}
	x := l.find(from, to)
	return x != nil && x.cut
}

// takes reports whether a link loses the message that is now sent on the link.
// If so, it counts the loss.
func (l *links) takes(from, to int32) bool {
	x := l.find(from, to)
	if x == nil || x.lose == 0 {
		return false
	}
	if x.lose != lossWithoutEnd {
		l.change(from, to, func(x *link) { x.lose-- })
	}
	return true
}

// delay returns the virtual time by which a link delays messages.
func (l *links) delay(from, to int32) int64 {
	if x := l.find(from, to); x != nil {
		return x.delay
	}
	return 0
}

// setLink changes a link by f. If f cuts or heals the link, setLink updates
// which messages can be delivered.
func (r *mailroom) setLink(from, to int32, f func(*link)) {
	was := r.links.isCut(from, to)
	r.links.change(from, to, f)
	r.flagLinks()
	if is := r.links.isCut(from, to); is != was {
		r.recut(from, to, is)
	}
}

// mendLinks makes all links work normally.
func (r *mailroom) mendLinks() {
	for i := range r.links.list {
		x := r.links.list[i]
		r.setLink(x.from, x.to, func(x *link) { x.cut, x.lose, x.delay = false, 0, 0 })
	}
	r.links.reset()
}

// recut updates which messages can be delivered after a link was cut or healed.
func (r *mailroom) recut(from, to int32, cut bool) {
	r.flagChoosy()
	if !r.unordered {
		i, ok := r.table.Get(channelKey(from, to))
		if !ok {
			return
		}
		if cut {
			r.channels[i].blocked++
		} else {
			r.channels[i].blocked--
		}
	}
	if b := r.boxes[to]; b.life == alive {
		r.reopen(b)
	}
}

// flagLinks sets the bit workLinks of r.onSend if some link loses or delays
// messages, and otherwise clears the bit. If the bit is set, each send checks
// its link.
func (r *mailroom) flagLinks() {
	r.onSend &^= workLinks
	if r.links.flawed > 0 {
		r.onSend |= workLinks
	}
}

// waitsAtCut reports whether some message waits on a cut link.
func (r *mailroom) waitsAtCut() bool {
	if r.links.cuts == 0 {
		return false
	}
	for _, m := range r.held {
		if d := &r.sends[m]; r.links.isCut(sourceOf(d), d.To) {
			return true
		}
	}
	for i := range r.channels {
		if c := &r.channels[i]; c.head >= 0 && r.links.isCut(c.from, c.to) {
			return true
		}
	}
	return false
}

// suffersLink reports whether the link of message m loses the message. If so,
// suffersLink discards the message.
func (t *traffic) suffersLink(m int32) bool {
	d := &t.mail.sends[m]
	if d.Kind != trace.Message && d.Kind != trace.Reply || !t.mail.links.takes(d.From, d.To) {
		return false
	}
	if d.From != t.rec.cur { // which messages are lost depends on the order of the sender's messages, so this step conflicts with the sender's steps
		t.rec.touch(d.From, trace.ItsSteps, 0)
	}
	t.mail.flagLinks()
	t.mail.discard(m, trace.Dropped)
	return true
}

// linkDelay returns the virtual time by which the link of message m delays the
// message, or 0.
func (t *traffic) linkDelay(m int32) int64 {
	d := &t.mail.sends[m]
	if t.mail.onSend&workLinks == 0 || d.Kind != trace.Message && d.Kind != trace.Reply && d.Kind != trace.Copy {
		return 0
	}
	return t.mail.links.delay(d.From, d.To)
}

// heldByLink reports whether the link of message m delays the message. If so,
// heldByLink starts the delay.
func (t *traffic) heldByLink(m int32) bool {
	by := t.linkDelay(m)
	if by == 0 {
		return false
	}
	t.mail.delay(m, addTime(t.clock.now, by))
	return true
}

// launch puts message m into its channel (see post): at once or, if the link of
// m delays messages, after the delay.
func (t *traffic) launch(m int32) {
	if !t.heldByLink(m) {
		t.mail.post(m, t.mail.sends[m].From)
	}
}
