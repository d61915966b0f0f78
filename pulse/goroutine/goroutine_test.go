package goroutine

import (
	"fmt"
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

// A fake is a runtime whose goroutines follow scripts.
type fake struct {
	threads []*fakeThread
	ready   []*fakeThread // those of which the driver has not been told
	now     int64
	timers  map[int64]int // the thread that each timer wakes
	touches []fakeTouch   // of the last step
	cause   string
	log     []string
	answer  uint64
	driven  bool
	faults  int // of the network
}

// A fakeThread is a goroutine.
type fakeThread struct {
	state
	script []act
}

// An act is what a goroutine does until it gives the control back.
type act struct {
	why reason
	n   uint64 // the number of answers to a choice
	do  func(*fake)
}

type fakeTouch struct {
	op     operation
	object uintptr
}

// spawn starts a goroutine with a script.
func (f *fake) spawn(script ...act) {
	g := &fakeThread{state: state{id: uint64(len(f.threads) + 1), waits: "chan receive"}, script: script}
	f.threads = append(f.threads, g)
	f.ready = append(f.ready, g)
}

func (f *fake) wake(id int) { f.ready = append(f.ready, f.threads[id-1]) }

func (f *fake) resume(g *fakeThread, answer uint64) (reason, uint64) {
	f.answer, f.touches = answer, nil
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

// door returns the functions of the fake. The goroutine that runs main follows script.
func (f *fake) door(script ...act) *door {
	f.timers = map[int64]int{}
	return &door{
		version: doorVersion,
		start:   func(_ uint64, faults int) control { f.faults = faults; return control(f) },
		drive:   func(c control) { f.driven = c != nil },
		spawn:   func(control, func()) { f.spawn(script...) },
		next: func(control) (thread, uint64) {
			if len(f.ready) == 0 {
				return nil, 0
			}
			g := f.ready[0]
			f.ready = f.ready[1:]
			return thread(g), g.id
		},
		resume: func(_ control, g thread, _ bool, answer uint64) (reason, uint64) {
			return f.resume((*fakeThread)(g), answer)
		},
		times: func(control) (now, next int64) {
			for at := range f.timers {
				if next == 0 || at < next {
					next = at
				}
			}
			return f.now, next
		},
		advance: func(_ control, now int64) {
			f.now = max(f.now, now)
			for at, id := range f.timers {
				if at <= f.now {
					delete(f.timers, at)
					f.wake(id)
				}
			}
		},
		look:  func(g thread, s *state) { *s = (*fakeThread)(g).state },
		stack: func(thread, []uintptr) int { return 0 },
		touched: func(_ control, i int) (operation, uintptr, int) {
			if i >= len(f.touches) || i >= touches {
				return 0, 0, len(f.touches)
			}
			return f.touches[i].op, f.touches[i].object, len(f.touches)
		},
		thrown:  func(control) any { return "lost" },
		outside: func(control) string { return f.cause },
	}
}

// Short forms of acts.
var (
	yields = act{why: yielded}
	blocks = act{why: blocked}
	exits  = act{why: exited}
)

func starts(script ...act) act { return act{yielded, 0, func(f *fake) { f.spawn(script...) }} }
func wakes(id int) act         { return act{yielded, 0, func(f *fake) { f.wake(id) }} }
func sleeps(id int, d time.Duration) act {
	return act{blocked, 0, func(f *fake) { f.timers[f.now+int64(d)] = id }}
}

// TestRunTest: how runs of tests end, and what takes steps in plain order.
func TestRunTest(t *testing.T) {
	for _, c := range []struct {
		name   string
		script []act
		steps  string // the goroutines that take steps, in order
		end    string
		failed string
	}{
		{"it ends", []act{yields, exits}, "1 1", "", ""},
		{"others go on", []act{starts(yields, exits), yields, yields, exits}, "1 2 1 2 1 1", "", ""},
		{"others are abandoned", []act{starts(blocks), yields, exits}, "1 2 1 1", "goroutine.2 in chan receive", ""},
		{"one wakes another", []act{starts(wakes(1), exits), blocks, exits}, "1 2 1 1", "goroutine.2 in chan receive", ""},
		{"it is stuck", []act{blocks}, "1", "", "stuck: 1 of 1 actors cannot go on, nothing is deliverable"},
		{"another is stuck too", []act{starts(blocks), blocks}, "1 2 1", "goroutine.2 in chan receive", "stuck: 1 of 2 actors cannot go on, nothing is deliverable"},
		{"it sleeps", []act{sleeps(1, time.Hour), exits}, "1 1", "", ""},
		{"timers fire in order", []act{starts(sleeps(2, time.Minute), exits), sleeps(1, time.Hour), exits}, "1 2 1 2 1", "", ""},
		{"it panics", []act{{why: panicked}}, "1", "", "panic in goroutine: lost"},
		{"it reads the network", []act{{blocked, 0, func(f *fake) { f.cause = "the network" }}}, "1", "it depends on the network", ""},
		{"another process has the answer", []act{starts(act{blocked, 0, func(f *fake) { f.cause = "another process" }}), blocks}, "1 2",
			"it depends on another process", ""},
	} {
		f := &fake{}
		sys := pulse.New(pulse.Options{})
		end := f.door(c.script...).runTest(sys, nil)
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

// TestRun: without a test, each goroutine must end.
func TestRun(t *testing.T) {
	f := &fake{}
	sys := pulse.New(pulse.Options{})
	if !f.door(starts(yields, exits), exits).run(sys, nil) || !slices.Equal(f.log, strings.Fields("1 2 1 2")) {
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

// favorite lets the actor with that number run whenever it can, and answers all choices
// with the largest number.
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

// TestPatience: a goroutine that can run does not wait for ever, and time passes
// meanwhile.
func TestPatience(t *testing.T) {
	f := &fake{}
	spins := slices.Repeat([]act{yields}, 1000)
	sys := pulse.New(pulse.Options{Strategy: favorite(1)})
	passed := int64(0)
	last := act{yielded, 0, func(f *fake) { passed = f.now }}
	f.door(append([]act{starts(yields, exits), starts(last, exits)}, append(spins, exits)...)...).runTest(sys, nil)
	first, second := slices.Index(f.log, "2"), slices.Index(f.log, "3")
	if sys.Failure() != nil || first < patience || first > 2*patience || second < first || second > 3*patience {
		t.Errorf("the others run at steps %d and %d: %v", first, second, sys.Failure())
	}
	if want := int64(time.Millisecond); passed != want {
		t.Errorf("%d ns have passed, want %d", passed, want)
	}
}

// TestSpin: for a goroutine that runs alone without waiting, time passes faster and
// faster, and no timer is missed.
func TestSpin(t *testing.T) {
	f := &fake{}
	script := append([]act{starts(sleeps(2, 5*time.Second), exits), yields}, slices.Repeat([]act{yields}, 14)...)
	f.door(append(script, exits)...).runTest(pulse.New(pulse.Options{}), nil)
	if n := slices.Index(f.log[3:], "2") + 3; n < 14 || n > 17 || f.now < int64(5*time.Second) {
		t.Errorf("after %v: %v", time.Duration(f.now), f.log)
	}
}

// TestEndless: the run of a test that does not end is not a failure.
func TestEndless(t *testing.T) {
	f := &fake{}
	sys := pulse.New(pulse.Options{})
	end := f.door(slices.Repeat([]act{yields}, mostSteps+1)...).runTest(sys, nil)
	if end.Outside != "it does not end within 30000 steps" || sys.Failure() != nil {
		t.Error(end, sys.Failure())
	}
}

// TestTicker: nor is that of a test that waits while a ticker goes on for ever.
func TestTicker(t *testing.T) {
	f := &fake{}
	ticks := slices.Repeat([]act{sleeps(2, time.Nanosecond)}, 2*mostSteps)
	sys := pulse.New(pulse.Options{})
	end := f.door(starts(ticks...), blocks).runTest(sys, nil)
	if end.Outside != "it does not end within 30000 steps" || sys.Failure() != nil {
		t.Error(end, sys.Failure())
	}
}

// TestChoices: the strategy answers the choices of a goroutine, within one step.
func TestChoices(t *testing.T) {
	f := &fake{}
	var answers []uint64
	note := func(f *fake) { answers = append(answers, f.answer) }
	sys := pulse.New(pulse.Options{Strategy: favorite(0), Record: true, Faults: pulse.Faults{Network: 5}})
	f.door(act{chooses, 3, note}, act{chooses, 7, note}, act{exited, 0, note}).runTest(sys, nil)
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

// TestObjects: the operations on one object are accesses to one number, and a channel
// made at the address of an older one has another number. Steps with too many operations
// depend on all others.
func TestObjects(t *testing.T) {
	use := func(list ...fakeTouch) act { return act{yielded, 0, func(f *fake) { f.touches = list }} }
	f := &fake{}
	sys := pulse.New(pulse.Options{Record: true})
	f.door(use(fakeTouch{opSync, 64}), use(fakeTouch{opSync, 128}, fakeTouch{opSync, 64}), use(fakeTouch{opMake, 64}, fakeTouch{opSend, 64}),
		use(slices.Repeat([]fakeTouch{{opSync, 64}}, touches+1)...), exits).runTest(sys, nil)
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
	sys := pulse.New(pulse.Options{})
	if Run(sys, func() { t.Error("it runs") }) || sys.Failure().Kind != pulse.KindMisuse || !strings.Contains(sys.Failure().Text, "jostle test") {
		t.Error(sys.Failure())
	}
	sys = pulse.New(pulse.Options{})
	d := (&fake{}).door(exits)
	d.version++
	if d.run(sys, nil) || !strings.Contains(sys.Failure().Text, "another version of jostle") {
		t.Error(sys.Failure())
	}
}

// TestLayout: the table of functions is shared with package runtime, so each entry is one
// word but the version.
func TestLayout(t *testing.T) {
	if n := unsafe.Sizeof(door{}) / unsafe.Sizeof(uintptr(0)); n != 13 {
		t.Errorf("the door has %d words: change jostleDoorTable and doorVersion too", n)
	}
}

// TestLabels: a message says which operation a goroutine begins or has waited for.
func TestLabels(t *testing.T) {
	for function, want := range map[string]string{
		"sync.(*Mutex).Lock":                        "Mutex.Lock",
		"sync.(*WaitGroup).Go.func1":                "",
		"sync/atomic.(*Pointer[go.shape.int]).Load": "Pointer.Load",
		"runtime.chanrecv2":                         "receive",
		"runtime.selectnbsend":                      "try to send",
		"time.Sleep":                                "Sleep",
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
