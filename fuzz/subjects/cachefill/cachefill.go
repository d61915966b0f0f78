// Package cachefill is an example program with a known bug. Its property: when the run ends, the
// cache has no old value.
//
// This kind of bug is known from caches in front of a database: a value that was read before a
// write is stored after the invalidation of that write. "Scaling Memcache at Facebook" (Nishtala
// et al., NSDI 2013) uses leases to avoid it, and issue 1881 of Guava (github.com/google/guava)
// reports it. The program is ours.
//
// A reader that misses gets a lease, reads the source, and fills the cache. An invalidation
// changes the lease number of the key, and the cache refuses a fill with an old number. In the
// broken form each entry counts its lease numbers from one. To save memory, an invalidation
// deletes an entry that expects no valid fill. So a slow fill is refused after the first
// invalidation, but the second invalidation deletes the entry's number. The next miss makes a new
// entry, which gives out the old number again. Then the slow fill is stored. In the mended form
// the cache counts the numbers of all entries together, so that no number is given out twice.
//
// The mended form is correct. A fill is stored only if no invalidation has come since its lease
// was given out, and its value was read after that. A write after the read is followed by an
// invalidation. If it comes before the fill, the fill is refused. If it comes after the fill, it
// deletes the value.
//
// Subject.Depth is 4, the least that random runs have shown. A fill must come after two
// invalidations and the next miss, but before the fill of that miss. Its value must be read
// before the last write.
package cachefill

import (
	"fmt"

	"github.com/jostle-go/jostle/pulse"
)

// Config chooses the program to build. The zero value is the broken form with three
// readers and three writes.
type Config struct {
	Readers int // 0 means 3
	Writes  int // the number of writes of the one writer; 0 means 3
	Mended  bool
}

// Build adds the program to a system. After the run, check returns an error if the
// property does not hold.
func (c Config) Build(sys *pulse.System) (check func() error) {
	readers, writes := c.Readers, c.Writes
	if readers == 0 {
		readers = 3
	}
	if writes == 0 {
		writes = 3
	}
	origin, cached := &source{value: 1}, &cache{reuses: !c.Mended}
	from, to := sys.Spawn("source", origin), sys.Spawn("cache", cached)
	for range readers {
		sys.Go("reader", func(p *pulse.Process) {
			if got := p.Ask(to, get{}).(answer); got.value == 0 {
				p.Send(to, fill{got.lease, p.Ask(from, read{}).(int)})
			}
		})
	}
	sys.Go("writer", func(p *pulse.Process) {
		for range writes {
			p.Ask(from, write{})
			p.Ask(to, invalidate{})
		}
	})
	return func() error {
		if e := cached.entry; e != nil && e.value != 0 && e.value != origin.value {
			return fmt.Errorf("the cache has the value %d, the source has %d", e.value, origin.value)
		}
		return nil
	}
}

type (
	read  struct{} // sent to the source, which returns the value
	write struct{} // sent to the source, which changes the value

	get        struct{}                   // sent to the cache, which returns an answer
	answer     struct{ value, lease int } // has the value, or else 0 and the lease number that a fill needs
	fill       struct{ lease, value int } // sent to the cache
	invalidate struct{}                   // sent to the cache
)

// A source has a value that is never zero.
type source struct{ value int }

func (s *source) Receive(ctx *pulse.Ctx, msg any) {
	if _, ok := msg.(write); ok {
		s.value++
	}
	ctx.Reply(s.value)
}

// A cache has at most one entry, since there is one key.
type cache struct {
	entry  *entry
	number int  // the last lease number given out
	reuses bool // set in the broken form: each entry counts its own lease numbers
}

// An entry is the state of the key in the cache.
type entry struct {
	value int // 0 if there is no value
	lease int // the lease number that a fill must have to be stored
	fills int // the number of fills with this lease number that may still come
}

// next returns a new lease number for an entry whose last number is last, 0 for a new entry.
func (c *cache) next(last int) int {
	if c.reuses {
		return last + 1
	}
	c.number++
	return c.number
}

func (c *cache) Receive(ctx *pulse.Ctx, msg any) {
	switch msg := msg.(type) {
	case get:
		if c.entry == nil {
			c.entry = &entry{lease: c.next(0)}
		}
		e := c.entry
		if e.value == 0 {
			e.fills++
		}
		ctx.Reply(answer{e.value, e.lease})
	case fill:
		if e := c.entry; e != nil && e.fills > 0 && e.lease == msg.lease {
			e.fills--
			if e.value == 0 {
				e.value = msg.value
			}
		}
	case invalidate:
		if e := c.entry; e != nil && e.fills == 0 {
			c.entry = nil
		} else if e != nil {
			*e = entry{lease: c.next(e.lease)}
		}
		ctx.Reply(nil)
	}
}
