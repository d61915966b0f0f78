package finding

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/shrink"
)

// TestWays: if a run has more actors than another run, ways returns every way to leave out actors, those that omit the
// last actors first. The number of ways is limited.
func TestWays(t *testing.T) {
	for _, c := range []struct {
		was, is map[string]uint64
		want    string
	}{
		{map[string]uint64{"a": 3}, map[string]uint64{"a": 3}, "[map[]]"},
		{map[string]uint64{"a": 3}, map[string]uint64{"a": 4}, "[map[]]"},
		{map[string]uint64{"a": 3}, map[string]uint64{"b": 1}, "[map[]]"},
		{map[string]uint64{"a": 3}, map[string]uint64{"a": 2}, "[map[a:[3]] map[a:[2]] map[a:[1]]]"},
		{map[string]uint64{"a": 3}, map[string]uint64{"a": 1}, "[map[a:[2 3]] map[a:[1 3]] map[a:[1 2]]]"},
		{map[string]uint64{"a": 2, "b": 2}, map[string]uint64{"a": 1, "b": 1},
			"[map[a:[2] b:[2]] map[a:[1] b:[2]] map[a:[2] b:[1]] map[a:[1] b:[1]]]"},
	} {
		if got := fmt.Sprint(ways(c.was, c.is)); got != c.want {
			t.Errorf("from %v to %v: %s, want %s", c.was, c.is, got, c.want)
		}
	}
	if n := len(ways(map[string]uint64{"a": 40}, map[string]uint64{"a": 20})); n != mostWays {
		t.Errorf("%d ways, want %d", n, mostWays)
	}
}

// ahead has a hall that receives words from clients. It fails if one client's words all come before the same words of
// all other clients.
func ahead(t *props.T) {
	n := props.Draw(t, rapid.IntRange(2, 5), "clients")
	at := props.Draw(t, rapid.IntRange(0, 3), "at")%(n-1) + 1
	sys := t.System()
	var said []string
	hall := sys.Spawn("hall", pulse.Func(func(_ *pulse.Ctx, msg any) { said = append(said, msg.(string)) }))
	for i := range n {
		sys.Go("client", func(p *pulse.Process) {
			for k := range 3 {
				p.Send(hall, fmt.Sprintf("%t %d of %d", i == at, k, n))
				p.Send(p.Self(), k)
				p.Receive()
			}
		})
	}
	sys.Run()
	for k := range 3 {
		if slices.Index(said, fmt.Sprintf("true %d of %d", k, n)) > slices.Index(said, fmt.Sprintf("false %d of %d", k, n)) {
			return
		}
	}
	t.Error("ahead")
}

// TestOrderOfMoreActors: the order of a failing run can be transferred to inputs with fewer actors, although the texts
// of all messages differ.
func TestOrderOfMoreActors(t *testing.T) {
	p := program{t.Name(), ahead}
	r := p.runner()
	defer r.Close()
	by, near := &shrinking{runner: r}, shrink.Outcome{}
	for seed, values := uint64(1), ""; values != "[4 1]"; seed++ { // four clients, of which the third one causes the failure
		near, _ = by.first(search(p, seed, 200_000, "random"))
		values = fmt.Sprint(r.Run(props.Plan{Inputs: near.Case.Inputs}).Values)
	}
	inputs := choice.CloneInputs(near.Case.Inputs)
	inputs[0].Words = number(1) // the draw of the number of clients, here three
	for at := range 2 {
		inputs[1].Words = number(at)
		h := &hunt{shrinking: by, ctx: t.Context(), inputs: inputs, signature: near.Signature, near: &near, other: func(shrink.Outcome) {}, left: 100}
		h.byOrder()
		if len(h.found) == 0 {
			t.Errorf("at %d: no run fails in the order of a run of %d steps", at, near.Steps)
		}
	}
}
