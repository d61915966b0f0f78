package pulse_test

import (
	"testing"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/strategy"
)

type token struct{ n int }

var tok any = &token{}

type passer struct {
	next pulse.Ref
	left *int
}

func (p *passer) Receive(ctx *pulse.Ctx, msg any) {
	if *p.left > 0 {
		*p.left--
		ctx.Send(p.next, msg)
	}
}

// floor
type floorActor interface{ Receive(c *floorCtx, msg any) }
type floorCtx struct {
	q    []any
	head int
	to   []int32
	tail int
	acts []floorActor
}
type floorPasser struct {
	next int32
	left *int
}

func (p *floorPasser) Receive(c *floorCtx, msg any) {
	if *p.left > 0 {
		*p.left--
		c.q[c.tail&1023] = msg
		c.to[c.tail&1023] = p.next
		c.tail++
	}
}
func (c *floorCtx) run() {
	for c.head != c.tail {
		m := c.q[c.head&1023]
		to := c.to[c.head&1023]
		c.head++
		c.acts[to].Receive(c, m)
	}
}

func BenchmarkFloor(b *testing.B) {
	left := b.N
	c := &floorCtx{q: make([]any, 1024), to: make([]int32, 1024)}
	for i := range 10 {
		c.acts = append(c.acts, &floorPasser{next: int32((i + 1) % 10), left: &left})
	}
	for i := range 10 {
		c.q[i] = tok
		c.to[i] = int32(i)
		c.tail++
	}
	b.ResetTimer()
	c.run()
}

func benchRing(b *testing.B, o pulse.Options, tokens int) {
	left := 0
	o.Steps = 1 << 30
	sys := pulse.New(o)
	const chunk = 1000
	ps := make([]*passer, 10)
	for i := range ps {
		ps[i] = &passer{left: &left}
	}
	b.ReportAllocs()
	b.ResetTimer()
	for n := 0; n < b.N; n += chunk {
		sys.Reset(uint64(n))
		left = chunk - tokens
		var first, prev pulse.Ref
		refs := [10]pulse.Ref{}
		for i := range ps {
			refs[i] = sys.Spawn("p", ps[i])
		}
		_ = first
		_ = prev
		for i := range ps {
			ps[i].next = refs[(i+1)%10]
		}
		for i := range tokens {
			sys.Send(refs[i], tok)
		}
		if f := sys.Run(); f != nil {
			b.Fatal(f)
		}
	}
}

func BenchmarkRing1FIFO(b *testing.B)  { benchRing(b, pulse.Options{Strategy: strategy.Random()}, 1) }
func BenchmarkRing10FIFO(b *testing.B) { benchRing(b, pulse.Options{Strategy: strategy.Random()}, 10) }
func BenchmarkRing10Unordered(b *testing.B) {
	benchRing(b, pulse.Options{Strategy: strategy.Random(), Delivery: pulse.Unordered}, 10)
}
func BenchmarkRing10Trace(b *testing.B) {
	benchRing(b, pulse.Options{Strategy: strategy.Random(), Record: true}, 10)
}
