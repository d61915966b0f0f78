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

// floor is the least that a message loop can be: a ring of envelopes,
// allocated before, whose head is handed to its handler through an interface.
type floor struct {
	ring   []envelope
	head   int
	len    int
	actors []floorActor
}

type envelope struct {
	to   int32
	body any
}

type floorActor interface{ Receive(f *floor, msg any) }

func (f *floor) send(to int32, msg any) {
	i := f.head + f.len
	if i >= len(f.ring) {
		i -= len(f.ring)
	}
	f.ring[i] = envelope{to, msg}
	f.len++
}

func (f *floor) run() {
	for f.len > 0 {
		e := f.ring[f.head]
		if f.head++; f.head == len(f.ring) {
			f.head = 0
		}
		f.len--
		f.actors[e.to].Receive(f, e.body)
	}
}

type floorPasser struct {
	next int32
	left *int
}

func (p *floorPasser) Receive(f *floor, msg any) {
	if *p.left > 0 {
		*p.left--
		f.send(p.next, msg)
	}
}

func BenchmarkFloor(b *testing.B) {
	left := b.N
	f := &floor{ring: make([]envelope, 64)}
	for i := range int32(10) {
		f.actors = append(f.actors, &floorPasser{next: (i + 1) % 10, left: &left})
		f.send(i, tok)
	}
	b.ResetTimer()
	f.run()
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
