package pulse_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/adapt/adapttest"
	"github.com/jostle-go/jostle/pulse/strategy"
	"github.com/jostle-go/jostle/pulse/trace"
)

// race is a hosted program (see bureau) in which two actors each send a message
// to a third. seen is the order in which the third one receives the messages.
func race(sys *pulse.System) (seen *string) {
	b := newBureau(sys)
	seen = new(string)
	third := b.Start("third", func(_ *clerk, it *item) { *seen += it.what.(string) })
	for _, name := range []string{"a", "b"} {
		b.Tell(b.Start(name, func(c *clerk, it *item) { c.Tell(third, it.what) }), name)
	}
	return seen
}

// TestHostedRace checks that the strategy decides in which order actors of
// another runtime receive messages. Plain order always gives the same order.
func TestHostedRace(t *testing.T) {
	orders := func(s pulse.Strategy) map[string]int {
		sys := pulse.New(pulse.Options{Strategy: s})
		defer sys.Close()
		counts := map[string]int{}
		for seed := range uint64(100) {
			sys.Reset(seed)
			seen := race(sys)
			sys.Run()
			if f := sys.Failure(); f != nil {
				t.Fatal(f)
			}
			counts[*seen]++
		}
		return counts
	}
	if got := orders(strategy.Random()); got["ab"] < 20 || got["ba"] < 20 || got["ab"]+got["ba"] != 100 {
		t.Errorf("at random, in 100 runs: %v", got)
	}
	if got := orders(nil); got["ab"] != 100 {
		t.Errorf("the oldest first, in 100 runs: %v", got)
	}
}

// TestHostedReplay checks that a replay of a run of another runtime is equal to
// that run: it has the same steps, identities and hash.
func TestHostedReplay(t *testing.T) {
	sys := pulse.New(pulse.Options{Strategy: strategy.Random(), Record: true})
	defer sys.Close()
	ids := map[string][]uint64{} // for each order of receipt: the sorted identities of the steps
	for seed := range uint64(20) {
		sys.Reset(seed)
		seen := race(sys)
		sys.Run()
		record, hash := sys.Record().Clone(), sys.Trace().Hash
		list := slices.Sorted(slices.Values(record.Deliveries))
		if old, ok := ids[*seen]; ok && !slices.Equal(old, list) {
			t.Fatalf("seed %d: the same order has other identities", seed)
		}
		ids[*seen] = list

		again := pulse.New(pulse.Options{Strategy: strategy.Replay(record, strategy.ReplayOptions{}), Record: true})
		seenAgain := race(again)
		again.Run()
		if again.Failure() != nil || *seenAgain != *seen || again.Trace().Hash != hash {
			t.Errorf("seed %d: the replay saw %q for %q, hash %x for %x", seed, *seenAgain, *seen, again.Trace().Hash, hash)
		}
		again.Close()
	}
	if len(ids) != 2 || !slices.Equal(ids["ab"], ids["ba"]) {
		t.Errorf("%d orders; both must have the same steps", len(ids))
	}
}

// ledger is a hosted program (see bureau). Its front clerk asks its back clerk
// for each number, and receives nothing else while it waits for the answer. The
// back clerk changes its behavior when it is told to close. killed counts the
// clerks that were ended while they waited.
func ledger(sys *pulse.System, answers bool) (killed *int, log *[]string) {
	b := newBureau(sys)
	killed, log = new(int), new([]string)
	note := func(format string, args ...any) { *log = append(*log, fmt.Sprintf(format, args...)) }
	closed := func(c *clerk, it *item) { c.Answer(it, "closed") }
	back := b.Start("back", func(c *clerk, it *item) {
		switch {
		case it.what == "close":
			c.Become(closed)
		case answers:
			c.Answer(it, "ok")
		}
	})
	ask := func(c *clerk, what any) (answer any) {
		defer func() {
			if answer == nil {
				*killed++
			}
		}()
		return c.Request(back, what).Result()
	}
	front := b.Start("front", func(c *clerk, it *item) {
		if it.what == "end" {
			c.Leave()
			return
		}
		note("%v: asks", it.what)
		note("%v: %v", it.what, ask(c, it.what))
		if it.what == 1 {
			c.Tell(back, "close")
		}
	})
	for _, what := range []any{1, 2, "end", 3} {
		b.Tell(front, what)
	}
	return killed, log
}

// A desk is a hosted actor (a clerk of a bureau) that runs the programs of
// package adapttest. The desk of the test itself has no clerk.
type desk struct {
	*bureau
	clerk *clerk
	item  *item // being received
}

// A door is the address of a clerk. If request is set, a message to the door
// answers that request.
type door struct {
	pid     pid
	request *item
}

// String returns the id.
func (d door) String() string { return string(d.pid) }

func (d *desk) Spawn(name string, handler adapttest.Handler) adapttest.Address {
	return door{pid: d.Start(name, d.behaviour(handler))}
}

func (d *desk) behaviour(handler adapttest.Handler) behaviour {
	return func(c *clerk, it *item) { handler(&desk{d.bureau, c, it}, it.what.(string)) }
}

func (d *desk) Send(to adapttest.Address, msg string) {
	if to := to.(door); to.request != nil {
		d.Answer(to.request, msg)
	} else {
		d.Tell(to.pid, msg)
	}
}

func (d *desk) Sender() adapttest.Address {
	if d.item.future == 0 {
		return door{pid: d.item.from}
	}
	return door{d.item.from, d.item}
}

func (d *desk) Ask(to adapttest.Address, msg string) string {
	return d.Request(to.(door).pid, msg).Result().(string)
}

func (d *desk) Become(handler adapttest.Handler) { d.clerk.Become(d.behaviour(handler)) }

func (d *desk) Stop() { d.clerk.Leave() }

// TestHostedConforms checks that the clerks of a bureau behave like actors of
// pulse.
func TestHostedConforms(t *testing.T) {
	adapter := adapttest.Adapter{New: func(sys *pulse.System) adapttest.Runtime { return &desk{bureau: newBureau(sys)} }}
	if err := adapter.Test(); err != nil {
		t.Fatal(err)
	}
}

// TestHostedRequest checks that a blocked clerk accepts only its answer, that a
// change of behavior marks its step, and that messages to an ended clerk are
// orphans.
func TestHostedRequest(t *testing.T) {
	sys := pulse.New(pulse.Options{Record: true})
	defer sys.Close()
	_, log := ledger(sys, true)
	sys.Run()
	if f := sys.Failure(); f != nil {
		t.Fatal(f)
	}
	if got := strings.Join(*log, ", "); got != "1: asks, 1: ok, 2: asks, 2: closed" {
		t.Error(got)
	}
	var changed []string
	for i, st := range sys.Trace().Steps {
		if st.Changed {
			changed = append(changed, sys.Trace().StepLabel(i))
		}
	}
	if len(changed) != 1 || !strings.HasPrefix(changed[0], "back#2 ← ") {
		t.Errorf("steps that changed handlers: %q", changed)
	}
	if w := sys.Warnings(); len(w) != 1 {
		t.Errorf("orphans: %q", w)
	}
	if front := sys.Trace().Actors[2]; front.Ended == trace.None {
		t.Error("the clerk that went home has not ended")
	}
}

// TestHostedStuck checks that the report of a stuck run shows the mailbox of
// a clerk, and what the clerk waits for, in the words of its runtime.
func TestHostedStuck(t *testing.T) {
	sys := pulse.New(pulse.Options{})
	defer sys.Close()
	ledger(sys, false)
	sys.Run()
	f := sys.Failure()
	if f == nil {
		t.Fatal("the run did not fail")
	}
	lines := strings.Split(f.Error(), "\n")
	want := []string{
		"stuck: 1 of 2 actors cannot go on, nothing is deliverable",
		"    front waits for the answer of back; in its mailbox:",
	}
	if !slices.Equal(lines[:2], want) || len(lines) != 5 {
		t.Errorf("%s", f)
	}
}

// TestHostedTimers checks that the timers of a hosted runtime use virtual time.
func TestHostedTimers(t *testing.T) {
	sys := pulse.New(pulse.Options{})
	defer sys.Close()
	b := newBureau(sys)
	var log []string
	c := b.Start("clock", func(c *clerk, it *item) {
		log = append(log, fmt.Sprint(it.what, " at ", sys.Now()))
		if it.what == "start" {
			c.host.After(c.ref, time.Second, &item{what: "late"})
			c.host.After(c.ref, time.Minute, &item{what: "never"}).Stop()
			c.host.After(c.ref, 0, &item{what: "at once"})
		}
	})
	b.Tell(c, "start")
	sys.Run()
	if f := sys.Failure(); f != nil {
		t.Fatal(f)
	}
	if got := strings.Join(log, ", "); got != "start at 0s, at once at 0s, late at 1s" {
		t.Error(got)
	}
}

// TestHostedCoroutinesEnd checks that Reset and Close end a clerk that is
// parked, in its loop or in a future, and leave no goroutine.
func TestHostedCoroutinesEnd(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	sys := pulse.New(pulse.Options{})
	var list []*int
	for range 3 {
		killed, _ := ledger(sys, false)
		list = append(list, killed)
		sys.Run()
		if *killed != 0 {
			t.Fatal("a clerk was ended before the run was")
		}
		sys.Reset(0)
	}
	killed, _ := ledger(sys, false)
	sys.Run()
	sys.Close()
	for i, killed := range append(list, killed) {
		if *killed != 1 {
			t.Errorf("run %d: %d clerks were ended in a future", i, *killed)
		}
	}
}

// TestHostedMessagesAllocateNothing checks that a message from clerk to clerk
// allocates nothing, including its coroutine and mailbox.
func TestHostedMessagesAllocateNothing(t *testing.T) {
	for _, record := range []bool{false, true} {
		sys := pulse.New(pulse.Options{Record: record, Steps: 1 << 30, Strategy: strategy.Random()})
		defer sys.Close()
		left := 0
		it := &item{what: "ball"}
		b := newBureau(sys)
		pass := func(to *pid) behaviour {
			return func(c *clerk, it *item) {
				if left--; left > 0 {
					c.put(*to, it)
				}
			}
		}
		var ping, pong pid
		ping = b.Start("ping", pass(&pong))
		pong = b.Start("pong", pass(&ping))
		play := func() {
			left = 1000
			b.put(ping, it)
			sys.Run()
		}
		for range 3 {
			play()
		}
		most := 0.0
		if record { // a recorded run also allocates for its growing trace: see TestRecordedMemory
			most = 2
		}
		if n := testing.AllocsPerRun(20, play); n > most {
			t.Errorf("recorded %t: %v allocations for 1000 messages", record, n)
		}
	}
}

// TestHostedReportForgetsWaits checks that a stuck report does not show a wait
// of a clerk that has ended.
func TestHostedReportForgetsWaits(t *testing.T) {
	sys := pulse.New(pulse.Options{Environment: pulse.EnvironmentClosed})
	defer sys.Close()
	b := newBureau(sys)
	back := b.Start("back", func(c *clerk, it *item) { c.Answer(it, "ok") })
	b.Tell(b.Start("front", func(c *clerk, it *item) { c.Request(back, it.what).Result() }), 1)
	sys.Run()
	if f := sys.Failure(); f == nil || strings.Count(f.Detail, "waits for any message; its mailbox is empty") != 2 {
		t.Errorf("%v", f)
	}
}

// TestHostedCoroutinesThatEndCostNothing checks that a runtime can make a
// coroutine for each message at no cost, because the pool reuses coroutines
// that have ended.
func TestHostedCoroutinesThatEndCostNothing(t *testing.T) {
	sys := pulse.New(pulse.Options{Steps: 1 << 30})
	defer sys.Close()
	h := sys.Host()
	body := func(c *pulse.Coroutine) { c.Park() }
	use := func() {
		for range 50_000 {
			c := h.Coroutine(body)
			c.Resume()
			if !c.Resume() {
				t.Fatal("the coroutine has not ended")
			}
		}
	}
	if n := allocated(use); n > 100_000 {
		t.Errorf("%d bytes for 50,000 coroutines, one after another", n)
	}
}

// A till is an actor with fields, and a disk.
type till struct {
	sum  int
	last any
}

func (l *till) Receive(ctx *pulse.Ctx, msg any) {
	switch l.last = msg; msg {
	case "write":
		ctx.Disk().Write("sum", l.sum)
	case "stop":
		ctx.Stop()
	}
	l.sum++
}

// TestFields checks how the state of each kind of actor is shown: by fields or as one text.
func TestFields(t *testing.T) {
	sys := newSystem(t, pulse.Options{Record: true, Environment: pulse.EnvironmentOpen})
	for _, text := range []string{"", "write", "stop"} {
		if r := sys.Spawn("till", &till{}); text != "" {
			sys.Send(r, text)
		}
	}
	sys.Spawn("function", pulse.Func(func(*pulse.Ctx, any) {}))
	sys.Go("process", func(p *pulse.Process) { p.Receive() })
	sys.Go("ended", func(p *pulse.Process) {})
	mustRun(t, sys)
	want := []string{"[]", "[{sum 0} {last nil}]", `[{sum 1} {last "write"} { its disk, not synced: "sum" = 0}]`, `[{ till(sum: 1, last: "stop") (has ended)}]`,
		"[{ a function: its variables cannot be read}]", "", "[{ has ended}]", "[]"}
	for i, w := range want {
		got := fmt.Sprint(sys.Host().Fields(int32(i)))
		if i == 5 && strings.HasPrefix(got, "[{ waits in Receive at host_test.go:") {
			continue
		}
		if got != w {
			t.Errorf("actor %d keeps %s, want %s", i, got, w)
		}
	}
	if got := sys.Host().Fields(-1); got != nil {
		t.Errorf("nobody keeps %v", got)
	}
}
