package goroutine

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A fake stands in for the changed Go runtime. Its goroutines follow scripts.
type fake struct {
	threads []*fakeThread
	ready   []*fakeThread // goroutines that can run and that the fake runtime has not reported yet
	now     int64
	timers  map[int64][]int // maps the time of timers to the threads that they wake
	touches []fakeTouch     // the operations of the last step
	cause   string
	locks   []locked
	awaited []uintptr // by goroutine: the object for which it waits
	made    []uintptr // by channel for which a goroutine waits: the call that made the channel
	log     []string
	answer  uint64
	driven  bool
	faults  int // of the network
	seed    uint64
	random  bool // set if the program has used random numbers
	others  func() bool
	after   int       // after so many calls of outside, a goroutine from outside has come
	full    []uintptr // the innermost calls of a goroutine whose stack was too large, or nil
}

// A fakeThread is a goroutine of a fake.
type fakeThread struct {
	state
	script []act
}

// An act is what a goroutine does until it returns control.
type act struct {
	why reason
	n   uint64 // the number of answers to a choice
	do  func(*fake)
}

type fakeTouch struct {
	op     operation
	object unsafe.Pointer
}

// spawn starts a goroutine that follows a script.
func (f *fake) spawn(script ...act) {
	g := &fakeThread{state: state{id: uint64(len(f.threads) + 1), waits: "chan receive"}, script: script}
	f.threads = append(f.threads, g)
	f.ready = append(f.ready, g)
}

func (f *fake) wake(id int) { f.ready = append(f.ready, f.threads[id-1]) }

func (f *fake) resume(g *fakeThread, answer uint64) (reason, uint64) {
	f.answer, f.touches, g.op = answer, nil, opNone
	a := g.script[0]
	if g.script = g.script[1:]; a.do != nil {
		a.do(f)
	}
	f.log = append(f.log, fmt.Sprint(g.id))
	if a.why == yielded {
		f.wake(int(g.id))
	}
	return a.why, a.n
}

// next returns the time of the next timer, or 0.
func (f *fake) next() (next int64) {
	for at := range f.timers {
		if next == 0 || at < next {
			next = at
		}
	}
	return next
}

// due returns the threads whose timers are due, in the order of the times.
func (f *fake) due(now int64) (list []int) {
	for _, at := range slices.Sorted(maps.Keys(f.timers)) {
		if at <= now {
			list = append(list, f.timers[at]...)
		}
	}
	return list
}

// door returns the functions of the fake runtime. The goroutine that runs main follows
// the script.
func (f *fake) door(script ...act) *door {
	f.timers = map[int64][]int{}
	return &door{
		version: doorVersion,
		start:   func(seed uint64, faults int, _ bool) control { f.seed, f.faults = seed, faults; return control(f) },
		drive:   func(c control) { f.driven = c != nil },
		spawn:   func(control, func()) { f.spawn(script...) },
		next: func(control) thread {
			if len(f.ready) == 0 {
				return nil
			}
			g := f.ready[0]
			f.ready = f.ready[1:]
			return thread(g)
		},
		resume: func(_ control, g thread, _ bool, answer uint64) (reason, uint64) {
			return f.resume((*fakeThread)(g), answer)
		},
		times: func(control) (now, next int64) { return f.now, f.next() },
		due:   func(_ control, now int64) int { return len(f.due(now)) },
		advance: func(_ control, now int64, which int) (more bool) {
			f.now = max(f.now, now)
			due := f.due(f.now)
			if len(due) == 0 {
				return false
			}
			f.wake(due[which])
			for at, list := range f.timers {
				f.timers[at] = slices.DeleteFunc(list, func(id int) bool { return id == due[which] && at <= f.now })
			}
			if at := f.next(); len(f.timers[at]) == 0 {
				delete(f.timers, at)
			}
			return len(due) > 1
		},
		look:  func(g thread, s *state) { *s = (*fakeThread)(g).state },
		stack: func(_ thread, pcs []uintptr) (int, bool) { return copy(pcs, f.full), f.full != nil },
		touched: func(_ control, i int) (operation, unsafe.Pointer, int) {
			if i >= len(f.touches) || i >= touches {
				return 0, nil, len(f.touches)
			}
			return f.touches[i].op, f.touches[i].object, len(f.touches)
		},
		thrown: func(control) any { return "lost" },
		outside: func(control) string {
			if f.after--; f.after == 0 {
				f.cause = "a goroutine"
			}
			return f.cause
		},
		random: func(control) bool { return f.random },
		others: func(string) bool { return f.others != nil && f.others() },
		locks: func(_ control, i int) *locked {
			if i >= len(f.locks) {
				return nil
			}
			return &f.locks[i]
		},
		awaited: func(g thread, i int) (object, made uintptr) {
			if i < len(f.made) {
				return 1, f.made[i]
			}
			if id := int((*fakeThread)(g).id); i > 0 || id > len(f.awaited) {
				return 0, 0
			}
			return f.awaited[(*fakeThread)(g).id-1], 0
		},
	}
}

// Short names for frequent acts.
var (
	yields = act{why: yielded}
	blocks = act{why: blocked}
	exits  = act{why: exited}
)

func starts(script ...act) act { return act{yielded, 0, func(f *fake) { f.spawn(script...) }} }

// passes is an act by which a goroutine lets others run first.
func passes(id int) act {
	return act{yielded, 0, func(f *fake) { f.threads[id-1].op = opGosched }}
}
func wakes(id int) act { return act{yielded, 0, func(f *fake) { f.wake(id) }} }
func sleeps(id int, d time.Duration) act {
	return act{blocked, 0, func(f *fake) { at := f.now + int64(d); f.timers[at] = append(f.timers[at], id) }}
}

// TestRunTest checks, for several scripts, how RunTest ends and which goroutine
// takes each step in plain order.
func TestRunTest(t *testing.T) {
	for _, c := range []struct {
		name   string
		script []act
		steps  string // the numbers of the goroutines that take the steps, in order
		end    string
		failed string
	}{
		{"it ends", []act{yields, exits}, "1 1", "", ""},
		{"others go on", []act{starts(yields, exits), yields, yields, exits}, "1 1 1 1 2 2", "", ""},
		{"others are abandoned", []act{starts(blocks), yields, exits}, "1 1 1 2", "goroutine waits in chan receive", ""},
		{"one wakes another", []act{starts(wakes(1), exits), blocks, exits}, "1 1 2 2 1", "", ""},
		{"one runs on after it", []act{starts(yields, yields, starts(exits), act{why: chooses, n: 2}, blocks), exits}, "1 1 2 2 2 3 2 2", "goroutine waits in chan receive", ""},
		{"one runs on for ever", []act{starts(slices.Repeat([]act{yields}, 2*mostSettling)...), exits}, "1 1" + strings.Repeat(" 2", mostSettling), "goroutine waits in chan receive", ""},
		{"it is stuck", []act{blocks}, "1", "", "stuck: 1 of 1 actors cannot go on, nothing is deliverable"},
		{"another is stuck too", []act{starts(blocks), blocks}, "1 1 2", "goroutine waits in chan receive", "stuck: 1 of 2 actors cannot go on, nothing is deliverable"},
		{"it sleeps", []act{sleeps(1, time.Hour), exits}, "1 1", "", ""},
		{"timers fire in order", []act{starts(sleeps(2, time.Minute), exits), sleeps(1, time.Hour), exits}, "1 1 2 2 1", "", ""},
		{"it panics", []act{{why: panicked}}, "1", "", "panic in main: lost"},
		{"it ends the process", []act{{why: quit}}, "1", "", "main called os.Exit(lost)"},
		{"it reads the network", []act{{blocked, 0, func(f *fake) { f.cause = "the network" }}}, "1", "it depends on the network", ""},
		{"it reads the network, and ends", []act{{yielded, 0, func(f *fake) { f.cause = "the network" }}, exits}, "1 1", "it depends on the network", ""},
		{"another process has the answer", []act{starts(act{blocked, 0, func(f *fake) { f.cause = "another process" }}), blocks}, "1 1 2",
			"it depends on another process", ""},
	} {
		f := &fake{}
		sys := pulse.New(pulse.Options{})
		end := f.door(c.script...).runTest(sys, 0, nil)
		failed := ""
		if sys.Failure() != nil {
			failed, _, _ = strings.Cut(sys.Failure().Text, "\n")
		}
		said := strings.Join(end.Left, "; ")
		if end.Outside != "" {
			said = end.Outside
		}
		if steps := strings.Join(f.log, " "); steps != c.steps || failed != c.failed || said != c.end || f.driven {
			t.Errorf("%s: steps %s, want %s; end %q, want %q; failure %q, want %q", c.name, steps, c.steps, said, c.end, failed, c.failed)
		}
		sys.Close()
	}
}

// even and odd call each other n times. Then even or odd returns the last calls.
func even(n int) []uintptr { return or(n, odd) }
func odd(n int) []uintptr  { return or(n, even) }

func or(n int, next func(int) []uintptr) []uintptr {
	if n > 0 {
		return next(n - 1)
	}
	var pcs [8]uintptr
	return pcs[:runtime.Callers(1, pcs[:])]
}

// TestOverflow: if a stack was too large, the failure has each call of the recursion once. It does not
// depend on where the recursion ends.
func TestOverflow(t *testing.T) {
	for n := range 2 {
		f := &fake{full: even(10 + n)}
		sys := pulse.New(pulse.Options{})
		f.door(act{why: panicked}).runTest(sys, 0, nil)
		var calls []string
		for _, call := range sys.Failure().Stack {
			calls = append(calls, call.Func)
		}
		if got := strings.Join(calls, " "); got != "goroutine.even goroutine.odd goroutine.or goroutine.or" || sys.Failure().Site != calls[0] {
			t.Errorf("%s, in %s", got, sys.Failure().Site)
		}
		sys.Close()
	}
}

// TestRun: outside of a test, every goroutine must end.
func TestRun(t *testing.T) {
	f := &fake{}
	sys := pulse.New(pulse.Options{})
	if !f.door(starts(yields, exits), exits).run(sys, nil) || !slices.Equal(f.log, strings.Fields("1 1 2 2")) {
		t.Errorf("%v, %v", sys.Failure(), f.log)
	}
	f = &fake{}
	sys = pulse.New(pulse.Options{})
	if f.door(starts(blocks), exits).run(sys, nil) || sys.Failure().Kind != pulse.KindStuck {
		t.Error(sys.Failure())
	}
	f = &fake{cause: "signals"}
	sys = pulse.New(pulse.Options{})
	if f.door(yields, exits).run(sys, nil) || sys.Failure().Kind != pulse.KindMisuse || sys.Failure().Text != "the run is not controlled: it depends on signals" {
		t.Error(sys.Failure())
	}
}

// favorite always picks a message to the actor with the given number if there is one.
// It answers all choices with the largest number.
type favorite int

func (favorite) Begin(uint64) {}

func (s favorite) Pick(e *pulse.Enabled) int {
	for i := range e.Len() {
		if e.Receiver(i) == int(s) {
			return i
		}
	}
	return e.Oldest()
}

func (favorite) Choose(_ choice.Kind, n int) int { return n - 1 }

// answers gives these answers to the first choices. It picks the oldest messages.
type answers []int

func (*answers) Begin(uint64)              {}
func (*answers) Pick(e *pulse.Enabled) int { return e.Oldest() }
func (s *answers) Choose(choice.Kind, int) int {
	a := (*s)[0]
	*s = (*s)[1:]
	return a
}

// TestPatience: a goroutine that can run does not wait forever. No time passes while
// it waits.
func TestPatience(t *testing.T) {
	f := &fake{}
	spins := slices.Repeat([]act{yields}, 1000)
	sys := pulse.New(pulse.Options{Strategy: favorite(1)})
	passed := int64(0)
	last := act{yielded, 0, func(f *fake) { passed = f.now }}
	f.door(append([]act{starts(yields, exits), starts(last, exits)}, append(spins, exits)...)...).runTest(sys, 0, nil)
	first, second := slices.Index(f.log, "2"), slices.Index(f.log, "3")
	if sys.Failure() != nil || first < patience || first > 2*patience || second < first || second > 3*patience {
		t.Errorf("the others run at steps %d and %d: %v", first, second, sys.Failure())
	}
	if passed != 0 {
		t.Errorf("%d ns have passed", passed)
	}
}

// TestPatienceWithTicks: time passes if goroutines could run for long, although an early tick comes at every third step.
func TestPatienceWithTicks(t *testing.T) {
	f := &fake{}
	ticks := slices.Repeat([]act{sleeps(2, time.Nanosecond)}, 3000)
	f.door(append([]act{starts(ticks...)}, slices.Repeat([]act{passes(1)}, 3000)...)...).runTest(pulse.New(pulse.Options{Steps: 12_000}), 0, nil)
	if len(f.log) < 4500 || f.now < int64(5*time.Millisecond) {
		t.Errorf("%v in %d steps", time.Duration(f.now), len(f.log))
	}
}

// TestSameInstant: if several timers are due at the same time, either all fire
// together, or a goroutine that one of them wakes runs before the others fire.
func TestSameInstant(t *testing.T) {
	for _, c := range []struct {
		strategy pulse.Strategy
		want     string
	}{{nil, "1 2 1 2 1 2"}, {&answers{1, 0}, "1 2 1 1 2 2"}, {&answers{1, 1}, "1 2 2 2 1 1"}} {
		f := &fake{}
		sys := pulse.New(pulse.Options{Strategy: c.strategy, EarlyTimers: pulse.NeverEarly})
		other := []act{sleeps(2, time.Second), passes(2), exits}
		main := act{blocked, 0, func(f *fake) { f.spawn(other...); f.timers[int64(time.Second)] = []int{1} }}
		if f.door(main, passes(1), exits).run(sys, nil); sys.Failure() != nil || strings.Join(f.log, " ") != c.want {
			t.Errorf("%v, want %s: %v", f.log, c.want, sys.Failure())
		}
	}
}

// TestLate: a timer fires a nanosecond after the time at which it is due.
func TestLate(t *testing.T) {
	f := &fake{}
	f.door(sleeps(1, time.Second), exits).run(pulse.New(pulse.Options{}), nil)
	if want := int64(time.Second + late); f.now != want {
		t.Errorf("it is %d, want %d", f.now, want)
	}
}

// TestSpin: time passes faster and faster for a goroutine that runs alone without
// waiting, and every timer still fires.
func TestSpin(t *testing.T) {
	f := &fake{}
	script := append([]act{starts(sleeps(2, 5*time.Second), exits), passes(1)}, slices.Repeat([]act{yields}, mostLonely+14)...)
	f.door(append(script, exits)...).runTest(pulse.New(pulse.Options{}), 0, nil)
	if n := slices.Index(f.log[3:], "2") + 3; n < mostLonely+15 || n > mostLonely+18 || f.now < int64(5*time.Second) {
		t.Errorf("after %v: %v", time.Duration(f.now), f.log)
	}
}

// TestClocks: when a timer fires, the system's clock, which charts show, says when it was due by the clock
// of the goroutines. Time may have passed for the goroutines alone, because one ran without waiting or
// because another one waited for its turn.
func TestClocks(t *testing.T) {
	spins := slices.Repeat([]act{yields}, mostLonely+6)
	sleep := sleeps(1, 10*time.Millisecond)
	other := append(slices.Repeat([]act{yields}, 2*patience), exits)
	var times []string
	for _, script := range [][]act{
		{sleep, sleep, sleep},
		append(spins, sleep, sleep),
		append([]act{starts(other...)}, append(slices.Repeat([]act{yields}, 2*patience), sleep, sleep)...),
		{sleeps(1, soon), sleep, sleep},
	} {
		f := &fake{}
		sys := pulse.New(pulse.Options{Strategy: &hasty{}, Record: true})
		f.door(append(script, exits)...).runTest(sys, 0, nil)
		times = append(times, fmt.Sprint(f.now-int64(sys.Now())))
	}
	if got := strings.Join(times, " "); got != "1 1 1 1" {
		t.Errorf("the system's clock is behind by %s ns, want 1 each time", got)
	}
}

// TestEndless: a test that does not end within the given number of steps is reported as
// not controlled, and does not fail.
func TestEndless(t *testing.T) {
	for steps, want := range map[int]string{0: "30000", 50_000: "49000", 1500: "1000"} {
		f := &fake{}
		sys := pulse.New(pulse.Options{Steps: steps})
		end := f.door(slices.Repeat([]act{yields}, 50_000)...).runTest(sys, 0, nil)
		if end.Outside != "it does not end within "+want+" steps" || !end.Endless || sys.Failure() != nil {
			t.Error(end, sys.Failure())
		}
	}
}

// A hasty strategy lets the clock tick as soon as it may.
type hasty struct{ answers }

func (*hasty) Pick(e *pulse.Enabled) int {
	for i := range e.Len() {
		if _, tick := e.Send(i).Body.(earlyTick); tick {
			return i
		}
	}
	return e.Oldest()
}

// TestSoon: a timer that is due within a microsecond may fire while goroutines can run, but only once
// in a step of theirs. If it was stopped meanwhile, nothing happens.
func TestSoon(t *testing.T) {
	stops := act{yielded, 0, func(f *fake) { clear(f.timers); passes(1).do(f) }}
	for _, c := range []struct {
		sleep    time.Duration
		strategy pulse.Strategy
		next     act
		want     string
	}{
		{soon, &hasty{}, yields, "1 1 2 1 1 1 2"},
		{soon + 1, &hasty{}, yields, "1 1 2 1 1 1"},
		{soon, favorite(1), yields, "1 1 1 1 1 2"},
		{soon, nil, stops, "1 1 2 1 1 1"},
	} {
		f := &fake{}
		sys := pulse.New(pulse.Options{Strategy: c.strategy})
		f.door(starts(sleeps(2, c.sleep), exits), passes(1), c.next, yields, exits).runTest(sys, 0, nil)
		if got := strings.Join(f.log, " "); got != c.want || sys.Failure() != nil {
			t.Errorf("%v: %s, want %s: %v", c.sleep, got, c.want, sys.Failure())
		}
	}
}

// TestSeed: the random numbers of a test depend on the seed.
func TestSeed(t *testing.T) {
	f := &fake{random: true}
	if end := f.door(exits).runTest(pulse.New(pulse.Options{}), 7, nil); !end.Random || f.seed != 8 {
		t.Error(end, f.seed)
	}
}

// TestOthers: a run that is stuck waits for a goroutine from outside, if there is one.
func TestOthers(t *testing.T) {
	run := func(others bool) (end End, stuck bool) {
		f := &fake{}
		f.others = func() bool {
			if others {
				f.after = 100
			}
			return others
		}
		sys := pulse.New(pulse.Options{})
		end = f.door(act{why: blocked, do: func(f *fake) { f.threads[0].callers[0] = 1 }}).runTest(sys, 0, nil)
		return end, sys.Failure() != nil
	}
	for range 2 { // a place where a goroutine has come is none where a run may be stuck at once
		if end, stuck := run(true); stuck || end.Outside == "" {
			t.Errorf("it does not wait: %+v", end)
		}
	}
	if _, stuck := run(false); !stuck {
		t.Error("it waits although there is nobody to wait for")
	}
}

// TestTicker: a test that waits while a ticker ticks forever is not reported as stuck, because a later
// tick may wake it. If goroutines wait for each other's locks, no tick can.
func TestTicker(t *testing.T) {
	ticks := slices.Repeat([]act{sleeps(2, time.Nanosecond)}, 2*mostSteps)
	locks := []locked{{object: 7, id: 3}, {object: 9, id: 4}, {object: 9, id: 3}, {object: 7, id: 4}}
	waits := act{blocked, 0, func(f *fake) {
		for _, g := range f.threads[2:] {
			g.waits, g.locks = "sync.Mutex.Lock", f.locks != nil
		}
	}}
	const ran = "it does not end within 30000 steps: in the last 1000, only goroutine.1 ran, and "
	for _, c := range []struct {
		name            string
		main            act
		locks           []locked
		outside, failed string
		steps           int
	}{
		{"unknown locks", blocks, nil, ran + "goroutine.2 waits in sync.Mutex.Lock, goroutine.3 waits in sync.Mutex.Lock", "", mostSteps},
		{"one waits for the other", blocks, locks[1:3], ran + "goroutine.2 waits in sync.Mutex.Lock, locked by goroutine.3, goroutine.3 waits in sync.Mutex.Lock", "", mostSteps},
		{"each waits for the other", blocks, locks, "", "stuck: goroutines wait for each other's locks, and in the last 1000 steps only goroutine.1 ran", 2 * lately},
		{"the test goes on", yields, locks, "it does not end within 30000 steps: in the last 1000, only main, goroutine.1 ran, and goroutine.2 waits in sync.Mutex.Lock, " +
			"locked by goroutine.3, goroutine.3 waits in sync.Mutex.Lock, locked by goroutine.2", "", mostSteps + 1}, // an early tick was on its way
	} {
		f := &fake{locks: c.locks, awaited: []uintptr{0, 0, 9, 7}}
		sys := pulse.New(pulse.Options{})
		script := append([]act{starts(ticks...), starts(waits), starts(waits)}, slices.Repeat([]act{c.main}, mostSteps)...)
		end := f.door(script...).runTest(sys, 0, nil)
		failed := ""
		if sys.Failure() != nil {
			failed = sys.Failure().Text
		}
		if end.Outside != c.outside || failed != c.failed || sys.Steps() != c.steps {
			t.Errorf("%s: %q, %q after %d steps, want %q, %q after %d", c.name, end.Outside, failed, sys.Steps(), c.outside, c.failed, c.steps)
		}
		sys.Close()
	}
}

// TestOnlyClock: a ticker that no goroutine waits for may tick forever.
func TestOnlyClock(t *testing.T) {
	f := &fake{}
	d := f.door(blocks)
	d.times = func(control) (now, next int64) { return f.now, f.now + 1 }
	d.due = func(control, int64) int { return 1 }
	d.advance = func(_ control, now int64, _ int) (more bool) { f.now = now; return false }
	const want = "it does not end within 30000 steps: in the last 1000, only the clock ran, and main waits in chan receive"
	if end := d.runTest(pulse.New(pulse.Options{}), 0, nil); end.Outside != want {
		t.Errorf("%q, want %q", end.Outside, want)
	}
}

// TestChoices: a goroutine may ask for several choices within one step. The
// strategy answers each.
func TestChoices(t *testing.T) {
	f := &fake{}
	var answers []uint64
	note := func(f *fake) { answers = append(answers, f.answer) }
	sys := pulse.New(pulse.Options{Strategy: favorite(0), Record: true, Faults: pulse.Faults{Network: 5}})
	f.door(act{chooses, 3, note}, act{chooses, 7, note}, act{exited, 0, note}).runTest(sys, 0, nil)
	if !slices.Equal(answers, []uint64{0, 2, 6}) || len(sys.Trace().Steps) != 1 || f.faults != 5 {
		t.Error(answers, len(sys.Trace().Steps), f.faults)
	}
}

// TestFairChoices: if a step has many choices, each case of a select gets its turn.
func TestFairChoices(t *testing.T) {
	f := &fake{}
	seen := map[uint64]bool{}
	script := slices.Repeat([]act{{chooses, 3, func(f *fake) { seen[f.answer] = true }}}, mostChoices+4)
	sys := pulse.New(pulse.Options{Strategy: favorite(0)})
	if f.door(append(script, exits)...).run(sys, nil); len(seen) != 3 {
		t.Error(seen)
	}
}

// TestHolders: if a goroutine is stuck at a lock, the report names the
// goroutines that have locked that lock, possibly the stuck one itself. It does
// not name goroutines that also wait for the lock.
func TestHolders(t *testing.T) {
	waits := func(what string) act {
		return act{blocked, 0, func(f *fake) {
			for _, g := range f.threads {
				g.waits, g.locks = what, what != "sync.WaitGroup.Wait"
			}
		}}
	}
	for _, c := range []struct {
		name    string
		locks   []locked
		awaited []uintptr
		waits   string
		want    string
	}{
		{"two locks in two orders", []locked{{object: 7, id: 1}, {object: 9, id: 2}, {object: 9, id: 1}, {object: 7, id: 2}}, []uintptr{9, 7}, "sync.Mutex.Lock",
			"main waits in sync.Mutex.Lock, locked by g; g waits in sync.Mutex.Lock, locked by main; cycle: main → g → main"},
		{"one lock twice", []locked{{object: 7, id: 1}, {object: 7, id: 1}}, []uintptr{7, 0}, "sync.Mutex.Lock",
			"main waits in sync.Mutex.Lock, locked by main; g waits in sync.Mutex.Lock; cycle: main → main"},
		{"a reader behind a writer", []locked{{object: 7, id: 1, reads: true}, {object: 7, id: 2}, {object: 7, id: 1, reads: true}}, []uintptr{7, 7}, "sync.RWMutex.RLock",
			"main waits in sync.RWMutex.RLock, locked for reading by main; g waits in sync.RWMutex.RLock, locked for reading by main; cycle: main → main"},
		{"no lock", []locked{{object: 7, id: 1}}, []uintptr{7, 7}, "sync.WaitGroup.Wait", "main waits in sync.WaitGroup.Wait; g waits in sync.WaitGroup.Wait"},
	} {
		f := &fake{locks: c.locks, awaited: c.awaited}
		sys := pulse.New(pulse.Options{})
		f.door(starts(waits(c.waits)), blocks).run(sys, nil)
		got := strings.ReplaceAll(strings.ReplaceAll(strings.TrimSpace(sys.Failure().Detail), "\n    ", "; "), "goroutine", "g")
		if got != c.want || len(sys.Failure().Waits) != 2 {
			t.Errorf("%s:\n%s, want\n%s", c.name, got, c.want)
		}
	}
}

// TestChannels: a wait lists the channels of a select in the order of the lines
// that made them, whatever their addresses.
func TestChannels(t *testing.T) {
	var pcs [2]uintptr
	runtime.Callers(1, pcs[:1])
	runtime.Callers(1, pcs[1:])
	seen := map[string]bool{}
	for _, made := range [][]uintptr{{pcs[0], pcs[1]}, {pcs[1], pcs[0]}} {
		sys := pulse.New(pulse.Options{})
		(&fake{made: made}).door(blocks).run(sys, nil)
		seen[sys.Failure().Detail] = true
	}
	if len(seen) != 1 {
		t.Error(seen)
	}
}

// TestObjects: all operations on one object access the same number. A channel at the
// address of an older channel has a different number. A step with too many operations
// depends on all other steps.
func TestObjects(t *testing.T) {
	use := func(list ...fakeTouch) act { return act{yielded, 0, func(f *fake) { f.touches = list }} }
	f := &fake{}
	a, b := unsafe.Pointer(new(int)), unsafe.Pointer(new(int))
	sys := pulse.New(pulse.Options{Record: true})
	f.door(use(fakeTouch{opSync, a}), use(fakeTouch{opSync, b}, fakeTouch{opSync, a}), use(fakeTouch{opMake, a}, fakeTouch{opSend, a}),
		use(slices.Repeat([]fakeTouch{{opSync, a}}, touches+1)...), exits).runTest(sys, 0, nil)
	var objects []int32
	all := 0
	for _, x := range sys.Trace().Touches {
		switch x.What {
		case trace.AnObject:
			objects = append(objects, x.Actor)
		case trace.AllSteps:
			all++
		}
	}
	if len(objects) < 4 || objects[0] != objects[2] || objects[0] == objects[1] || objects[3] == objects[0] || all == 0 {
		t.Errorf("objects %v, %d times all steps", objects, all)
	}
}

// TestOrdinaryBuild: without the overlay nothing is controlled, and the failure says what
// to do.
func TestOrdinaryBuild(t *testing.T) {
	if Available() {
		t.Skip("this is a controlled build") // Skips: in builds with the overlay
	}
	told := 0
	sys := pulse.New(pulse.Options{Failed: func(*pulse.Failure) { told++ }})
	if Run(sys, func() { t.Error("it runs") }) || told != 1 || sys.Failure().Kind != pulse.KindMisuse || !strings.Contains(sys.Failure().Text, "jostle overlay --flags") {
		t.Error(sys.Failure())
	}
	sys = pulse.New(pulse.Options{})
	d := (&fake{}).door(exits)
	d.version++
	if d.run(sys, nil) || !strings.Contains(sys.Failure().Text, "another version of jostle") {
		t.Error(sys.Failure())
	}
}

// TestLayout: package runtime shares the struct of functions, so each field except
// version must have the size of one word.
func TestLayout(t *testing.T) {
	if n := unsafe.Sizeof(door{}) / unsafe.Sizeof(uintptr(0)); n != 19 {
		t.Errorf("the door has %d words: change jostleDoorTable and doorVersion too", n)
	}
}

// TestLabels: the message to a goroutine names the operation that the goroutine begins,
// or has waited for.
func TestLabels(t *testing.T) {
	for function, want := range map[string]string{
		"sync.(*Mutex).Lock":                        "Mutex.Lock",
		"sync.(*WaitGroup).Go.func1":                "",
		"sync/atomic.(*Pointer[go.shape.int]).Load": "Pointer.Load",
		"sync/atomic.jostleAddInt32":                "AddInt32",
		"runtime.chanrecv2":                         "receive",
		"runtime.selectnbsend":                      "try to send",
		"time.Sleep":                                "Sleep",
		"time.(*Timer).Reset":                       "Timer.Reset",
		"main.main":                                 "",
	} {
		if got := verbOf(function); got != want {
			t.Errorf("%s is %q, want %q", function, got, want)
		}
	}
	if got := siteOf(&state{}); got.String() != "start" || got != siteOf(&state{}) {
		t.Errorf("a new goroutine receives %v", got)
	}
	var pcs [1]uintptr
	runtime.Callers(0, pcs[:])
	s := state{op: opSend}
	s.callers[0] = pcs[0]
	if got := siteOf(&s).String(); !strings.HasPrefix(got, "send") {
		t.Error(got)
	}
	s.op = opNone
	if got := siteOf(&s).String(); !strings.HasPrefix(got, "after wait") {
		t.Error(got)
	}
}

// TestSlots: sites that differ in one caller only have different places in the cache.
func TestSlots(t *testing.T) {
	for i := range depth {
		slots := map[uint64]bool{}
		for pc := range uintptr(32) {
			s := state{op: opSend}
			s.callers[i] = 0x401000 + 16*pc
			slots[s.slot()] = true
		}
		if len(slots) < 28 {
			t.Errorf("caller %d: 32 sites have %d places", i, len(slots))
		}
	}
}
