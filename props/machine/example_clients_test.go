package machine_test

import (
	"fmt"

	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/props/machine"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// A put is request number seq of a client.
type put struct{ client, seq, value int }

// ledger keeps a value, and performs each request of a client once, even if the
// request comes twice. Its bug is that it does not distinguish clients.
type ledger struct {
	sum  int
	last int // the latest request
}

func (l *ledger) Receive(ctx *pulse.Ctx, msg any) {
	if p := msg.(put); p.seq > l.last {
		l.last = p.seq
		l.sum += p.value
	}
	ctx.Reply(l.sum)
}

// An entry is what one client puts into the ledger. Its arguments name the client.
type entry struct{ client, value int }

func ledgerAdds(t *props.T) {
	sys := t.System()
	server := sys.Spawn("ledger", &ledger{})
	var sent [3]int // the number of requests that each client has sent
	machine.Machine[int]{
		Name: "ledger",
		Init: func() int { return 0 },
		Commands: []machine.Command[int]{
			machine.Op[int, entry, int]{
				Name: "put",
				ArgsFor: func(client int, _ int) *rapid.Generator[entry] {
					return rapid.Map(rapid.IntRange(1, 9), func(v int) entry { return entry{client, v} })
				},
				Run: func(p *pulse.Process, e entry) int {
					sent[e.client]++
					return pulse.Ask[int](p, server, put{e.client, sent[e.client], e.value})
				},
				Next: func(sum int, e entry) int { return sum + e.value },
				Check: func(sum int, e entry, got int) error {
					if got != sum+e.value {
						return fmt.Errorf("want %d", sum+e.value)
					}
					return nil
				},
			}.Command(),
		},
		Length: 1,
		Branch: 1,
	}.Parallel(t, sys)
}

// Requests have numbers, so that the ledger performs a repeated request once. Each
// client counts its own requests, by Op.ArgsFor.
func ExampleOp_clients() {
	r := props.NewRunner("ledgerAdds", ledgerAdds)
	defer r.Close()
	for seed := range uint64(100) {
		if res := r.Run(props.Plan{Seed: seed, Strategy: strategy.Random()}); res.Failure != nil {
			fmt.Println(res.Failure.Text)
			return
		}
	}
	// Output: the history of ledger is not linearizable: no order of its 2 calls explains what they returned
}
