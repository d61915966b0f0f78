package pulse_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/trace"
)

// These tests compare Swappable with the orders that are possible. They run all
// orders of tiny programs, which have no timers, no faults, and no actors that
// end. Let a and b be two receives of one plain actor, a before b. The causal
// past of a step is everything that happened before it.
//
//   - If Swappable(a, b) is true, b comes before a in some order in which both messages
// are sent with the same causal past.
//   - If Swappable(a, b) is false, there is no such order.
//
// The programs have no processes, because Swappable does not consider which
// messages a process accepts.

// An odometer is a strategy that tries all orders, one in each run.
type odometer struct {
	path []digit
	at   int
}

type digit struct{ value, of int }

func (o *odometer) Begin(uint64) { o.at = 0 }

func (o *odometer) Pick(e *pulse.Enabled) int {
	if o.at == len(o.path) {
		o.path = append(o.path, digit{0, e.Len()})
	}
	o.at++
	return o.path[o.at-1].value
}

func (o *odometer) Choose(choice.Kind, int) int { return 0 }

// next advances to the next order, and reports whether there is one.
func (o *odometer) next() bool {
	for n := len(o.path); n > 0; n-- {
		d := &o.path[n-1]
		if d.value++; d.value < d.of {
			o.path = o.path[:n]
			return true
		}
	}
	return false
}

// A reactor counts the messages it receives. Its rule for each count says to
// which actors it then sends a message. So its actions depend only on the
// number of messages before.
type reactor struct {
	rules [3][]int // the receivers
	count int
	all   *[]pulse.Ref
}

type spark struct{ life int }

func (r *reactor) Receive(ctx *pulse.Ctx, msg any) {
	rule := r.rules[r.count%len(r.rules)]
	r.count++
	if left := msg.(spark).life - 1; left > 0 {
		for _, to := range rule {
			ctx.Send((*r.all)[to], spark{left})
		}
	}
}

// A tiny is a program of reactors. The test sends them messages before a first
// run and before a second run.
type tiny struct {
	rules [3][3][]int
	first []int // the receivers of the messages that the test sends before the first run
	then  []int
}

func newTiny(seed uint64) *tiny {
	r := rand.New(rand.NewPCG(seed, 3))
	p := &tiny{}
	for i := range p.rules {
		for j := range p.rules[i] {
			for range r.IntN(3) {
				p.rules[i][j] = append(p.rules[i][j], r.IntN(3))
			}
		}
	}
	for range 1 + r.IntN(3) {
		p.first = append(p.first, r.IntN(3))
	}
	for range r.IntN(2) {
		p.then = append(p.then, r.IntN(3))
	}
	return p
}

func (p *tiny) run(t *testing.T, sys *pulse.System) *trace.Trace {
	sys.Reset(0)
	sys.Observe(checker{t})
	var all []pulse.Ref
	for i := range p.rules {
		all = append(all, sys.Spawn("reactor", &reactor{rules: p.rules[i], all: &all}))
	}
	for _, list := range [][]int{p.first, p.then} {
		for _, to := range list {
			sys.Send(all[to], spark{3})
		}
		mustRun(t, sys)
	}
	return sys.Trace()
}

// A checker checks the invariants of the system after each step.
type checker struct{ t *testing.T }

func (c checker) Stepped(sys *pulse.System, step int) {
	if err := sys.Invariants(); err != nil {
		c.t.Fatalf("after step %d:\n%v", step, err)
	}
}

// pasts gives each causal past a number. Equal pasts have equal numbers.
type pasts map[string]int

func (p pasts) number(format string, args ...any) int {
	key := fmt.Sprintf(format, args...)
	if _, ok := p[key]; !ok {
		p[key] = len(p) + 1
	}
	return p[key]
}

// sendings returns, for each step, a number for the sending of its message with
// the causal past of that sending. Equal sendings have equal numbers in all
// orders.
func (p pasts) sendings(tr *trace.Trace) []int {
	steps := make([]int, len(tr.Steps)) // the past of each step, including the step
	list := make([]int, len(tr.Steps))
	nth := make([]int, len(tr.Sends)) // for each message, how many messages its step sent before it
	count := map[int32]int{}
	for i, d := range tr.Sends {
		nth[i] = count[d.Step]
		count[d.Step]++
	}
	for i, st := range tr.Steps {
		sender, prev := 0, 0
		if s := tr.Sends[st.Send].Step; s != trace.None {
			sender = steps[s]
		}
		if st.Prev != trace.None {
			prev = steps[st.Prev]
		}
		list[i] = p.number("sent by %d as %d to %d", sender, nth[st.Send], st.Actor)
		steps[i] = p.number("step %d after %d", list[i], prev)
	}
	return list
}

// A twoSends is a pair of messages to one receiver: their numbers, in the order of receipt.
type twoSends struct{ earlier, later int }

// agreement tries all orders of a program and counts the pairs of receives
// for which swappable gives the wrong answer.
func (p *tiny) agreement(t *testing.T, d pulse.Delivery, most int,
	swappable func(tr *trace.Trace, a, b int) bool) (pairs, wrong int, complete bool) {
	o := &odometer{}
	sys := pulse.New(pulse.Options{Delivery: d, Record: true, Strategy: o})
	defer sys.Close()
	numbers, seen := pasts{}, map[twoSends]bool{}
	claims := map[twoSends][2]bool{} // for each pair: whether it was swappable in some order, and whether it was not swappable in some order
	for orders := 0; ; orders++ {
		if orders == most {
			return 0, 0, false
		}
		tr := p.run(t, sys)
		list := numbers.sendings(tr)
		for b := range tr.Steps {
			for a := range b {
				if tr.Steps[a].Actor != tr.Steps[b].Actor {
					continue
				}
				pair := twoSends{list[a], list[b]}
				seen[pair] = true
				said := claims[pair]
				said[boolToInt(!swappable(tr, a, b))] = true
				claims[pair] = said
			}
		}
		if !o.next() {
			break
		}
	}
	for pair, said := range claims {
		pairs++
		if reversed := seen[twoSends{pair.later, pair.earlier}]; said[0] && !reversed || said[1] && reversed {
			wrong++
		}
	}
	return pairs, wrong, true
}

func truly(tr *trace.Trace, a, b int) bool { return tr.Swappable(a, b) }

// TestSwappable checks that receives are swappable in the trace exactly if they
// can come in the other order, and that the comparison detects a wrong claim.
func TestSwappable(t *testing.T) {
	trial.Long(t)
	wrongs := []struct {
		name string
		says func(tr *trace.Trace, a, b int) bool
	}{
		{"all may be swapped", func(*trace.Trace, int, int) bool { return true }},
		{"none may be swapped", func(*trace.Trace, int, int) bool { return false }},
		{"channels do not matter", func(tr *trace.Trace, a, b int) bool {
			c := *tr
			c.Unordered = true
			return c.Swappable(a, b)
		}},
		{"rests do not matter", func(tr *trace.Trace, a, b int) bool {
			c := *tr
			c.Rests = nil
			return c.Swappable(a, b)
		}},
		{"the last step's sends do not matter", func(tr *trace.Trace, a, b int) bool {
			return tr.Swappable(a, b) || tr.Sends[tr.Steps[b].Send].Step == int32(a)
		}},
	}
	caught := make([]bool, len(wrongs))
	programs, pairs := 0, 0
	for seed := range uint64(85) {
		p, d := newTiny(seed), pulse.Delivery(seed%2)
		n, wrong, complete := p.agreement(t, d, 400, truly)
		if !complete {
			continue
		}
		if wrong != 0 {
			t.Fatalf("program %d, %v, %+v: wrong of %d of %d pairs", seed, d, *p, wrong, n)
		}
		programs++
		pairs += n
		for i, w := range wrongs {
			if !caught[i] {
				_, wrong, _ := p.agreement(t, d, 400, w.says)
				caught[i] = wrong != 0
			}
		}
	}
	for i, w := range wrongs {
		if !caught[i] {
			t.Errorf("it is not seen to be wrong that %s", w.name)
		}
	}
	t.Logf("%d programs, %d pairs", programs, pairs)
	if programs < 60 || pairs < 1000 {
		t.Errorf("%d programs, %d pairs: the test tests little", programs, pairs)
	}
}

// TestHappensBefore checks that a step happens before another exactly when it
// is in its causal past or a quiescent point (a rest) lies between them.
func TestHappensBefore(t *testing.T) {
	sys := newSystem(t, pulse.Options{Record: true, Strategy: &odometer{}})
	pairs := 0
	for seed := range uint64(100) {
		tr := newTiny(seed).run(t, sys)
		past := make([]map[int32]bool, len(tr.Steps))
		causality := trace.NewCausality(tr)
		for b, st := range tr.Steps {
			past[b] = map[int32]bool{}
			for _, link := range []int32{st.Prev, tr.Sends[st.Send].Step} {
				if link != trace.None {
					past[b][link] = true
					for x := range past[link] {
						past[b][x] = true
					}
				}
			}
			for a := range b {
				rested := false
				for _, r := range tr.Rests {
					rested = rested || a < int(r) && int(r) <= b
				}
				want := past[b][int32(a)] || rested
				if tr.HappensBefore(a, b) != want || causality.Before(a, b) != want {
					t.Fatalf("program %d: steps %d and %d", seed, a, b)
				}
				pairs++
			}
		}
	}
	if pairs < 3000 {
		t.Errorf("%d pairs: the test tests little", pairs)
	}
}
