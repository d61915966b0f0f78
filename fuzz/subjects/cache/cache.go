// Package cache is an example program with a known bug. Its property: a cache returns
// the value that was put under a key, or nothing.
//
// Many small caches have this bug: they find a slot by a part of the key, and return
// the slot's value without comparing the keys. The program is ours.
//
// A reader puts a value and gets it back, while a writer puts a value under another
// key. If both keys share a slot and the writer's put comes in between, the reader
// gets the writer's value.
//
// Subject.Depth is 1: the writer's put comes after the reader's put. Inputs matter,
// because only one in 67 random pairs of keys shares a slot.
package cache

import (
	"fmt"

	"github.com/jostle-go/jostle/pulse"
)

// slots is the number of values that the cache holds.
const slots = 50

// Config chooses the program to build. The zero value is the broken form with
// two keys that share a slot.
type Config struct {
	Reader, Writer int // the keys of the reader and of the writer; both zero means 1 and 51
	Mended         bool
}

type (
	put  struct{ key, value int }
	done struct{}
	get  struct{ key int }
	hit  struct{ value int }
	miss struct{}
)

// Build adds the program to a system. After the run, check returns an error if the
// property does not hold.
func (c Config) Build(sys *pulse.System) (check func() error) {
	if c.Reader == 0 && c.Writer == 0 {
		c.Reader, c.Writer = 1, 1+slots
	}
	var got any
	store := sys.Spawn("cache", &cache{compares: c.Mended})
	sys.Go("writer", func(p *pulse.Process) { p.Ask(store, put{c.Writer, 2}) })
	sys.Go("reader", func(p *pulse.Process) {
		p.Ask(store, put{c.Reader, 1})
		got = p.Ask(store, get{c.Reader})
	})
	return func() error {
		if h, is := got.(hit); is && h.value != 1 && c.Reader != c.Writer {
			return fmt.Errorf("key %d has the value %d, which was put under another key", c.Reader, h.value)
		}
		return nil
	}
}

// A cache stores the last value that was put into each slot.
type cache struct {
	compares bool
	held     [slots]put
}

func (c *cache) Receive(ctx *pulse.Ctx, msg any) {
	switch msg := msg.(type) {
	case put:
		c.held[msg.key%slots] = msg
		ctx.Reply(done{})
	case get:
		h := c.held[msg.key%slots]
		if h.value == 0 || c.compares && h.key != msg.key {
			ctx.Reply(miss{})
			return
		}
		ctx.Reply(hit{h.value})
	}
}
