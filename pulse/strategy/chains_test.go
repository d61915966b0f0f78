package strategy

import (
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A poset is a partial order of elements 0, 1, …: element i is above element j
// < i if entry j of row i is set.
type poset [][]bool

// add adds an element directly above some others.
func (p *poset) add(under ...int) {
	n := len(*p)
	row := make([]bool, n)
	for _, j := range under {
		row[j] = true
		for k, above := range (*p)[j] {
			row[k] = row[k] || above
		}
	}
	*p = append(*p, row)
}

// width is the size of the widest antichain. By Dilworth's theorem the width is the
// least number of chains, which is the number of elements that a maximum matching
// leaves unmatched. This code is slow, and independent of the code that it checks.
func (p poset) width() int {
	matched := make([]int, len(p)) // for each element, the lower element that it is matched to; -1 if none
	for i := range matched {
		matched[i] = -1
	}
	width := len(p)
	for low := range p {
		if p.match(low, matched, make([]bool, len(p))) {
			width--
		}
	}
	return width
}

func (p poset) match(low int, matched []int, tried []bool) bool {
	for high := low + 1; high < len(p); high++ {
		if !p[high][low] || tried[high] {
			continue
		}
		tried[high] = true
		if matched[high] < 0 || p.match(matched[high], matched, tried) {
			matched[high] = low
			return true
		}
	}
	return false
}

// check checks that chain partitions p into chains, and that their number is at most w(w+1)/2 for width w.
func (p poset) check(t *testing.T, chain []int32) (chains, width int) {
	t.Helper()
	top := map[int32]int{}
	for i, c := range chain {
		if last, any := top[c]; any && !p[i][last] {
			t.Fatalf("element %d is on top of %d in chain %d and not above it", i, last, c)
		}
		top[c] = i
	}
	chains, width = len(top), p.width()
	if chains > width*(width+1)/2 {
		t.Fatalf("%d chains for width %d, expected at most %d", chains, width, width*(width+1)/2)
	}
	return chains, width
}

// randomPoset returns a random poset of one of several shapes.
func randomPoset(r *rand.Rand) (p poset, under [][]int) {
	n, shape := 1+r.IntN(40), r.IntN(5)
	density, lanes := r.Float64(), 1+r.IntN(6)
	for i := range n {
		var list []int
		for j := range i {
			switch shape {
			case 0: // any element may be above any earlier one
				if r.Float64() < density*density/2 {
					list = append(list, j)
				}
			case 1: // elements lie above elements with close indexes only
				if i-j <= 2*lanes && r.Float64() < density {
					list = append(list, j)
				}
			case 2: // several long chains, with a few elements above elements of another chain
				if (i-j)%lanes == 0 || r.Float64() < density/20 {
					list = append(list, j)
				}
			case 3: // layers: an element is above some elements of the layer before
				if i/lanes == j/lanes+1 && r.Float64() < density {
					list = append(list, j)
				}
			}
		}
		if shape == 4 && i > 0 && r.Float64() < density { // a forest
			list = append(list, r.IntN(i))
		}
		p.add(list...)
		under = append(under, list)
	}
	return p, under
}

func TestChainsAreFew(t *testing.T) {
	tries := 5000
	if os.Getenv("JOSTLE_NIGHTLY") != "" {
		tries = 500_000
	}
	r := rand.New(rand.NewPCG(1, 2))
	var c chains
	most := 0.0
	for range tries {
		p, under := randomPoset(r)
		c.reset()
		var rows, chain []int32
		for i := range p {
			row := c.open()
			for _, j := range under[i] {
				c.join(row, rows[j])
			}
			rows, chain = append(rows, row), append(chain, c.place(row))
		}
		n, width := p.check(t, chain)
		most = max(most, float64(n)/float64(width))
	}
	t.Logf("%d posets; at most %.2f times the fewest chains", tries, most)
}

// TestChainsOfAnAntichain checks elements without any order, with more chains
// than one word has bits.
func TestChainsOfAnAntichain(t *testing.T) {
	var c chains
	for range 2 {
		c.reset()
		var p poset
		var rows, chain []int32
		for i := range 150 {
			p.add()
			rows, chain = append(rows, c.open()), append(chain, 0)
			chain[i] = c.place(rows[i])
		}
		for i := range 150 {
			p.add(i)
			row := c.open()
			c.join(row, rows[i])
			chain = append(chain, c.place(row))
		}
		if n, width := p.check(t, chain); n > 160 || width != 150 {
			t.Errorf("%d chains for width %d", n, width)
		}
	}
}

// sprawl is a program of a few actors that send messages and set timers at
// random.
type sprawl struct {
	random *rand.Rand
	actors []pulse.Ref
	left   int
}

func (s *sprawl) Receive(ctx *pulse.Ctx, msg any) {
	for range s.random.IntN(4) {
		if s.left == 0 {
			return
		}
		s.left--
		if s.random.IntN(4) == 0 {
			ctx.After(time.Duration(s.random.IntN(3)), msg)
			continue
		}
		ctx.Send(s.actors[s.random.IntN(len(s.actors))], msg)
	}
}

// TestChainsOfPrograms checks PCTCP's causal order against an order computed slowly from
// the whole trace. PCTCP itself forgets the parts of the trace that it no longer needs.
func TestChainsOfPrograms(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for i := range 2000 {
		s := PCTCP(PCTOptions{}).(*pctcp)
		o := pulse.Options{Strategy: s, Delivery: pulse.Delivery(i % 2)}
		sys := pulse.New(o)
		program := &sprawl{random: r, left: 40}
		for range 1 + r.IntN(5) {
			program.actors = append(program.actors, sys.Spawn("actor", program))
		}
		for range 1 + r.IntN(6) {
			sys.Send(program.actors[r.IntN(len(program.actors))], "message")
		}
		sys.Run()
		if f := sys.Failure(); f != nil {
			t.Fatal(f)
		}
		p, chain := causality(sys.Trace()), []int32{}
		for _, known := range s.known {
			chain = append(chain, known.chain)
		}
		p = p[:len(chain)] // PCTCP has not yet processed the messages of the last step
		p.check(t, chain)
		sys.Close()
	}
}

// causality is the causal order of a trace's messages. Timers are in no
// channel.
func causality(t *trace.Trace) (p poset) {
	for m := range t.Sends {
		s := &t.Sends[m]
		var under []int
		if s.Step >= 0 {
			under = append(under, int(t.Steps[s.Step].Send))
		}
		for before := range m {
			if b := &t.Sends[before]; !t.Unordered && b.From == s.From && b.To == s.To && !b.Kind.IsTimer() && !s.Kind.IsTimer() {
				under = append(under, before)
			}
		}
		p.add(under...)
	}
	return p
}
