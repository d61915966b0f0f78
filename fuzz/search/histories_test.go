package search

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/props/linear"
	"github.com/jostle-go/jostle/pulse"
)

// A client of a random program calls the servers of a register, and records its calls in a history.
type client struct {
	script []call
	passes int // the number of the client to which this client sends a message before it runs its script; -1 for none
	waits  bool
}

// A call writes a number that is not zero, or reads.
type call struct{ server, write int }

var register = linear.Model[int, call, int]{
	Name: "register",
	Init: func() int { return 0 },
	Step: func(state int, in call, out int) (bool, int) {
		if in.write > 0 {
			return true, in.write
		}
		return out == state, state
	},
}

// recorded returns a random property of a register on one or two servers. Its histories are
// linearizable in some orders only. It calls seen with each judged history, without the numbers of
// steps.
func recorded(seed uint64, seen func(history string)) func(*props.T) {
	rng := rand.New(rand.NewPCG(seed, 0x68697374))
	servers := 1 + rng.IntN(2)
	var clients []client
	for range 2 + rng.IntN(2) {
		c := client{passes: rng.IntN(6) - 3, waits: rng.IntN(4) == 0}
		for range 1 + rng.IntN(2) {
			c.script = append(c.script, call{rng.IntN(servers), max(0, rng.IntN(5)-1)})
		}
		clients = append(clients, c)
		if len(clients)*len(c.script) > 3 {
			break
		}
	}
	return func(t *props.T) {
		sys, history := t.System(), linear.NewHistory(t, register)
		var events, at = []string{}, []pulse.Ref{}
		note := func(format string, args ...any) { events = append(events, fmt.Sprintf(format, args...)) }
		for range servers {
			value := 0
			at = append(at, sys.Spawn("server", pulse.Func(func(ctx *pulse.Ctx, msg any) {
				if w := msg.(call).write; w > 0 {
					value = w
				}
				ctx.Reply(value)
			})))
		}
		var refs []pulse.Ref
		for i, c := range clients {
			refs = append(refs, sys.Go("client", func(p *pulse.Process) {
				if c.passes >= 0 && c.passes < len(refs) && c.passes != i {
					p.Send(refs[c.passes], "hello")
				}
				if c.waits {
					p.ReceiveTimeout(1)
				}
				for _, in := range c.script {
					note("%d calls %v", i, in)
					h := history.Call(p.Self(), in)
					out := p.Ask(at[in.server], in).(int)
					note("%d has %d", i, out)
					h.Return(out)
				}
			}))
		}
		sys.Run()
		seen(strings.Join(events, ", "))
		history.Check()
	}
}

// TestHistoriesInAllOrders checks that a reduction loses no history: in random programs all
// reductions find the same histories and verdicts as all orders. A history must not make the search
// restart with Everything, as a call to System.Steps does.
func TestHistoriesInAllOrders(t *testing.T) {
	trial.Long(t)
	programs, orders := 30, 500
	if nightly() {
		programs, orders = 150, 3000
	}
	compared, failing, turned := 0, 0, 0
	for seed := uint64(0); compared < programs; seed++ {
		want, reached := histories(t, seed, explore.Method{Reduction: explore.Everything}, orders)
		if !reached.Complete {
			continue
		}
		compared++
		failing += min(1, len(reached.Failures))
		for _, m := range []explore.Method{
			{}, {Reduction: explore.SourceSets}, {Reduction: explore.PersistentSets, Sleep: true}, {Reduction: explore.Everything, Sleep: true},
		} {
			got, v := histories(t, seed, m, 0)
			if !v.Complete || !maps.Equal(got, want) || !slices.Equal(slices.Sorted(maps.Keys(v.Failures)), slices.Sorted(maps.Keys(reached.Failures))) {
				t.Fatalf("program %d by %v, sleep %v: %d histories of %d; %v", seed, m.Reduction, m.Sleep, len(got), len(want), v)
			}
			if v.Because != "" && v.Reduction == explore.SourceSets {
				turned++
			}
			if v.Watched || strings.Contains(v.Because, "System.Steps") {
				t.Fatalf("program %d by %v: %v", seed, m.Reduction, v)
			}
		}
	}
	if t.Logf("%d programs, %d that fail, %d searches went over", compared, failing, turned); failing < programs/8 || turned < programs*2/3 {
		t.Error("the programs are all alike")
	}
}

// histories explores a random program, and returns the histories of its runs.
func histories(t *testing.T, seed uint64, m explore.Method, runs int) (map[string]bool, Verdict) {
	seen := map[string]bool{}
	x := exploreFor(t, ExploreOptions{Method: m, Runs: runs, KeepOn: true}, recorded(seed, func(h string) { seen[h] = true }))
	return seen, x.Verdict
}
