package linear

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// Models of a small register, a queue and a pair of registers. Their calls are
// ints; a negative one reads or takes.

var registers = Model[int, int, int]{
	Init: func() int { return 0 },
	Step: func(state, in, out int) (bool, int) {
		if in < 0 {
			return out == state, state
		}
		return true, in
	},
}

// queues is the model of a queue. Reading from an empty queue returns 0.
var queues = Model[string, int, int]{
	Init: func() string { return "" },
	Step: func(state string, in, out int) (bool, string) {
		if in >= 0 {
			return true, state + string(rune('0'+in))
		}
		if state == "" {
			return out == 0, state
		}
		return out == int(state[0]-'0'), state[1:]
	},
}

// pairs are two registers: even calls are about the one, odd calls about the
// other.
var pairs = Model[int, int, int]{
	Init:      registers.Init,
	Step:      registers.Step,
	Partition: func(in int) string { return fmt.Sprint(in & 1) },
}

// brute tries every order of all completed calls and some of the pending
// calls. It reports whether some order explains the results.
func brute[S any](m *Model[S, int, int], state S, left []*operation[int, int]) bool {
	done := true
	for _, op := range left {
		done = done && !op.returned
	}
	if done {
		return true
	}
	for i, op := range left {
		if !first(op, left) {
			continue
		}
		if ok, next := m.step(state, op); ok {
			rest := append(append([]*operation[int, int]{}, left[:i]...), left[i+1:]...)
			if brute(m, next, rest) {
				return true
			}
		}
	}
	return false
}

// first reports whether a call may come first in an order: no other call
// returned before this call was made.
func first(op *operation[int, int], others []*operation[int, int]) bool {
	for _, o := range others {
		if o != op && o.returned && o.ret.event < op.call.event {
			return false
		}
	}
	return true
}

// random makes a history of up to six calls of up to three values.
func random(rng *rand.Rand) (ops []*operation[int, int]) {
	var open []*operation[int, int]
	event := 0
	for range 2 + rng.IntN(12) {
		event++
		if len(open) > 0 && rng.IntN(2) == 0 || len(ops) == 6 {
			if len(open) == 0 {
				break
			}
			i := rng.IntN(len(open))
			open[i].returned, open[i].ret.event, open[i].out = true, event, rng.IntN(3)
			open = append(open[:i], open[i+1:]...)
			continue
		}
		op := &operation[int, int]{in: rng.IntN(5) - 2}
		op.call.event = event
		ops, open = append(ops, op), append(open, op)
	}
	return ops
}

// tally counts both verdicts, so that a test that sees only one of them fails.
type tally struct{ good, bad, pending int }

func agree[S any](t *testing.T, m *Model[S, int, int], seed uint64) (n tally) {
	rng := rand.New(rand.NewPCG(seed, 1))
	for i := range 1500 {
		ops := random(rng)
		want := true
		for _, part := range m.split(ops) {
			want = want && brute(m, m.Init(), part)
		}
		v := m.judge(ops)
		if v.linearizable != want || v.large || v.panicked != nil {
			t.Fatalf("history %d is linearizable: %v; judged %v (large %v, panic %v):\n%s",
				i, want, v.linearizable, v.large, v.panicked, m.table(verdict[int, int]{ops: ops}))
		}
		if want {
			n.good++
		} else {
			n.bad++
		}
		if len(ops) > 0 && !ops[len(ops)-1].returned {
			n.pending++
		}
	}
	return n
}

// TestAgreement compares the judgement of random small histories with that of
// brute.
func TestAgreement(t *testing.T) {
	for name, n := range map[string]tally{
		"registers": agree(t, &registers, 1),
		"queues":    agree(t, &queues, 2),
		"pairs":     agree(t, &pairs, 3),
	} {
		if n.good < 200 || n.bad < 200 || n.pending < 200 {
			t.Errorf("%s: the histories are all alike: %+v", name, n)
		}
	}
}

// TestAgreementCanary checks that the comparison with brute notices a model
// that is wrong in rare cases.
func TestAgreementCanary(t *testing.T) {
	wrong := queues
	wrong.Step = func(state string, in, out int) (bool, string) {
		if in == -2 && len(state) > 1 {
			return out == int(state[1]-'0'), state[1:] // takes the second
		}
		return queues.Step(state, in, out)
	}
	rng := rand.New(rand.NewPCG(2, 1))
	for range 1500 {
		ops := random(rng)
		if wrong.judge(ops).linearizable != brute(&queues, "", ops) {
			return
		}
	}
	t.Error("a queue that gives the second first was not noticed")
}
