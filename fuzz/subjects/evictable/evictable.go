// Package evictable is a subject: who invalidates a cached value does not read it
// again.
//
// It comes from issue 22285 of Trino (github.com/trinodb/trino), "EvictableCache
// race condition can temporarily revive old entry", which a test there met in
// three of a million runs. The program is ours.
//
// A cache has two tables: one from a key to a token, and one from a token to the
// value. To invalidate a key is to count that, to take its token out of the first
// table, and then to drop its value from the second. To get a value is to look up
// or make a token, and then its value, which is loaded if there is none. The token
// may have been evicted meanwhile; if the count is what it was before, it is put
// back. The tables and the count are changed one at a time, each safely. In the
// broken form one who invalidates has counted before the get begins, and takes the
// token out; a second one, who has changed what is loaded, finds no token; the get
// puts it back; and the second reads the old value by it, which the first has not
// dropped yet, or which the get has loaded before the change and stored since. In the
// mended form the table of tokens counts what was taken out, also in vain, and puts
// no token back when that has changed.
//
// Depth 3 in the messages of plain order. The order of the report has six steps, at
// three actors: the count of the first who invalidates before the get, and that of
// the second too; the token looked up before it is taken out, and taken out before
// the second looks for it; put back after that; and the value read before it is
// dropped. No four delays show it.
package evictable

import (
	"fmt"

	"github.com/jostle-go/jostle/pulse"
)

// Config chooses the program to build. The zero value is the broken form with
// one who reads, one who invalidates, and one who changes the value.
type Config struct {
	Readers      int // 0 means 1
	Invalidators int // 0 means 1
	Mended       bool
}

// Build adds the program to a system. When the run is over, check
// returns an error if what must hold does not.
func (c Config) Build(sys *pulse.System) (check func() error) {
	k := &cache{
		tokens: sys.Spawn("tokens", &tokens{current: 1, made: 1, counts: c.Mended}),
		values: sys.Spawn("values", &values{of: []int{0, 1}}),
		count:  sys.Spawn("count", &number{}),
		source: sys.Spawn("source", &number{1}),
	}
	for range max(c.Invalidators, 1) {
		sys.Go("invalidator", k.invalidate)
	}
	got := 0
	sys.Go("changer", func(p *pulse.Process) {
		p.Ask(k.source, add{})
		k.invalidate(p)
		got = k.get(p)
	})
	for range max(c.Readers, 1) {
		sys.Go("reader", func(p *pulse.Process) { k.get(p) })
	}
	return func() error {
		if got == 1 {
			return fmt.Errorf("the old value was read after it had been changed and invalidated")
		}
		return nil
	}
}

// The requests. A token is a number from 1 on, and 0 is none.
type (
	add struct{} // to a number: adds one and returns it
	see struct{} // to a number: returns it

	token  struct{}                    // to the tokens: looks up or makes one; returns a ticket
	remove struct{}                    // to the tokens: takes it out and returns it
	revive struct{ ticket ticket }     // to the tokens: puts one back, if there is none
	find   struct{ token int }         // to the values: returns the value of a token, or 0
	store  struct{ token, value int }  // to the values
	drop   struct{ token int }         // to the values
	ticket struct{ token, before int } // before is how many were to be taken out before that
)

// A cache has one key. Those who use it run its code.
type cache struct{ tokens, values, count, source pulse.Ref }

func (k *cache) invalidate(p *pulse.Process) {
	p.Ask(k.count, add{})
	if token := p.Ask(k.tokens, remove{}).(int); token != 0 {
		p.Ask(k.values, drop{token})
	}
}

func (k *cache) get(p *pulse.Process) int {
	before := p.Ask(k.count, see{}).(int)
	t := p.Ask(k.tokens, token{}).(ticket)
	value := p.Ask(k.values, find{t.token}).(int)
	if value == 0 {
		value = p.Ask(k.source, see{}).(int)
		p.Ask(k.values, store{t.token, value})
	}
	if p.Ask(k.count, see{}).(int) == before {
		p.Ask(k.tokens, revive{t})
	}
	return value
}

// A number can be read and increased.
type number struct{ n int }

func (n *number) Receive(ctx *pulse.Ctx, msg any) {
	if _, ok := msg.(add); ok {
		n.n++
	}
	ctx.Reply(n.n)
}

// tokens has the token of the key.
type tokens struct {
	current int
	made    int
	removed int // how many times it was to be taken out
	counts  bool
}

func (t *tokens) Receive(ctx *pulse.Ctx, msg any) {
	switch msg := msg.(type) {
	case token:
		if t.current == 0 {
			t.made++
			t.current = t.made
		}
		ctx.Reply(ticket{t.current, t.removed})
	case remove:
		ctx.Reply(t.current)
		t.current = 0
		t.removed++
	case revive:
		if t.current == 0 && (!t.counts || t.removed == msg.ticket.before) {
			t.current = msg.ticket.token
		}
		ctx.Reply(nil)
	}
}

// values has the values by their tokens.
type values struct{ of []int }

func (v *values) Receive(ctx *pulse.Ctx, msg any) {
	switch msg := msg.(type) {
	case find:
		if msg.token < len(v.of) {
			ctx.Reply(v.of[msg.token])
			return
		}
		ctx.Reply(0)
	case store:
		v.set(msg.token, msg.value)
		ctx.Reply(nil)
	case drop:
		v.set(msg.token, 0)
		ctx.Reply(nil)
	}
}

func (v *values) set(token, value int) {
	for len(v.of) <= token {
		v.of = append(v.of, 0)
	}
	v.of[token] = value
}
