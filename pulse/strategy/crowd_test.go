package strategy_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/strategy"
)

func TestUnmix(t *testing.T) {
	for n := range uint64(1000) {
		for _, z := range []uint64{n, ^n, hash.Nth(1, n), 1 << (n % 64)} {
			if got := hash.Mix(strategy.Unmix(z)); got != z {
				t.Fatalf("the word of %#x makes %#x", z, got)
			}
		}
	}
}

func TestPower(t *testing.T) {
	for x := uint64(1); x < math.MaxUint64/3; x += x/50 + 1 {
		got, want := float64(strategy.Power(x))/(1<<64), math.Exp(-float64(x)/strategy.Unit)
		if math.Abs(got-want) > 1e-13 {
			t.Fatalf("e to the power of -%v is %v, want %v", float64(x)/strategy.Unit, got, want)
		}
	}
}

// expectEven fails if numbers from 0 to 1 are unlikely to be uniform.
func expectEven(t *testing.T, what string, tries int, draw func() float64) {
	t.Helper()
	counts := make([]int, 64)
	for range tries {
		counts[min(63, int(64*draw()))]++
	}
	if ok, chi, bound := isUniform(counts); !ok {
		t.Errorf("%s: chi-square %.1f, expected at most %.1f: %v", what, chi, bound, counts)
	}
}

func TestExponential(t *testing.T) {
	draw := strategy.Exponentials(5)
	expectEven(t, "exponential", runs(400_000), func() float64 { return math.Exp(-float64(draw()) / strategy.Unit) })
	expectEven(t, "its small numbers", runs(400_000), func() float64 {
		for {
			if x := float64(draw()) / strategy.Unit; x < 1.0/64 {
				return x * (1 - x/2) / (1.0/64 - 1.0/64/64/2)
			}
		}
	})
}

// TestHighest checks the distribution of the highest of n numbers: its n-th
// power is uniform.
func TestHighest(t *testing.T) {
	for _, n := range []int{1, 2, 3, 10, 49, 1000, 1_000_000} {
		draw := strategy.Highests(uint64(n), n)
		even := func() float64 { return math.Pow(float64(draw())/(1<<64), float64(n)) }
		expectEven(t, fmt.Sprint("of ", n), runs(200_000), even)
	}
}

// TestSettledCrowds checks the priorities that the method settle gives to the
// messages of a crowd. They are distributed as if each had been drawn
// individually. All orders of the messages have the same probability. The
// priorities of two messages are uniform, individually and jointly.
func TestSettledCrowds(t *testing.T) {
	trial.Long(t)
	for _, x := range []struct{ drawn, more int }{{2, 0}, {3, 0}, {4, 0}, {1, 3}, {2, 2}, {3, 1}} {
		n := x.drawn + x.more
		orders := map[string]int{}
		pairs := make([][]int, n*n)
		for i := range pairs {
			pairs[i] = make([]int, 64)
		}
		for seed := range runs(100_000) {
			list, same := strategy.Settled(hash.Nth(9, uint64(seed)), x.drawn, x.more)
			if !same {
				t.Fatalf("seed %d: another message is the best when the crowd is settled", seed)
			}
			by := []int{0, 1, 2, 3}[:n]
			slices.SortFunc(by, func(i, j int) int { return slices.Compare(list[i:i+1], list[j:j+1]) })
			orders[fmt.Sprint(by)]++
			for i := range n {
				for j := range i {
					pairs[i*n+j][list[i]>>61*8+list[j]>>61]++
				}
			}
		}
		counts := slices.Collect(maps.Values(orders))
		if want := []int{1, 1, 2, 6, 24}[n]; len(counts) != want {
			t.Fatalf("%v: %d orders, want %d", x, len(counts), want)
		}
		if ok, chi, bound := isUniform(counts); !ok {
			t.Errorf("%v: chi-square %.1f of orders, expected at most %.1f", x, chi, bound)
		}
		for i := range n {
			for j := range i {
				if ok, chi, bound := isUniform(pairs[i*n+j]); !ok {
					t.Errorf("%v: chi-square %.1f of messages %d and %d, expected at most %.1f", x, chi, i, j, bound)
				}
			}
		}
	}
}

// A brawl is a program with many orders: the test sends kicks to sources, which then send to
// two sinks. A referee cuts the link from one source to the first sink, and later heals it.
type brawl struct {
	sources, referee int
	overrule         bool // set if the test sometimes delivers another message than the strategy picks
	order            strings.Builder
}

func (p *brawl) run(sys *pulse.System, seed uint64) *pulse.Failure {
	sys.Reset(seed)
	p.order.Reset()
	note := func(where string, msg any) { fmt.Fprint(&p.order, where, msg, " ") }
	var sinks [2]pulse.Ref
	for i := range sinks {
		sinks[i] = sys.Spawn("sink", pulse.Func(func(ctx *pulse.Ctx, msg any) {
			note([]string{"a", "b"}[i], msg)
			if i == 0 && msg.(int) == 0 {
				ctx.Send(sinks[1], 7)
			}
		}))
	}
	var sources []pulse.Ref
	for n := range p.sources {
		sources = append(sources, sys.Spawn("source", pulse.Func(func(ctx *pulse.Ctx, _ any) {
			ctx.Send(sinks[0], n)
			ctx.Send(sinks[n%2], n+3)
		})))
		sys.Send(sources[n], kick{})
	}
	sys.Send(sinks[0], 9)
	referee := sys.Spawn("referee", pulse.Func(func(ctx *pulse.Ctx, msg any) {
		note("r", msg)
		if msg.(int)%2 == 0 {
			ctx.Nemesis().Cut(sources[0], sinks[0])
		} else {
			ctx.Nemesis().Heal()
		}
		if msg.(int)+1 < p.referee {
			ctx.Send(ctx.Self(), msg.(int)+1)
		}
	}))
	if p.referee > 0 {
		sys.Send(referee, 0)
	}
	sys.Run()
	return sys.Failure()
}

// A watched is a strategy whose crowds are checked in each pick. If
// overrule is set, it picks the oldest message every third time.
type watched struct {
	pulse.Strategy
	t        *testing.T
	overrule bool
	picks    int
}

func (w *watched) Needs() pulse.Needs { return pulse.NeedsOf(w.Strategy) }

func (w *watched) Begin(seed uint64) {
	w.picks = 0
	w.Strategy.Begin(seed)
}

func (w *watched) Pick(e *pulse.Enabled) int {
	k := w.Strategy.Pick(e)
	if err := strategy.CheckCrowds(w.Strategy); err != nil {
		w.t.Fatal(err)
	}
	if w.picks++; w.overrule && w.picks%3 == 0 {
		return e.Oldest()
	}
	return k
}

// TestCrowdsAreDrawnAsEach compares two frequencies of each order of a program,
// by chi-square: when all races are crowds, and when the priority of each
// message is drawn individually. The frequencies with Random differ, which
// shows that the comparison can fail. By day each program runs with one kind of
// delivery.
func TestCrowdsAreDrawnAsEach(t *testing.T) {
	programs := []*brawl{{sources: 2}, {sources: 3}, {sources: 2, referee: 2}, {sources: 1, referee: 4}, {sources: 2, referee: 2, overrule: true}}
	for i, p := range programs {
		for _, delivery := range []pulse.Delivery{pulse.DeliveryFIFO, pulse.DeliveryUnordered} {
			if i%2 != int(delivery)%2 && byDay(1, 0) == 1 {
				continue
			}
			t.Run(fmt.Sprintf("%d-%d-%v/%d", p.sources, p.referee, p.overrule, delivery), func(t *testing.T) {
				tries := byDay(7000, 30_000)
				orders := func(s pulse.Strategy, from int) map[string]int {
					w := &watched{Strategy: s, t: t, overrule: p.overrule}
					sys := pulse.New(pulse.Options{Strategy: w, Delivery: delivery})
					defer sys.Close()
					counts := map[string]int{}
					for seed := range tries {
						must(t, p.run(sys, uint64(from+seed)))
						counts[p.order.String()]++
					}
					return counts
				}
				each := orders(strategy.EachByItself(), tries)
				for _, than := range []int{1, 2} {
					if ok, chi, bound := isAlike(orders(strategy.POSOfCrowds(than), 0), each); !ok {
						t.Errorf("crowds of more than %d: chi-square %.1f, expected at most %.1f", than, chi, bound)
					}
				}
				if ok, _, _ := isAlike(orders(strategy.Random(), 0), each); ok {
					t.Error("Random's orders are as likely: the test shows nothing")
				}
			})
		}
	}
}

// isAlike reports whether two tallies of equal size are likely to have the same
// distribution. Orders that occurred less than 20 times in both form one class.
func isAlike(a, b map[string]int) (ok bool, chi, bound float64) {
	classes := map[string][2]int{}
	for name := range maps.Keys(a) {
		classes[name] = [2]int{a[name], b[name]}
	}
	for name := range maps.Keys(b) {
		classes[name] = [2]int{a[name], b[name]}
	}
	free, rest := -1, [2]int{}
	add := func(x [2]int) {
		if sum := float64(x[0] + x[1]); sum > 0 {
			free++
			chi += float64(x[0]-x[1]) * float64(x[0]-x[1]) / sum
		}
	}
	for _, x := range classes {
		if x[0]+x[1] < 20 {
			rest = [2]int{rest[0] + x[0], rest[1] + x[1]}
		} else {
			add(x)
		}
	}
	add(rest)
	bound = chiBound(float64(free))
	return chi <= bound, chi, bound
}
