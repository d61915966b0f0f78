package pulse_test

import (
	"testing"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// outcomes runs a program under a strategy with many seeds, and counts the
// outcomes.
func outcomes(t *testing.T, by string, o pulse.Options, program func(*pulse.System, func(string))) map[string]int {
	t.Helper()
	s, err := strategy.ByName(by)
	if err != nil {
		t.Fatal(err)
	}
	o.Strategy, o.Record = s, true
	sys := pulse.New(o)
	defer sys.Close()
	count := map[string]int{}
	for seed := range uint64(300) {
		sys.Reset(seed)
		outcome := ""
		program(sys, func(s string) { outcome = s })
		if !sys.Run() {
			outcome = sys.Failure().Text
		}
		count[outcome]++
	}
	return count
}

// ReceiveTimeout(0) finds nothing even if a message is on its way to the process, or
// others have messages waiting. It used to wait until no message was deliverable.
func TestPollComesBackEmpty(t *testing.T) {
	for _, d := range []pulse.Delivery{pulse.DeliveryFIFO, pulse.DeliveryUnordered} {
		count := outcomes(t, "random", pulse.Options{Delivery: d}, func(sys *pulse.System, say func(string)) {
			slow := pulse.Func(func(ctx *pulse.Ctx, msg any) { ctx.Send(msg.(pulse.Ref), "late") })
			poller := sys.Go("poller", func(p *pulse.Process) {
				say("empty")
				if _, ok := p.ReceiveTimeout(0); ok {
					say("found")
				}
			})
			sys.Send(sys.Spawn("slow", slow), poller)
		})
		if count["empty"] < 30 || count["found"] < 30 || len(count) != 2 {
			t.Errorf("%v: %v", d, count)
		}
	}
}

// A poll finds a message that the process has sent to itself.
func TestPollFindsWhatIsThere(t *testing.T) {
	count := outcomes(t, "random", pulse.Options{}, func(sys *pulse.System, say func(string)) {
		sys.Go("poller", func(p *pulse.Process) {
			p.Send(p.Self(), "mine")
			_, first := p.ReceiveTimeout(0)
			_, second := p.ReceiveTimeout(0)
			if first && !second {
				say("found")
			}
		})
	})
	if count["found"] != 300 {
		t.Errorf("%v", count)
	}
}

// A process that polls in a loop does not starve others, with any strategy, and
// its polls leave no orphans.
func TestPollingEnds(t *testing.T) {
	for _, by := range strategy.Names() {
		count := outcomes(t, by, pulse.Options{Steps: 200, Orphans: true}, func(sys *pulse.System, say func(string)) {
			poller := sys.Go("poller", func(p *pulse.Process) {
				for {
					if _, ok := p.ReceiveTimeout(0); ok {
						say("ended")
						return
					}
				}
			})
			relay := pulse.Func(func(ctx *pulse.Ctx, msg any) { ctx.Send(poller, msg) })
			sys.Send(sys.Spawn("relay", relay), "at last")
		})
		if count["ended"] != 300 {
			t.Errorf("%s: %v", by, count)
		}
	}
}

// A process that is killed while it polls leaves neither a message nor a timer.
func TestKilledWhilePolling(t *testing.T) {
	count := outcomes(t, "random", pulse.Options{Orphans: true}, func(sys *pulse.System, say func(string)) {
		killer := sys.Spawn("killer", pulse.Func(func(ctx *pulse.Ctx, msg any) { ctx.Kill(msg.(pulse.Ref)) }))
		sys.Go("poller", func(p *pulse.Process) {
			p.Send(killer, p.Self())
			for range 3 {
				p.ReceiveTimeout(0)
			}
			say("lived")
		})
	})
	if count["lived"] == 0 || count[""] == 0 || count["lived"]+count[""] != 300 {
		t.Errorf("%v", count)
	}
}

// ReceiveMatch leaves a rejected message in its channel. Here "first" is
// rejected, "wanted" comes behind it in the same channel, and "answer" is sent
// later still. ReceiveMatch may return "answer" before "first". Erlang's mailbox
// may not.
func TestPassedOverMessagesHaveNoPlace(t *testing.T) {
	count := outcomes(t, "random", pulse.Options{}, func(sys *pulse.System, say func(string)) {
		echo := sys.Spawn("echo", pulse.Func(func(ctx *pulse.Ctx, _ any) { ctx.Send(ctx.Sender(), "answer") }))
		reader := sys.Go("reader", func(p *pulse.Process) {
			p.ReceiveMatch(func(msg any) bool { return msg == "wanted" })
			p.Send(echo, "question")
			say(p.Receive().(string))
		})
		sys.Send(reader, "first")
		sys.Send(reader, "wanted")
	})
	if count["first"] == 0 || count["answer"] == 0 || len(count) != 2 {
		t.Errorf("%v", count)
	}
}
