package explore_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/pulse"
)

// In Erlang, a mailbox keeps the messages that a process passes over, in their order of arrival.
// ReceiveMatch keeps no such order, so it allows all orders of such a mailbox, and more. A process
// has exactly the orders of a mailbox if it takes every message by Receive, and stores those that
// it does not want yet.

// A mailbox stores the messages that its process has not wanted so far, in their order of arrival.
type mailbox struct {
	p    *pulse.Process
	kept []any
}

func (b *mailbox) receive(wanted func(any) bool) any {
	if i := slices.IndexFunc(b.kept, wanted); i >= 0 {
		m := b.kept[i]
		b.kept = slices.Delete(b.kept, i, i+1)
		return m
	}
	for {
		m := b.p.Receive()
		if wanted(m) {
			return m
		}
		b.kept = append(b.kept, m)
	}
}

// A letter is a message, with its kind and its sender.
type letter struct{ kind, sender int }

// A picky is a process that waits several times, each time for a message of certain kinds. After some of its waits
// it asks for one more letter. Each sender sends all of its letters in one step.
type picky struct {
	wants   []int // sets of kinds
	asks    []int // the kind of the letter requested after each wait; negative for none
	senders [][]letter
}

func newPicky(seed uint64) (p picky) {
	r := rand.New(rand.NewPCG(seed, 0x6d626f78))
	for s := range 1 + r.IntN(2) {
		var list []letter
		for range 1 + r.IntN(3) {
			list = append(list, letter{r.IntN(3), s})
		}
		p.senders = append(p.senders, list)
	}
	for range 1 + r.IntN(3) {
		p.wants = append(p.wants, 1+r.IntN(7))
		p.asks = append(p.asks, r.IntN(4)-1)
	}
	return p
}

func (p *picky) wanted(wait int, m letter) bool { return p.wants[wait]>>m.kind&1 != 0 }

// build adds the process, which receives in one of two ways. The process appends what it receives to got, and a
// full stop when it returns. If it waits forever, the full stop is missing.
func (p *picky) build(asMailbox bool, got *string) func(*pulse.System) func() error {
	return func(sys *pulse.System) func() error {
		*got = ""
		echo := sys.Spawn("echo", pulse.Func(func(ctx *pulse.Ctx, m any) { ctx.Send(ctx.Sender(), m) }))
		me := sys.Go("picky", func(c *pulse.Process) {
			box, receive := &mailbox{p: c}, c.ReceiveMatch
			if asMailbox {
				receive = box.receive
			}
			for i := range p.wants {
				m := receive(func(m any) bool { return p.wanted(i, m.(letter)) })
				*got += fmt.Sprint(m)
				if p.asks[i] >= 0 {
					c.Send(echo, letter{p.asks[i], len(p.senders)})
				}
			}
			*got += "."
		})
		for _, list := range p.senders {
			sender := sys.Spawn("sender", pulse.Func(func(ctx *pulse.Ctx, _ any) {
				for _, m := range list {
					ctx.Send(me, m)
				}
			}))
			sys.Send(sender, kind("go"))
		}
		return nil
	}
}

// receipts returns all sequences that the process can receive. It runs every distinct order.
func (p *picky) receipts(asMailbox bool) map[string]bool {
	found, got := map[string]bool{}, ""
	s := matched("picky", p.build(asMailbox, &got))
	v := s.result(counting{explore.Options{KeepOn: true}, 1}, func(explore.Run) { found[got] = true })
	if !v.Complete || v.Reduction != explore.Optimal {
		panic(fmt.Sprintf("%+v", v))
	}
	return found
}

// arrivals adds to found what a process with a mailbox receives, for every order in which the remaining letters
// can arrive.
func (p *picky) arrivals(wait int, box []letter, left [][]letter, got string, found map[string]bool) {
	for wait < len(p.wants) {
		i := slices.IndexFunc(box, func(m letter) bool { return p.wanted(wait, m) })
		if i < 0 {
			break
		}
		got += fmt.Sprint(box[i])
		box = slices.Concat(box[:i], box[i+1:])
		if p.asks[wait] >= 0 {
			left = slices.Clone(left)
			left[len(p.senders)] = append(slices.Clone(left[len(p.senders)]), letter{p.asks[wait], len(p.senders)})
		}
		if wait++; wait == len(p.wants) {
			found[got+"."] = true
			return
		}
	}
	arrives := false
	for s := range left {
		if len(left[s]) == 0 {
			continue
		}
		arrives = true
		rest := slices.Clone(left)
		rest[s] = left[s][1:]
		p.arrivals(wait, append(slices.Clone(box), left[s][0]), rest, got, found)
	}
	if !arrives {
		found[got] = true // the process waits forever
	}
}

// TestMailboxes compares both ways of receiving with a simulated mailbox, for random processes and every order of
// arrival.
func TestMailboxes(t *testing.T) {
	same, more := 0, 0
	for seed := range seeds(300) {
		p := newPicky(seed)
		want := map[string]bool{}
		p.arrivals(0, nil, append(slices.Clone(p.senders), nil), "", want)
		if got := p.receipts(true); !maps.Equal(got, want) {
			t.Fatalf("%+v: by Receive %v, in a mailbox %v", p, got, want)
		}
		got := p.receipts(false)
		for order := range want {
			if !got[order] {
				t.Fatalf("%+v: by ReceiveMatch %v, in a mailbox %v", p, got, want)
			}
		}
		same += count(len(got) == len(want))
		more += count(len(got) > len(want))
	}
	if t.Logf("ReceiveMatch has the orders of a mailbox in %d programs, and more in %d", same, more); same == 0 || more == 0 {
		t.Error("all are alike")
	}
}

// TestOrdersOfOneMailbox counts the orders of one process. The process first waits for the only letter of kind 1, and
// then asks for a letter of kind 2. Only with ReceiveMatch can kind 2 come before the letter of kind 0 that arrived
// before kind 1.
func TestOrdersOfOneMailbox(t *testing.T) {
	p := picky{
		wants: []int{1 << 1, 1<<0 | 1<<1, 7}, asks: []int{2, -1, 1},
		senders: [][]letter{{{0, 0}, {1, 0}}, {{0, 1}, {2, 1}, {0, 1}}},
	}
	if got, want := len(p.receipts(false)), 5; got != want {
		t.Errorf("%d orders by ReceiveMatch, want %d", got, want)
	}
	if got, want := len(p.receipts(true)), 4; got != want {
		t.Errorf("%d orders of a mailbox, want %d", got, want)
	}
}
