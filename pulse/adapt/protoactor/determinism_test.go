package protoactor_test

import (
	"fmt"
	"hash/fnv"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/asynkron/protoactor-go/router"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/adapt/protoactor"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// busy uses every feature that could make a replay differ: futures that time out or
// not, children that fail, restart and stop, a back-off, routers with a choice, dead
// letters, receive timeouts, and ids that are made in steps.
func busy(as *actor.ActorSystem) {
	log := as.Root.Spawn(fromFunc(func(actor.Context) {}))
	echo := as.Root.Spawn(fromFunc(func(ctx actor.Context) {
		switch m := ctx.Message().(type) {
		case *actor.Started:
			ctx.SetReceiveTimeout(time.Second)
		case string:
			ctx.Respond(m)
		case *actor.ReceiveTimeout:
			ctx.Stop(ctx.Self())
		}
	}))
	pool := as.Root.Spawn(router.NewRandomPool(2, actor.WithFunc(func(ctx actor.Context) {
		if m, ok := ctx.Message().(int); ok {
			ctx.Send(log, m)
		}
	})))
	failing := fromFunc(func(ctx actor.Context) {
		switch ctx.Message() {
		case "fail":
			panic("failed")
		case "work":
			ctx.Send(log, ctx.Self())
		}
	})
	parent := func(s actor.SupervisorStrategy) *actor.Props {
		return actor.PropsFromFunc(func(ctx actor.Context) {
			switch m := ctx.Message().(type) {
			case *actor.Started:
				for range 2 {
					child := ctx.Spawn(failing)
					ctx.Watch(child)
					ctx.Send(child, "work")
					ctx.Send(child, "fail")
					ctx.Send(child, "work")
				}
				ctx.Send(pool, 1)
				f := ctx.RequestFuture(echo, "hello", time.Second)
				ctx.ReenterAfter(f, func(v any, err error) { ctx.Send(log, fmt.Sprint(v, err)) })
				ctx.RequestFuture(log, "nobody answers", time.Minute).PipeTo(log)
				if v, err := ctx.RequestFuture(echo, "hi", time.Minute).Result(); err == nil {
					ctx.Send(pool, len(v.(string)))
				}
				ctx.Stop(ctx.Children()[0])
			case *actor.Terminated:
				ctx.Request(m.Who, "late")
				ctx.Poison(ctx.Self())
			}
		}, actor.WithSupervisor(s))
	}
	as.Root.Spawn(parent(actor.NewExponentialBackoffStrategy(time.Minute, time.Second)))
	as.Root.Spawn(parent(actor.NewOneForOneStrategy(1, time.Minute, actor.DefaultDecider)))
	as.Root.Spawn(parent(actor.NewAllForOneStrategy(1, 0, func(any) actor.Directive { return actor.StopDirective })))
}

// sumOf returns a hash of everything reported about n runs. It checks that each of
// them replays from its decisions, byte for byte.
func sumOf(t *testing.T, seeds uint64) string {
	list := append(programs(), program{name: "busy", build: busy})
	h := fnv.New64a()
	sys := pulse.New(pulse.Options{Strategy: strategy.Random(), Record: true})
	defer sys.Close()
	again := pulse.New(pulse.Options{Record: true})
	defer again.Close()
	for _, p := range list {
		n := seeds
		if p.name != "busy" {
			n /= 10
		}
		for seed := range n {
			sys.Reset(seed)
			p.build(protoactor.New(sys))
			sys.Run()
			if f := sys.Failure(); f != nil {
				t.Fatalf("%s, seed %d: %v", p.name, seed, f)
			}
			text := sys.Trace().Text()
			fmt.Fprintln(h, text)
			again.Configure(pulse.Options{Strategy: strategy.Replay(sys.Record().Clone(), strategy.ReplayOptions{}), Record: true})
			p.build(protoactor.New(again))
			again.Run()
			if got := again.Trace().Text(); again.Failure() != nil || got != text {
				t.Fatalf("%s, seed %d: the replay differs: %v\n%s\n%s", p.name, seed, again.Failure(), text, got)
			}
		}
	}
	return fmt.Sprintf("sum %x", h.Sum64())
}

const asChild = "JOSTLE_TEST_SUM"

// TestDeterminism checks that the same seed gives the same run, byte for byte: in
// the same process, and in another.
func TestDeterminism(t *testing.T) {
	seeds := uint64(50)
	switch {
	case os.Getenv("JOSTLE_NIGHTLY") != "":
		seeds = 1000
	case testing.Short():
		seeds = 20
	}
	sum := sumOf(t, seeds)
	if os.Getenv(asChild) != "" {
		fmt.Println(sum)
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestDeterminism$", fmt.Sprintf("-test.short=%v", testing.Short()))
	cmd.Env = append(os.Environ(), asChild+"=1")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), sum) {
		t.Errorf("another process comes to other runs: %v\nwant %s\n%s", err, sum, out)
	}
}
