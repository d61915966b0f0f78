// Package cachefill is a subject: when all is at rest, the cache has no old value.
//
// The kind of bug is known from caches in front of a database: a value that was read before
// a write is stored after the invalidation of that write. "Scaling Memcache at Facebook"
// (Nishtala et al., NSDI 2013) gives leases against it, and issue 1881 of Guava
// (github.com/google/guava) reports it. The program is ours.
//
// A reader that misses gets a lease, reads the source, and fills the cache. An invalidation
// changes the lease number of the key, and a fill with another number is refused. In the
// broken form each entry counts its lease numbers from one. An invalidation that finds an
// entry for which no valid fill is on its way deletes the entry, to save memory. So the
// first invalidation refuses a slow fill, and the second one deletes the number that
// does. The next miss makes a new entry, which gives out the old number again. Then the
// slow fill is stored. In the mended form the cache counts the numbers of all entries, so
// it gives out none twice.
//
// The mended form is right: a fill is stored only if no invalidation has come since its
// lease was given out, and its value was read after that. A write after the read is
// followed by an invalidation. It comes before the fill, which is then refused, or after
// it, and deletes the value.
//
// Depth 4 in the messages of plain order, in what random order has shown. A fill must come
// after two invalidations and the next miss, but before the fill of that miss. Its value
// must be read before the last write.
package cachefill

import (
	"fmt"

	"github.com/jostle-go/jostle/pulse"
)

// Config chooses the program to build. The zero value is the broken form with three
// readers and three writes.
type Config struct {
	Readers int // 0 means 3
	Writes  int // by one writer; 0 means 3
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
	read  struct{} // to the source: returns the value
	write struct{} // to the source: changes the value

	get        struct{}                   // to the cache: returns an answer
	answer     struct{ value, lease int } // the value, or 0 and the lease for a fill
	fill       struct{ lease, value int } // to the cache
	invalidate struct{}                   // to the cache
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
	number int  // the last lease number of all entries
	reuses bool // the mistake: each entry counts its own
}

// An entry is what the cache knows of its key.
type entry struct {
	value int // 0 when there is none
	lease int // the number that a fill needs
	fills int // how many fills with this number are to come
}

// next returns the lease number that follows the last one of an entry, or the first one.
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
