package pulse

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jostle-go/jostle/pulse/trace"
)

// Broken lists the invariants that do not hold. It is called between two steps,
// or while the system is not running.
func (s *System) Broken() []string {
	c := &invariants{System: s, places: make([]int, len(s.mail.sends))}
	c.cast()
	c.mailboxes()
	c.channels()
	c.placesOfMessages()
	c.ready()
	c.slots()
	c.clock()
	c.recorder()
	c.ends()
	return c.broken
}

// invariants checks all parts of a system.
type invariants struct {
	*System
	broken []string
	places []int // by slot: how many places have the slot's message
}

// holds records a broken invariant if the argument is is false.
func (c *invariants) holds(is bool, format string, args ...any) {
	if !is {
		c.broken = append(c.broken, fmt.Sprintf(format, args...))
	}
}

// cast checks invariants of the actors: that their parts have the same indices.
func (c *invariants) cast() {
	s := c.System
	c.holds(len(s.mail.boxes) == len(s.actors), "%d mailboxes of %d actors", len(s.mail.boxes), len(s.actors))
	c.holds(len(s.rec.trace.Actors) == len(s.actors), "the trace has %d of %d actors", len(s.rec.trace.Actors), len(s.actors))
	for i, a := range s.actors {
		n := int32(i)
		c.holds(a.actor == n && a.ctx.actor == n && a.ctx.sys == s, "actor %d has the index %d, its Ctx %d", i, a.actor, a.ctx.actor)
		c.holds(s.mail.boxes[i] == &a.mailbox, "the mailbox of actor %d is another's", i)
		c.holds(a.parent < n, "actor %d was spawned by %d", i, a.parent)
		c.holds(s.rec.trace.Actors[i].ID == a.id, "actor %d has another identity in the trace", i)
		c.holds(s.rec.trace.Actors[i].Ended == none || a.life == ended, "actor %d has ended in the trace, and lives", i)
		c.holds(a.safe == a.spec.Safe && (a.special || a.spec.New == nil && a.spec.Process == nil && a.spec.Actor == nil),
			"actor %d has a Spec of an older run", i)
		c.process(i, a)
		c.outwards(i, &a.ctx)
	}
	for _, p := range s.processes {
		c.holds(p.co == nil && p.body == nil, "a process that is not in use has code")
	}
	for _, co := range s.pool.idle {
		c.holds(co.pool == nil && co.body == nil, "a coroutine that is idle has code")
	}
}

func (c *invariants) process(i int, a *actor) {
	p := a.process
	if p == nil {
		c.holds(a.life != alive || a.spec.Process == nil, "actor %d is a process without code", i)
		return
	}
	c.holds(a.life == alive, "actor %d is not alive and has code", i)
	c.holds(p.co != nil && p.co.pool == &c.System.pool && p.co.body != nil, "the coroutine of actor %d is not in use", i)
	c.holds(p.Ctx == &a.ctx, "the process of actor %d has the Ctx of another", i)
}

// outwards checks the channels that a Ctx caches.
func (c *invariants) outwards(i int, ctx *Ctx) {
	for k, o := range ctx.out {
		if o.to >= 0 { // the entry is in use
			continue
		}
		to, h := ^o.to, c.mail.channels[o.channel]
		c.holds(int(uint32(to)%uint32(len(ctx.out))) == k && h.to == to && h.from == int32(i),
			"actor %d remembers channel %d from %d to %d as its channel to %d", i, o.channel, h.from, h.to, to)
	}
}

func (c *invariants) mailboxes() {
	choosy := 0
	for i, b := range c.mail.boxes {
		c.holds(b.open == (b.life == alive && b.accept == acceptAll), "mailbox %d: open %v, life %d, accepts %d", i, b.open, b.life, b.accept)
		if !b.open {
			choosy++
		}
		c.holds(b.accept != acceptMatching || c.mail.matches, "mailbox %d takes only what matches, and matches is not set", i)
	}
	c.holds(choosy == c.mail.choosy, "%d mailboxes are not open, choosy is %d", choosy, c.mail.choosy)
	flag := c.mail.unordered && (choosy > 0 || c.mail.cut >= 0 || c.mail.links.cuts > 0)
	c.holds(flag == (c.mail.onSend&workChoosy != 0), "workChoosy is %v", !flag)
}

// channels checks the channels. For each message, it counts in how many places the message is.
func (c *invariants) channels() {
	r := &c.mail
	c.holds(r.table.Len() == len(r.channels), "%d channels, %d in the table", len(r.channels), r.table.Len())
	inward := 0
	for i, b := range r.boxes {
		for k := b.inward; k >= 0 && inward <= len(r.channels); k = r.channels[k].sibling {
			c.holds(r.channels[k].to == int32(i), "channel %d to %d is among those to %d", k, r.channels[k].to, i)
			inward++
		}
	}
	c.holds(inward == len(r.channels), "%d of %d channels lead to actors", inward, len(r.channels))
	c.holds(r.unordered || len(r.channels) == 0 || cap(r.ready) > len(r.channels), "no room in ready for one more than %d", len(r.channels))
	for i := range r.channels {
		h := &r.channels[i]
		k, ok := r.table.Get(channelKey(h.from, h.to))
		c.holds(ok && int(k) == i, "channel %d is %d in the table", i, k)
		blocked := int32(0)
		if r.crosses(r.cut, h.from, h.to) {
			blocked++
		}
		if r.links.isCut(h.from, h.to) {
			blocked++
		}
		c.holds(h.blocked == blocked, "channel %d: blocked %d, expected %d", i, h.blocked, blocked)
		open := r.boxes[h.to].open && h.blocked == 0 && h.slow == 0
		c.holds(h.open == open, "channel %d: open %v, expected %v", i, h.open, open)
		c.queue(int32(i), h)
	}
}

// comesFrom returns the sender of a message's channel.
func comesFrom(d *trace.Send) int32 {
	timer := d.Kind == trace.Timer || d.Kind == trace.Periodic
	switch {
	case timer && d.From == d.To:
		return none
	case timer:
		return -2 - d.From
	}
	return d.From
}

// queue checks the messages in one channel.
func (c *invariants) queue(i int32, h *channel) {
	slow, seq, last := int32(0), int32(0), none
	for m := h.head; m >= 0; m = c.mail.sends[m].Next {
		d := &c.mail.sends[m]
		if c.places[m]++; c.places[m] > 1 {
			break // this place was counted before: the list may be a circle
		}
		c.holds(d.Channel == i && d.To == h.to && h.from == comesFrom(d),
			"message %d from %d to %d is in channel %d", m, d.From, d.To, i)
		c.holds(d.Seq > seq && d.Seq <= c.mail.seq, "message %d of channel %d is number %d, after %d", m, i, d.Seq, seq)
		if seq, last = d.Seq, m; c.mail.isSlow(m) {
			slow++
		}
	}
	c.holds(last == none || h.tail == last, "channel %d ends with %d, its tail is %d", i, last, h.tail)
	c.holds(h.slow == slow, "channel %d: %d messages are held up, expected %d", i, h.slow, slow)
	c.holds(h.head < 0 || c.mail.boxes[h.to].life == alive, "channel %d to %d, which is not alive, is not empty", i, h.to)
}

// placesOfMessages counts the places of all messages that are in no channel.
func (c *invariants) placesOfMessages() {
	if c.mail.unordered {
		for _, m := range c.mail.ready {
			c.places[m]++
		}
	}
	for _, m := range c.mail.held {
		c.places[m]++
	}
	for _, e := range c.System.clock.heap {
		if e.effect != unblock { // a message whose delay ends with effect unblock is also in its channel, where it was counted
			c.places[e.send]++
		}
	}
}

// ready checks that ready has exactly the messages that can be delivered.
func (c *invariants) ready() {
	r := &c.mail
	here := map[int32]int32{}
	want := map[int32]bool{}
	if r.unordered {
		for _, m := range slices.Concat(r.ready, r.held) {
			d := &r.sends[m]
			from := d.From
			if d.Kind == trace.Timer || d.Kind == trace.Periodic {
				from = none
			}
			b := r.boxes[d.To]
			c.holds(b.life == alive, "message %d waits for %d, which is not alive", m, d.To)
			want[m] = b.accepts(d) && !r.crosses(r.cut, from, d.To) && !r.links.isCut(from, d.To)
			here[d.To]++
		}
		for i, b := range r.boxes {
			c.holds(b.here == unknown || !b.open && here[int32(i)] <= b.here, "%d messages wait for %d, which knows of %d", here[int32(i)], i, b.here)
		}
	} else {
		for i := range r.channels {
			h := &r.channels[i]
			m := c.next(h)
			want[m] = m >= 0
			c.holds(h.open || h.candidate == m || h.candidate == none && m == none, "channel %d: candidate %d, expected %d", i, h.candidate, m)
		}
	}
	delete(want, none)
	seen := map[int32]bool{}
	for _, m := range r.ready {
		c.holds(want[m] && !seen[m], "message %d can be delivered: %v; it is in ready twice: %v", m, want[m], seen[m])
		seen[m] = true
	}
	for m, can := range want {
		c.holds(!can || seen[m], "message %d can be delivered and is not in ready", m)
	}
}

// next returns the message of a channel that can be delivered.
func (c *invariants) next(h *channel) int32 {
	if h.blocked > 0 {
		return none
	}
	for m, n := h.head, 0; m >= 0 && n < len(c.mail.sends); m, n = c.mail.sends[m].Next, n+1 {
		if c.mail.isSlow(m) {
			return none
		}
		if c.mail.boxes[h.to].accepts(&c.mail.sends[m]) {
			return m
		}
	}
	return none
}

// slots checks that each used slot is in exactly one list, and that the list
// fits the state of the slot's message.
func (c *invariants) slots() {
	r := &c.mail
	c.holds(r.keeps == c.rec.on, "slots are kept: %v", r.keeps)
	c.holds(r.orphans.lost == 0 || len(r.orphans.kept) == keptOrphans, "%d orphans lost, %d kept", r.orphans.lost, len(r.orphans.kept))
	past := 0
	if r.keeps {
		c.holds(r.free == none, "a slot of a recorded run is free")
		for m := range r.sends {
			pending := 0
			if r.sends[m].Fate == trace.Pending {
				pending = 1
			} else {
				past++
			}
			c.holds(c.places[m] == pending, "message %d, pending %d, is in %d places", m, pending, c.places[m])
		}
		c.holds(past == int(r.past), "%d messages are no longer on their way, past is %d", past, r.past)
		return
	}
	for m := r.free; m >= 0 && past <= len(r.sends); m = r.sends[m].Next {
		c.places[m]++
		past++
	}
	for _, m := range r.orphans.kept {
		c.places[m]++
	}
	for m, n := range c.places {
		c.holds(n == 1, "slot %d is in %d places", m, n)
	}
}

func (c *invariants) clock() {
	k := &c.System.clock
	periodic, slow := 0, 0
	numbers, own := map[int32]bool{}, map[int32]int32{}
	for i := range k.heap {
		e := &k.heap[i]
		c.holds(i == 0 || !e.sooner(&k.heap[(i-1)/2]), "entry %d of the clock is due before its parent", i)
		c.holds(e.at >= k.now, "entry %d of the clock is due at %d, it is %d", i, e.at, k.now)
		c.holds(e.number > 0 && e.number <= k.number && !numbers[e.number], "entry %d of the clock has number %d of %d", i, e.number, k.number)
		numbers[e.number] = true
		c.holds((e.effect >= unblock) == (e.actor == none) || e.effect == fire && c.mail.sends[e.send].From != c.mail.sends[e.send].To, "entry %d of the clock has effect %d and actor %d", i, e.effect, e.actor)
		c.holds(e.last == none || e.effect == tick && c.places[e.last] == 1 && c.mail.sends[e.last].Kind == trace.Periodic,
			"the last message of entry %d does not wait", i)
		c.holds(k.placeOf(e.send) == i && (e.last == none || k.placeOf(e.last) == i), "entry %d of the clock is not found", i)
		if e.actor >= 0 && e.effect <= tick {
			own[e.actor]++
		}
		if e.effect == tick {
			periodic++
		}
		if e.effect >= unblock {
			slow++
		}
	}
	for i, n := range k.owned {
		c.holds(n == own[int32(i)], "actor %d has %d timers, expected %d", i, n, own[int32(i)])
	}
	c.holds(periodic == k.periodic, "%d periodic timers, expected %d", k.periodic, periodic)
	c.holds(slow == c.mail.slow, "%d messages are held up, expected %d", c.mail.slow, slow)
}

func (c *invariants) recorder() {
	r := &c.rec
	c.holds(r.types.table.Len() == len(r.types.infos), "%d types, %d in the table", len(r.types.infos), r.types.table.Len())
	for _, t := range r.types.recent {
		i, ok := r.types.table.Get(uint64(t.word))
		c.holds(t == recentType{} || ok && int(i) < len(r.types.infos) && t.hash == r.types.infos[i].hash, "a recent type is not known")
	}
	c.holds(r.step < r.steps, "step %d of %d", r.step, r.steps)
	if !r.on {
		return
	}
	c.holds(len(r.trace.Steps) == int(r.steps), "%d steps in the trace of %d", len(r.trace.Steps), r.steps)
	last := make([]int32, len(c.actors))
	for i := range last {
		last[i] = none
	}
	for i := range r.trace.Steps {
		st := &r.trace.Steps[i]
		c.holds(st.Prev == last[st.Actor], "step %d comes after %d at its actor, expected %d", i, st.Prev, last[st.Actor])
		last[st.Actor] = int32(i)
	}
	for i, a := range c.actors {
		c.holds(a.last == last[i], "the last step of actor %d is %d, expected %d", i, a.last, last[i])
	}
}

// ends checks the invariants that concern the whole run.
func (c *invariants) ends() {
	l := &c.faults.left
	for _, n := range []int{l.Drop, l.Duplicate, l.Delay, l.Crash, l.RestartKept, l.RestartLost, l.Partition} {
		c.holds(n >= 0, "a budget is %d", n)
	}
	c.holds(!c.calls.running || c.calls.mine(), "another goroutine runs the step")
	c.holds(c.calls.dying == nil, "a coroutine is being killed between steps")
	c.holds(c.todo.afterStep == c.todo.everyStep, "a step has left %b to do", c.todo.afterStep)
	c.holds(c.todo.everyStep&c.todo.everyRun == c.todo.everyRun, "everyStep %b lacks some of everyRun %b", c.todo.everyStep, c.todo.everyRun)
}

// Invariants returns the broken invariants as one error, or nil.
func (s *System) Invariants() error {
	if list := s.Broken(); len(list) > 0 {
		return errors.New(strings.Join(list, "\n"))
	}
	return nil
}

// waitingSystem returns a system between two runs, with timers that are set. One
// of its processes waits for a certain message while other messages wait for it.
func waitingSystem(o Options) *System {
	s := New(o)
	sink := s.Spawn("sink", Func(func(*Ctx, any) {}))
	s.Send(sink, "early")
	s.Run()
	p := s.Go("picky", func(p *Process) {
		p.Every(time.Second, "tick")
		p.After(2*time.Second, "once")
		p.ReceiveMatch(func(msg any) bool { return msg == "wanted" })
	})
	s.Send(p, "one")
	s.Send(p, "two")
	s.RunFor(3 * time.Second / 2)
	s.Send(sink, "late")
	return s
}

// TestInvariantsCanary checks that each of the listed changes to a correct
// system breaks an invariant.
func TestInvariantsCanary(t *testing.T) {
	changes := []struct {
		name string
		do   func(*System)
	}{
		{"a message is lost from ready", func(s *System) { s.mail.ready = s.mail.ready[:0] }},
		{"a message is twice in ready", func(s *System) { s.mail.ready = append(s.mail.ready, s.mail.ready[0]) }},
		{"choosy is wrong", func(s *System) { s.mail.choosy++ }},
		{"matches is not set", func(s *System) { s.mail.matches = false }},
		{"a mailbox is open", func(s *System) { s.mail.boxes[2].open = true }},
		{"two timers are out of order", func(s *System) { h := s.clock.heap; h[0], h[1] = h[1], h[0] }},
		{"a timer is not found", func(s *System) { s.clock.places[s.clock.heap[0].send]++ }},
		{"an actor has more timers than it is known for", func(s *System) { s.clock.owned[s.clock.heap[0].actor]-- }},
		{"periodic is wrong", func(s *System) { s.clock.periodic++ }},
		{"an actor is another's", func(s *System) { s.actors[1].actor = 2 }},
		{"a mailbox is another's", func(s *System) { s.mail.boxes[1] = s.mail.boxes[2] }},
		{"a slot is forgotten", func(s *System) { s.mail.sends = append(s.mail.sends, trace.Send{}) }},
		{"a message is delayed and nobody knows", func(s *System) { s.mail.slow++ }},
		{"a process without its code", func(s *System) { s.actors[2].process = nil }},
		{"a type is forgotten", func(s *System) { s.rec.types.infos = s.rec.types.infos[1:] }},
		{"a step leaves work", func(s *System) { s.todo.afterStep |= workFilter }},
		{"a budget is overdrawn", func(s *System) { s.faults.left.Drop-- }},
		{"more waits than is known", func(s *System) { s.mail.boxes[2].here-- }}, // with Unordered delivery
	}
	unordered := changes[len(changes)-1:]
	changes = changes[:len(changes)-1]
	for _, o := range []Options{{}, {Record: true}, {Delivery: DeliveryUnordered}, {Delivery: DeliveryUnordered, Record: true}} {
		if o.Delivery == DeliveryUnordered {
			changes = append(changes, unordered...)
		}
		for _, change := range changes {
			s := waitingSystem(o)
			code := s.actors[2].process.co
			if err := s.Invariants(); err != nil {
				t.Fatalf("%v, recorded %v, as it is: %v", o.Delivery, o.Record, err)
			}
			change.do(s)
			if s.Invariants() == nil {
				t.Errorf("%v, recorded %v, %s: nothing is broken", o.Delivery, o.Record, change.name)
			}
			code.Kill()
			s.pool.close()
		}
	}
}

// TestChannelInvariantsCanary is TestInvariantsCanary for channels, whose
// planted faults need FIFO delivery.
func TestChannelInvariantsCanary(t *testing.T) {
	for name, change := range map[string]func(r *mailroom, h *channel){
		"the tail is another":        func(_ *mailroom, h *channel) { h.tail++ },
		"the channel is blocked":     func(_ *mailroom, h *channel) { h.blocked++ },
		"the channel is slow":        func(_ *mailroom, h *channel) { h.slow++ },
		"the channel is open":        func(_ *mailroom, h *channel) { h.open = true },
		"a candidate is not wanted":  func(r *mailroom, h *channel) { h.candidate = h.head; r.ready = append(r.ready, h.head) },
		"it is not in the table":     func(r *mailroom, _ *channel) { r.table.Reset() },
		"no actor knows the channel": func(r *mailroom, h *channel) { r.boxes[h.to].inward = none },
		"a message is a circle":      func(r *mailroom, h *channel) { r.sends[h.tail].Next = h.head },
		"a message is another's":     func(r *mailroom, h *channel) { r.sends[h.head].To = 0 },
	} {
		s := waitingSystem(Options{})
		c, ok := s.mail.table.Get(channelKey(trace.Test, 2))
		if !ok {
			t.Fatal("no channel from the test to the process")
		}
		change(&s.mail, &s.mail.channels[c])
		if s.Invariants() == nil {
			t.Errorf("%s: nothing is broken", name)
		}
		s.actors[2].process.co.Kill()
		s.pool.close()
	}
}
