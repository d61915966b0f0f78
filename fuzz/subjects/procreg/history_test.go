package procreg_test

import (
	"math/rand/v2"
	"testing"

	"github.com/jostle-go/jostle/fuzz/subjects/procreg"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/strategy"
)

const (
	register, unregister = procreg.Register, procreg.Unregister
	whereIs, kill        = procreg.WhereIs, procreg.Kill
)

func TestHistoryCheck(t *testing.T) {
	for _, c := range []struct {
		what  string
		calls []procreg.Call
		holds bool
	}{
		{"nothing", nil, true},
		{"taken", []procreg.Call{
			{Command: procreg.Command{Op: register}, Result: "true", Call: 1, Return: 2},
			{Command: procreg.Command{Op: register, Process: 1}, Result: "badarg", Call: 3, Return: 4},
			{Command: procreg.Command{Op: whereIs}, Result: "process 1", Call: 5, Return: 6},
		}, true},
		{"taken before it was registered", []procreg.Call{
			{Command: procreg.Command{Op: register, Process: 1}, Result: "badarg", Call: 1, Return: 2},
			{Command: procreg.Command{Op: register}, Result: "true", Call: 3, Return: 4},
		}, false},
		{"taken while it was registered", []procreg.Call{
			{Command: procreg.Command{Op: register, Process: 1}, Result: "badarg", Call: 1, Return: 3},
			{Command: procreg.Command{Op: register}, Result: "true", Call: 2, Return: 4},
		}, true},
		{"taken by a call that has not returned", []procreg.Call{
			{Command: procreg.Command{Op: register}, Call: 1},
			{Command: procreg.Command{Op: whereIs}, Result: "process 1", Call: 2, Return: 3},
		}, true},
		{"a call that has not returned did not happen yet", []procreg.Call{
			{Command: procreg.Command{Op: register}, Call: 1},
			{Command: procreg.Command{Op: whereIs}, Result: "undefined", Call: 2, Return: 3},
		}, true},
		{"the dead have no name", []procreg.Call{
			{Command: procreg.Command{Op: register}, Result: "true", Call: 1, Return: 2},
			{Command: procreg.Command{Op: kill}, Result: "true", Call: 3, Return: 4},
			{Command: procreg.Command{Op: whereIs}, Result: "process 1", Call: 5, Return: 6},
		}, false},
		{"the dead get none", []procreg.Call{
			{Command: procreg.Command{Op: kill}, Result: "true", Call: 1, Return: 2},
			{Command: procreg.Command{Op: register}, Result: "true", Call: 3, Return: 4},
			{Command: procreg.Command{Op: unregister}, Result: "badarg", Call: 5, Return: 6},
		}, true},
	} {
		if err := (&procreg.History{Calls: c.calls}).Check(); (err == nil) != c.holds {
			t.Errorf("%s: %v", c.what, err)
		}
	}
}

// TestHistoryCheckAgainstPermutations compares Check with a checker that tries all
// orders of random histories.
func TestHistoryCheckAgainstPermutations(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	hold := 0
	const histories = 20_000
	for range histories {
		calls := randomCalls(rng)
		want := anyOrder(calls, nil)
		if want {
			hold++
		}
		h := &procreg.History{Calls: calls}
		if err := h.Check(); (err == nil) != want {
			t.Fatalf("Check says %v, want %v:\n%v", err, want, h)
		}
	}
	if hold < histories/10 || hold > histories*9/10 {
		t.Errorf("%d of %d histories hold: they say little", hold, histories)
	}
}

// randomCalls returns a history of two clients on one name and one process.
func randomCalls(rng *rand.Rand) []procreg.Call {
	results := [...][]string{{"true", "badarg"}, {"true", "badarg"}, {"undefined", "process 1"}, {"true"}}
	calls := make([]procreg.Call, 1+rng.IntN(5))
	open := map[int]int{} // by client
	for clock, next := 1, 0; next < len(calls) || len(open) > 0; clock++ {
		client := rng.IntN(2)
		if i, ok := open[client]; ok {
			calls[i].Return = clock
			delete(open, client)
		} else if next < len(calls) {
			op := procreg.Op(rng.IntN(4))
			calls[next] = procreg.Call{Command: procreg.Command{Op: op}, Call: clock,
				Result: results[op][rng.IntN(len(results[op]))]}
			open[client] = next
			next++
		}
	}
	return calls
}

// anyOrder reports whether the calls could have happened in some order that begins with order.
func anyOrder(calls []procreg.Call, order []int) bool {
	if len(order) == len(calls) {
		return happened(calls, order)
	}
	for i := range calls {
		if used(order, i) {
			continue
		}
		if anyOrder(calls, append(order[:len(order):len(order)], i)) {
			return true
		}
	}
	return false
}

func used(order []int, i int) bool {
	for _, j := range order {
		if i == j {
			return true
		}
	}
	return false
}

// happened reports whether the calls could have happened in this order.
func happened(calls []procreg.Call, order []int) bool {
	var r procreg.Registry
	for k, i := range order {
		for _, j := range order[k+1:] {
			if calls[j].Return < calls[i].Call {
				return false
			}
		}
		if r.Do(calls[i].Command) != calls[i].Result {
			return false
		}
	}
	return true
}

// TestHistoryOfARun checks the history that a run records.
func TestHistoryOfARun(t *testing.T) {
	sys := pulse.New(pulse.Options{Strategy: strategy.Random()})
	defer sys.Close()
	for seed := range uint64(200) {
		sys.Reset(seed)
		h := &procreg.History{}
		procreg.Config{}.Start(sys, h.Record)
		sys.Run()
		if f := sys.Failure(); f != nil {
			t.Fatal(f)
		}
		if len(h.Calls) != 4 {
			t.Fatalf("seed %d: there are %d calls:\n%v", seed, len(h.Calls), h)
		}
		for _, c := range h.Calls {
			if c.Return <= c.Call || c.Client == h.Calls[0].Client && c.Return > 4 {
				t.Errorf("seed %d: a call returns when it should not:\n%v", seed, h)
			}
		}
	}
}
