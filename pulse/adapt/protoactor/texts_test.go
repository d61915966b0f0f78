package protoactor_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/asynkron/protoactor-go/persistence"

	"github.com/jostle-go/jostle/fuzz"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/adapt/protoactor"
)

// A ledger is a persistent actor: its Mixin keeps the actor's Context.
type ledger struct {
	persistence.Mixin
	Context actor.Context
	names   []string
}

func (l *ledger) Receive(ctx actor.Context) {
	l.Context = ctx
	if m, ok := ctx.Message().(*actor.PID); ok && !l.Recovering() {
		l.PersistReceive(m)
		l.names = append(l.names, m.Id)
	}
}

// startLedger starts a ledger and sends it two names.
func startLedger(as *actor.ActorSystem) *ledger {
	l := &ledger{}
	pid := must(as.Root.SpawnNamed(actor.PropsFromProducer(func() actor.Actor { return l },
		actor.WithReceiverMiddleware(persistence.Using(inMemory{persistence.NewInMemoryProvider(9)}))), "ledger"))
	as.Root.Send(pid, as.NewLocalPID("x"))
	as.Root.Send(pid, as.NewLocalPID("y"))
	return l
}

// TestContextsThatActorsKeep holds that an actor that keeps its Context has a text, which
// ends, and that a failure of such a program is found and reported.
func TestContextsThatActorsKeep(t *testing.T) {
	sys := pulse.New(pulse.Options{})
	defer sys.Close()
	l := startLedger(protoactor.New(sys))
	sys.Run()
	const want = `ledger(Mixin, Context: Context of ledger, names: ["x" "y"])`
	if got := sys.Host().States()[1]; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := fmt.Sprint(l.Context); got != "Context of ledger" {
		t.Error(got)
	}
	f := fuzz.MustFind(t, func(t *props.T) {
		sys := t.System()
		l := startLedger(protoactor.New(sys))
		sys.Run()
		if len(l.names) == 2 {
			t.Errorf("two names: %v", l.Context)
		}
	})
	if !strings.Contains(f.Text("run"), "two names: Context of ledger") {
		t.Error(f.Text("run"))
	}
}
