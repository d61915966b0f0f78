package props_test

import (
	"context"
	"fmt"

	"github.com/jostle-go/jostle/fuzz/search"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

// vault opens when it is given nine numbers in one of 362,880 orders.
type vault struct {
	t      *props.T
	opened int
	jammed bool
}

func (v *vault) Receive(_ *pulse.Ctx, msg any) {
	v.jammed = v.jammed || msg != (7*v.opened+3)%9
	if !v.jammed {
		v.opened++
		v.t.Feature("numbers that were right", v.opened)
	}
}

func vaultStaysShut(t *props.T) {
	sys := t.System()
	v := &vault{t: t}
	ref := sys.Spawn("vault", v)
	for n := range 9 {
		sys.Go("thief", func(p *pulse.Process) { p.Send(ref, n) })
	}
	sys.Run()
	if v.opened == 9 {
		t.Error("the vault is open")
	}
}

// A guided search keeps each run in which the vault has accepted one number more, and
// derives others that begin like it.
func ExampleT_Feature() {
	guided, _ := search.Strategies("guided")
	res := search.Sample(context.Background(), search.Property{Name: "vaultStaysShut", Func: vaultStaysShut},
		search.Options{Seed: 1, Runs: 10_000, Portfolio: guided})
	fmt.Println(res.Finding.Failure.Text, "in fewer than a thousand runs:", res.Runs < 1000)
	// Output:
	// the vault is open in fewer than a thousand runs: true
}

// queueStaysShort lets producers and a consumer race. The longer the queue of a run
// is, the more runs are derived from it.
func queueStaysShort(t *props.T) {
	sys := t.System()
	length := 0
	queue := sys.Spawn("queue", pulse.Func(func(_ *pulse.Ctx, msg any) {
		if msg == "put" {
			length++
		} else if length > 0 {
			length--
		}
		t.Maximize("length", float64(length))
	}))
	for _, what := range []string{"put", "take"} {
		sys.Go(what, func(p *pulse.Process) {
			for range 14 {
				p.Send(queue, what)
				p.Sleep(1)
			}
		})
	}
	sys.Run()
}

func ExampleT_Maximize() {
	r := props.NewRunner("queueStaysShort", queueStaysShort)
	defer r.Close()
	for _, h := range r.Run(props.Plan{}).Hints {
		fmt.Println(h.Name, h.Height)
	}
	// Output:
	// length 1
}
