// Package evictable is an example program with a known bug. Its property: a client that
// invalidates a cached value does not read it again.
//
// It comes from issue 22285 of Trino (github.com/trinodb/trino), "EvictableCache race condition
// can temporarily revive old entry", which a test there showed in three of a million runs. The
// program is ours.
//
// A cache has two tables: one from a key to a token, and one from a token to the value. An
// invalidation increases a count, removes the key's token from the first table, and then drops
// its value from the second. A get looks up or makes a token, and then looks up or loads its
// value. The token may have been evicted meanwhile. If the count has not changed, the get puts
// the token back. Each single access to a table or to the count is atomic.
//
// In the broken form the first invalidation increases the count before the get begins, and then
// removes the token. A second invalidation, which follows a change of the loaded data, finds no
// token. Then the get puts the token back, and the second client uses the token to read the old
// value. Either the first invalidation has not dropped that value yet, or the get loaded it
// before the change and has stored it since. In the mended form the table of tokens counts
// removals, including those that find no token. It puts no token back if that count has changed.
//
// Subject.Depth is 3. The reported order has six parts, at three actors. Both invalidations
// increase the count before the get reads it. The token is looked up before it is removed, and
// removed before the second invalidation looks for it. The token is put back after that, and
// the value is read before it is dropped. Four delays are not enough for a delay-bounded
// search.
package evictable

import (
	"fmt"

	"github.com/jostle-go/jostle/pulse"
)

// Config chooses the program to build. The zero value is the broken form with one
// reader, one invalidator, and one process that changes the value.
type Config struct {
	Readers      int // 0 means 1
	Invalidators int // 0 means 1
	Mended       bool
}

// Build adds the program to a system. After the run, check returns an error if the
// property does not hold.
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

// The requests to the cache's actors. A token is a positive number, and 0 means no token.
type (
	add struct{} // sent to an actor number, which adds one and returns the sum
	see struct{} // sent to an actor number, which returns its value

	token  struct{}                    // sent to the actor tokens, which looks up or makes a token and returns a ticket
	remove struct{}                    // sent to the actor tokens, which removes the token and returns it
	revive struct{ ticket ticket }     // sent to the actor tokens, which puts the ticket's token back if it has no token
	find   struct{ token int }         // sent to the actor values, which returns the value of a token, or 0
	store  struct{ token, value int }  // sent to the actor values, which stores the value of a token
	drop   struct{ token int }         // sent to the actor values, which removes the value of a token
	ticket struct{ token, before int } // a token, and the number of removals (before) when it was looked up
)

// A cache has one key. The processes that use the cache call its methods.
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

// A number is an actor with a number n, which can be read and increased by one.
type number struct{ n int }

func (n *number) Receive(ctx *pulse.Ctx, msg any) {
	if _, ok := msg.(add); ok {
		n.n++
	}
	ctx.Reply(n.n)
}

// tokens is the actor with the table of tokens, which has one key.
type tokens struct {
	current int
	made    int
	removed int // the number of removals, including those that found no token
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

// values is the actor with the table of values, indexed by token.
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
