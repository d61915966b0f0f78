package pulse_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/strategy"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A bureau is a tiny runtime of other people: its clerks have numbers in place
// of references, mailboxes of their own, a Tell and a Request whose future
// blocks, timers and behaviours. It is hosted on pulse.Host and knows nothing
// else of pulse.
type bureau struct {
	host   pulse.Host
	sys    *pulse.System
	clerks []*clerk
	byRef  map[pulse.Ref]*clerk
	asked  int
	killed int // clerks that were ended where they waited
}

type pid int

// An item is what the mailboxes hold.
type item struct {
	from   pid
	what   any
	future int // the request that this answers; negative: that it makes
}

type behaviour func(b *bureau, c *clerk, it *item)

// A clerk is an actor of the bureau. Its code runs on a coroutine, as that of
// a runtime does in which actors may block.
type clerk struct {
	bureau *bureau
	pid    pid
	ref    pulse.Ref
	act    behaviour
	box    []*item
	co     *pulse.Coroutine
	answer *item
}

func newBureau(sys *pulse.System) *bureau {
	b := &bureau{host: sys.Host(), sys: sys, byRef: map[pulse.Ref]*clerk{}}
	b.clerks = []*clerk{{bureau: b, ref: b.host.Running()}} // 0 is the test
	return b
}

// Start adds a clerk in the name of whoever runs.
func (b *bureau) Start(name string, act behaviour) pid {
	c := &clerk{bureau: b, pid: pid(len(b.clerks)), act: act}
	c.ref = b.host.Spawn(b.host.Running(), pulse.Spec{Name: name, Actor: c})
	b.clerks = append(b.clerks, c)
	b.byRef[c.ref] = c
	return c.pid
}

// Tell puts something into a mailbox, in the name of whoever runs.
func (b *bureau) Tell(to pid, what any) { b.put(to, &item{from: b.me(), what: what}) }

func (b *bureau) put(to pid, it *item) { b.host.Enqueue(b.host.Running(), b.clerks[to].ref, it) }

func (b *bureau) me() pid {
	if c := b.byRef[b.host.Running()]; c != nil {
		return c.pid
	}
	return 0
}

// A future is an answer that is to come.
type future struct {
	clerk  *clerk
	to     pid
	number int
}

// Request is Tell with a future.
func (b *bureau) Request(to pid, what any) future {
	b.asked++
	b.put(to, &item{from: b.me(), what: what, future: -b.asked})
	return future{b.clerks[b.me()], to, b.asked}
}

// Answer fulfils the future of a request.
func (b *bureau) Answer(request *item, what any) {
	b.put(request.from, &item{from: b.me(), what: what, future: -request.future})
}

// Result blocks until the future is fulfilled.
func (f future) Result() any {
	c := f.clerk
	h := c.bureau.host
	h.Accept(c.ref, func(msg any) bool { return msg.(*item).future == f.number })
	h.Waits(c.ref, "for the answer of clerk "+fmt.Sprint(f.to))
	returned := false
	defer func() {
		if !returned {
			c.bureau.killed++
		}
	}()
	for c.answer == nil {
		c.co.Park()
	}
	returned = true
	it := c.answer
	c.answer = nil
	h.Accept(c.ref, nil)
	return it.what
}

// Become changes what a clerk does.
func (c *clerk) Become(act behaviour) {
	c.act = act
	c.bureau.host.HandlersChanged()
}

// Receive is where pulse hands a message over.
func (c *clerk) Receive(_ *pulse.Ctx, msg any) {
	it := msg.(*item)
	if it.future > 0 {
		c.answer = it
	} else {
		c.box = append(c.box, it)
	}
	if c.co == nil {
		c.co = c.bureau.host.Coroutine(c.serve)
	}
	c.co.Resume()
}

// serve is the clerk's own loop.
func (c *clerk) serve(co *pulse.Coroutine) {
	for {
		for len(c.box) > 0 {
			it := c.box[0]
			c.box = slices.Delete(c.box, 0, 1)
			c.act(c.bureau, c, it)
		}
		co.Park()
	}
}

// race is a bureau in which two clerks tell a third: seen is in which order.
func race(sys *pulse.System) (seen *string) {
	b := newBureau(sys)
	seen = new(string)
	third := b.Start("third", func(_ *bureau, _ *clerk, it *item) { *seen += it.what.(string) })
	for _, name := range []string{"a", "b"} {
		b.Tell(b.Start(name, func(b *bureau, _ *clerk, it *item) { b.Tell(third, it.what) }), name)
	}
	return seen
}

// TestHostedRace holds that the strategy decides in which order the actors of
// another runtime are reached, and that the oldest first always gives one order.
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

// TestHostedReplay holds that a recorded run of another runtime comes again
// from its decisions: same steps, same identities, same hash.
func TestHostedReplay(t *testing.T) {
	sys := pulse.New(pulse.Options{Strategy: strategy.Random(), Record: true})
	defer sys.Close()
	ids := map[string][]uint64{} // by order: the identities of the steps, sorted
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

// ledger is a bureau in which a front clerk must ask the back for each
// number: Request blocks, meanwhile other orders wait, and the back changes
// its behaviour when told to close.
func ledger(sys *pulse.System, answers bool) (b *bureau, log *[]string) {
	b = newBureau(sys)
	log = new([]string)
	note := func(format string, args ...any) { *log = append(*log, fmt.Sprintf(format, args...)) }
	closed := func(b *bureau, _ *clerk, it *item) { b.Answer(it, "closed") }
	back := b.Start("back", func(b *bureau, c *clerk, it *item) {
		switch {
		case it.what == "close":
			c.Become(closed)
		case answers:
			b.Answer(it, "ok")
		}
	})
	front := b.Start("front", func(b *bureau, _ *clerk, it *item) {
		if it.what == "end" {
			b.host.End(b.host.Running(), "went home")
			return
		}
		note("%v: asks", it.what)
		note("%v: %v", it.what, b.Request(back, it.what).Result())
		if it.what == 1 {
			b.Tell(back, "close")
		}
	})
	for _, what := range []any{1, 2, "end", 3} {
		b.Tell(front, what)
	}
	return b, log
}

// TestHostedRequest holds that a clerk that blocks takes nothing but its
// answer, that a change of behaviour is a step that changed its handlers, and
// that what comes after a clerk's end is an orphan.
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

// TestHostedStuck holds that the report says what a clerk waits for, in the
// words of its runtime, and what is in its mailbox.
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
		"    front waits for the answer of clerk 1; in its mailbox:",
	}
	if !slices.Equal(lines[:2], want) || len(lines) != 5 {
		t.Errorf("%s", f)
	}
}

// TestHostedTimers holds that a runtime's timers go by virtual time.
func TestHostedTimers(t *testing.T) {
	sys := pulse.New(pulse.Options{})
	defer sys.Close()
	b := newBureau(sys)
	var log []string
	c := b.Start("clock", func(b *bureau, c *clerk, it *item) {
		log = append(log, fmt.Sprint(it.what, " at ", b.sys.Now()))
		if it.what == "start" {
			b.host.After(c.ref, time.Second, &item{what: "late"})
			b.host.After(c.ref, time.Minute, &item{what: "never"}).Stop()
			b.host.After(c.ref, 0, &item{what: "at once"})
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

// TestHostedCoroutinesEnd holds that a clerk that is parked, in its loop or in
// a future, is ended by Reset and by Close, and leaves no goroutine.
func TestHostedCoroutinesEnd(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	sys := pulse.New(pulse.Options{})
	var list []*bureau
	for range 3 {
		b, _ := ledger(sys, false)
		list = append(list, b)
		sys.Run()
		if b.killed != 0 {
			t.Fatal("a clerk was ended before the run was")
		}
		sys.Reset(0)
	}
	b, _ := ledger(sys, false)
	sys.Run()
	sys.Close()
	for i, b := range append(list, b) {
		if b.killed != 1 {
			t.Errorf("run %d: %d clerks were ended in a future", i, b.killed)
		}
	}
}

// TestHostedMessagesAllocateNothing holds that a message from clerk to clerk
// costs no memory, coroutine and own mailbox included.
func TestHostedMessagesAllocateNothing(t *testing.T) {
	for _, record := range []bool{false, true} {
		sys := pulse.New(pulse.Options{Record: record, Steps: 1 << 30, Strategy: strategy.Random()})
		defer sys.Close()
		left := 0
		it := &item{what: "ball"}
		b := newBureau(sys)
		pass := func(to pid) behaviour {
			return func(b *bureau, _ *clerk, it *item) {
				if left--; left > 0 {
					b.put(to, it)
				}
			}
		}
		b.Start("ping", pass(2))
		b.Start("pong", pass(1))
		play := func() {
			left = 1000
			b.put(1, it)
			sys.Run()
		}
		for range 3 {
			play()
		}
		most := 0.0
		if record { // the trace grows: see TestRecordedMemory
			most = 2
		}
		if n := testing.AllocsPerRun(20, play); n > most {
			t.Errorf("recorded %t: %v allocations for 1000 messages", record, n)
		}
	}
}

// TestHostedReportForgetsWaits holds that what a clerk once waited for is not
// said of it when it waits for anything.
func TestHostedReportForgetsWaits(t *testing.T) {
	sys := pulse.New(pulse.Options{Environment: pulse.EnvironmentClosed})
	defer sys.Close()
	b := newBureau(sys)
	back := b.Start("back", func(b *bureau, _ *clerk, it *item) { b.Answer(it, "ok") })
	b.Tell(b.Start("front", func(b *bureau, _ *clerk, it *item) { b.Request(back, it.what).Result() }), 1)
	sys.Run()
	if f := sys.Failure(); f == nil || strings.Count(f.Detail, "waits for any message; its mailbox is empty") != 2 {
		t.Errorf("%v", f)
	}
}

// TestHostedCoroutinesThatEndCostNothing holds that a runtime may make a
// coroutine for each message: those that have ended are used again and forgotten.
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

// TestFields: what each sort of actor keeps, by its fields or in words.
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
