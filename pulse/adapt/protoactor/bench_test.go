package protoactor_test

import (
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/adapt/protoactor"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// rally has two actors hit a ball to each other n times, and then calls over.
func rally(as *actor.ActorSystem, hits int, over func()) {
	hit := func(ctx actor.Context) {
		if _, ok := ctx.Message().(ping); ok {
			if hits--; hits == 0 {
				over()
				return
			}
			ctx.Request(ctx.Sender(), ping{})
		}
	}
	a, b := as.Root.Spawn(fromFunc(hit)), as.Root.Spawn(fromFunc(hit))
	as.Root.RequestWithCustomSender(a, ping{}, b)
}

// asks has an actor ask another n times, and wait for each answer.
func asks(as *actor.ActorSystem, times int, over func()) {
	b := as.Root.Spawn(fromFunc(func(ctx actor.Context) {
		if _, ok := ctx.Message().(ping); ok {
			ctx.Respond(pong{})
		}
	}))
	as.Root.Spawn(fromFunc(func(ctx actor.Context) {
		if _, ok := ctx.Message().(*actor.Started); ok {
			for range times {
				ctx.RequestFuture(b, ping{}, time.Hour).Wait()
			}
			over()
		}
	}))
}

var quiet = actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger { return slog.New(slog.DiscardHandler) })

// BenchmarkStep measures a step in which an actor receives and answers a message.
// The row real measures the same in proto.actor itself.
func BenchmarkStep(b *testing.B) {
	const steps = 1000
	for _, p := range []struct {
		name string
		play func(*actor.ActorSystem, int, func())
	}{{"message", rally}, {"ask", asks}} {
		for _, record := range []bool{false, true} {
			b.Run(map[bool]string{false: "hosted-", true: "recorded-"}[record]+p.name, func(b *testing.B) {
				sys := pulse.New(pulse.Options{Strategy: strategy.Random(), Record: record})
				defer sys.Close()
				b.ReportAllocs()
				for range b.N {
					sys.Reset(1)
					p.play(protoactor.New(sys), steps, func() {})
					if !sys.Run() {
						b.Fatal(sys.Failure())
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/steps, "ns/each")
			})
		}
		b.Run("real-"+p.name, func(b *testing.B) {
			as := actor.NewActorSystem(quiet)
			defer as.Shutdown()
			for range b.N {
				var wg sync.WaitGroup
				wg.Add(1)
				p.play(as, steps, wg.Done)
				wg.Wait()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/steps, "ns/each")
		})
	}
}

// BenchmarkSetup times a run that only makes its actor system and starts two
// actors.
func BenchmarkSetup(b *testing.B) {
	props := fromFunc(func(actor.Context) {})
	b.Run("hosted", func(b *testing.B) {
		sys := pulse.New(pulse.Options{})
		defer sys.Close()
		b.ReportAllocs()
		for range b.N {
			sys.Reset(1)
			as := protoactor.New(sys)
			as.Root.Spawn(props)
			as.Root.Spawn(props)
			sys.Run()
		}
	})
	b.Run("real", func(b *testing.B) {
		for range b.N {
			as := actor.NewActorSystem(quiet)
			as.Root.Spawn(props)
			as.Root.Spawn(props)
			as.Shutdown()
		}
	})
}
