package pulse_test

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/jostle-go/jostle/fuzz/subjects/server"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
)

// stater is a strategy that makes all possible decisions, different ones in
// each run, like an odometer. It calls the function seen before each step.
type stater struct {
	digits []stateDigit
	at     int
	seen   func(*pulse.Enabled)
}

// A stateDigit is one decision of the run: value is the answer, of is the number of possible answers.
type stateDigit struct{ value, of int }

func (e *stater) Begin(uint64) {}

func (e *stater) Needs() pulse.Needs { return pulse.Needs{Single: true, States: true} }

func (e *stater) Pick(enabled *pulse.Enabled) int {
	if e.seen != nil {
		e.seen(enabled)
	}
	return e.decide(enabled.Len())
}

func (e *stater) Choose(_ choice.Kind, n int) int { return e.decide(n) }

func (e *stater) decide(n int) int {
	if e.at == len(e.digits) {
		e.digits = append(e.digits, stateDigit{0, n})
	}
	e.at++
	return e.digits[e.at-1].value
}

// path returns the decisions so far as text.
func (e *stater) path() string { return fmt.Sprint(e.digits[:e.at]) }

// next advances to the next order and reports whether there was one.
func (e *stater) next() bool {
	e.at = 0
	for n := len(e.digits) - 1; n >= 0; n-- {
		d := &e.digits[n]
		if d.value++; d.value < d.of {
			return true
		}
		e.digits = e.digits[:n]
	}
	return false
}

// stateSystem returns a system that has states and follows given decisions,
// then zeros.
func stateSystem(tb testing.TB, o pulse.Options, decisions ...int) *pulse.System {
	e := &stater{}
	for _, v := range decisions {
		e.digits = append(e.digits, stateDigit{v, v + 1})
	}
	o.Strategy = e
	sys := pulse.New(o)
	tb.Cleanup(sys.Close)
	return sys
}

// A stated is a state as a hash and as a text.
type stated struct {
	hash uint64
	text string
}

func stateNow(sys *pulse.System) stated { return stated{sys.State(), sys.StateText()} }

// compareStates checks whether two states have equal hashes and equal texts.
func compareStates(t *testing.T, a, b stated, same bool) {
	t.Helper()
	if (a.hash == b.hash) != same || (a.text == b.text) != same {
		t.Errorf("hashes are equal: %t, texts are equal: %t, want %t:\n%s%s", a.hash == b.hash, a.text == b.text, same, a.text, b.text)
	}
}

// keeps is an actor whose state is a value.
type keeps[T any] struct{ value T }

func (*keeps[T]) Receive(*pulse.Ctx, any) {}

func stateOfValue[T any](t *testing.T, v T) stated {
	sys := stateSystem(t, pulse.Options{})
	sys.Spawn("a", &keeps[T]{v})
	return stateNow(sys)
}

type stateNode struct {
	n    int
	next *stateNode
	any  any
}

type statePair struct{ a, b *stateNode }

// stateLists has pointers to elements of its own slice. A walk reaches one
// pointer before the slice and the other after it.
type stateLists struct {
	before *stateNode
	items  []stateNode
	after  *stateNode
}

func newLists(before, after int) stateLists {
	l := stateLists{items: make([]stateNode, 3)}
	l.before, l.after = &stateNode{}, &stateNode{}
	if before >= 0 {
		l.before = &l.items[before]
	}
	if after >= 0 {
		l.after = &l.items[after]
	}
	return l
}

func stateCircle(n int) *stateNode {
	first := &stateNode{n: 1}
	last := first
	for range n - 1 {
		last.next = &stateNode{n: 1}
		last = last.next
	}
	last.next = first
	return first
}

func sharedPair() statePair {
	n := &stateNode{n: 1}
	return statePair{n, n}
}

func mapOf(n int, order func(i int) int) map[string]int {
	m := map[string]int{}
	for i := range n {
		m[fmt.Sprint(order(i))] = order(i)
	}
	return m
}

func pointersOf(m map[string]int) map[string]*stateNode {
	list := map[string]*stateNode{}
	for k, v := range m {
		list[k] = &stateNode{n: v}
	}
	return list
}

func selfMap() map[string]any {
	m := map[string]any{}
	m["me"] = m
	return m
}

func selfSlice(n int) []any {
	s := make([]any, n)
	s[n-1] = s
	return s
}

func twoParts(of []int, a, b int) [2][]int { return [2][]int{of[a : a+1], of[b : b+1]} }

// twoCapacities returns two slices with the same start and length, but capacities 4 and n.
func twoCapacities(n int) [2][]int {
	list := make([]int, 4)
	return [2][]int{list[:1], list[:1:n]}
}

// builderOf returns a Builder with unused capacity that has old contents.
func builderOf(text string) *strings.Builder {
	b := &strings.Builder{}
	b.Grow(1000)
	b.WriteString(text)
	return b
}

type boxed struct{ p *stateNode }

func TestStateOfValues(t *testing.T) {
	up, back := func(i int) int { return i }, func(i int) int { return 99 - i }
	n := &stateNode{}
	zeros := make([]int, 4)
	for _, c := range []struct {
		name string
		a, b any
		same bool
	}{
		{"numbers", 1, 2, false},
		{"types of numbers", int32(1), int64(1), false},
		{"nil", nil, 0, false},
		{"unexported fields", stateNode{n: 1}, stateNode{n: 2}, false},
		{"small numbers", [4]any{int8(-1), uint16(2), uint8(3), true}, [4]any{int8(-1), uint16(2), uint8(3), true}, true},
		{"truth", true, false, false},
		{"floats", 1.5, 1.25, false},
		{"zeros", 0.0, math.Copysign(0, -1), false},
		{"no numbers", math.NaN(), math.NaN(), true},
		{"complex", complex(1, 2), complex(2, 1), false},
		{"small complex", complex64(complex(1, 2)), complex64(complex(1, 2)), true},
		{"strings", "a string of some length", "a string of some Length", false},
		{"strings of zeros", "\x00", "", false},
		{"where strings part", [2]string{"ab", "c"}, [2]string{"a", "bc"}, false},
		{"bytes", []byte("0123456789"), []byte("0123456789"), true},
		{"other bytes", []byte("0123456789"), []byte("0123456780"), false},
		{"slices", []int{1, 2}, []int{2, 1}, false},
		{"empty slices", []int{}, []int(nil), false},
		{"where slices part", [2][]int{{1, 2}, {3}}, [2][]int{{1}, {2, 3}}, false},
		{"order in maps", mapOf(100, up), mapOf(100, back), true},
		{"values in maps", mapOf(10, up), mapOf(11, up), false},
		{"keys in maps", map[int]int{1: 2, 3: 4}, map[int]int{1: 4, 3: 2}, false},
		{"empty maps", map[int]int{}, map[int]int(nil), false},
		{"pointers in maps", pointersOf(mapOf(50, up)), pointersOf(mapOf(50, up)), true},
		{"other pointers in maps", map[string]*stateNode{"a": n, "b": n}, map[string]*stateNode{"a": n, "b": {}}, false},
		{"any keys", map[any]int{1: 1, "a": 2, int8(1): 3}, map[any]int{int8(1): 3, "a": 2, 1: 1}, true},
		{"pointers as keys", map[*stateNode]int{{n: 1}: 1, {n: 2}: 2}, map[*stateNode]int{{n: 2}: 2, {n: 1}: 1}, true},
		{"other pointers as keys", map[*stateNode]int{{n: 1}: 1, {n: 2}: 2}, map[*stateNode]int{{n: 2}: 1, {n: 1}: 2}, false},
		{"pointers", statePair{&stateNode{n: 1}, &stateNode{n: 1}}, statePair{&stateNode{n: 1}, &stateNode{n: 1}}, true},
		{"sharing", sharedPair(), statePair{&stateNode{n: 1}, &stateNode{n: 1}}, false},
		{"shared", sharedPair(), sharedPair(), true},
		{"nil pointers", statePair{}, statePair{a: n}, false},
		{"circles", stateCircle(3), stateCircle(3), true},
		{"lengths of circles", stateCircle(3), stateCircle(4), false},
		{"maps in themselves", selfMap(), selfMap(), true},
		{"slices in themselves", selfSlice(2), selfSlice(2), true},
		{"other slices in themselves", selfSlice(2), selfSlice(3), false},
		{"pointer to nothing", [2]*struct{}{{}, {}}, [2]*struct{}{{}, {}}, true},
		{"structs in place of pointers", [2]any{boxed{n}, n}, [2]any{boxed{n}, n}, true},
		{"other structs in place of pointers", [2]any{boxed{n}, n}, [2]any{boxed{n}, &stateNode{}}, false},
		{"pointers into slices", newLists(1, 2), newLists(1, 2), true},
		{"other pointers into slices", newLists(1, 2), newLists(1, 1), false},
		{"earlier pointers into slices", newLists(0, 2), newLists(1, 2), false},
		{"pointers out of slices", newLists(-1, 2), newLists(1, 2), false},
		{"parts of an array", twoParts(zeros, 1, 2), twoParts(make([]int, 4), 1, 2), true},
		{"one part of an array", twoParts(zeros, 1, 2), twoParts(zeros, 1, 1), false},
		{"far parts of an array", twoParts(zeros, 1, 2), twoParts(zeros, 1, 3), false},
		{"own arrays", twoParts(zeros, 1, 2), [2][]int{{0}, {0}}, false},
		{"capacities", make([]int, 1, 4), make([]int, 1), false},
		{"equal capacities", make([]int, 1, 4), make([]int, 1, 4), true},
		{"capacities of nothing", make([]struct{}, 1, 4), make([]struct{}, 1), false},
		{"behind the length", []int{1, 2}[:1], []int{1, 3}[:1], false},
		{"behind the length of bytes", []byte("ab")[:1], []byte("ac")[:1], false},
		{"two capacities of one array", twoCapacities(2), twoCapacities(2), true},
		{"other capacities of one array", twoCapacities(2), twoCapacities(3), false},
		{"builders", builderOf("some text"), builderOf("some text"), true},
		{"texts of builders", builderOf("some text"), builderOf("some Text"), false},
		{"nil functions", [1]func(){}, [1]func(){}, true},
		{"locks", &sync.Mutex{}, &sync.Mutex{}, true},
		{"tests", t, &testing.T{}, true},
		{"times", time.Unix(5, 0), time.Unix(5, 0), true},
		{"other times", time.Unix(5, 0), time.Unix(6, 0), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, b := stateOfValue(t, c.a), stateOfValue(t, c.b)
			compareStates(t, a, b, c.same)
			compareStates(t, a, stateOfValue(t, c.a), true)
			if strings.Contains(a.text, "history") {
				t.Errorf("cannot be read: %s", a.text)
			}
		})
	}
}

// TestStateOfSharing: a state includes which memory actors and
// messages share, in all ways of sharing it.
func TestStateOfSharing(t *testing.T) {
	type list = []int
	of := func(a, b, msg any) stated {
		sys := stateSystem(t, pulse.Options{})
		to := sys.Spawn("a", &keeps[any]{a})
		sys.Spawn("b", &keeps[any]{b})
		sys.Send(to, msg)
		return stateNow(sys)
	}
	one, array := &stateNode{n: 1}, make(list, 1, 4)
	box, boxes := any(&stateNode{n: 1}), [2]any{&stateNode{n: 1}, &stateNode{n: 1}}
	for name, c := range map[string][2]stated{
		"actors":                {of(one, one, 1), of(one, &stateNode{n: 1}, 1)},
		"behind interfaces":     {of([1]any{box}, [1]any{box}, 1), of([1]any{boxes[0]}, [1]any{boxes[1]}, 1)},
		"actor and message":     {of(one, 1, one), of(one, 1, &stateNode{n: 1})},
		"arrays":                {of(array, array, 1), of(array, make(list, 1, 4), 1)},
		"arrays in messages":    {of(array, 1, array), of(array, 1, make(list, 1, 4))},
		"parts of an array":     {of(array, array[1:2], 1), of(array, make(list, 1, 3), 1)},
		"a part and an element": {of(array[:1], &array[:2][1], 1), of(array[:1], new(int), 1)},
		"a field":               {of(one, &one.n, 1), of(one, func() *int { i := 1; return &i }(), 1)},
	} {
		compareStates(t, c[0], c[1], false)
		if t.Failed() {
			t.Fatal(name)
		}
	}
	same, apart := twoMaps(true), twoMaps(false)
	compareStates(t, of(same[0], same[1], 1), of(apart[0], apart[1], 1), false)
}

func twoMaps(same bool) [2]map[int]int {
	m := map[int]int{1: 1}
	if same {
		return [2]map[int]int{m, m}
	}
	return [2]map[int]int{m, {1: 1}}
}

// TestStateOfWhatCannotBeRead checks that the messages received, in order, are
// the state of an actor whose fields cannot be read.
func TestStateOfWhatCannotBeRead(t *testing.T) {
	twins := map[*stateNode]int{{}: 0, {}: 0}
	for name, v := range map[string]any{
		"functions": func() {}, "channels": make(chan int), "functions inside": &struct{ f any }{func() {}}, "twins as keys": twins,
		"methods": (&adder{}).Receive, "unsafe pointers": unsafe.Pointer(t), "atomic pointers": atomicPointer(), "long lists": longList(100_000),
		"contexts": canceled(), "keys that lead to keys": keysOfKeys(100), "maps of the library": syncMap(),
	} {
		t.Run(name, func(t *testing.T) {
			after := func(messages ...any) stated {
				sys := stateSystem(t, pulse.Options{})
				a := sys.Spawn("a", &keeps[any]{v})
				for _, m := range messages {
					sys.Send(a, m)
				}
				sys.Run()
				return stateNow(sys)
			}
			compareStates(t, after(1, 2), after(1, 2), true)
			compareStates(t, after(1, 2), after(2, 1), false)
			if s := after(); !strings.Contains(s.text, "history") {
				t.Errorf("it was read: %s", s.text)
			}
		})
	}
}

func atomicPointer() *atomic.Pointer[int] {
	p := &atomic.Pointer[int]{}
	p.Store(new(int))
	return p
}

func longList(n int) (list *stateNode) {
	for range n {
		list = &stateNode{next: list}
	}
	return list
}

func canceled() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

func syncMap() *sync.Map {
	m := &sync.Map{}
	m.Store(1, 1)
	return m
}

// keysOfKeys returns n maps, each a key of the previous one. To sort one map,
// the next must be sorted twice.
func keysOfKeys(n int) any {
	type node struct{ m map[*node]*node }
	first := &node{}
	for range n {
		first = &node{map[*node]*node{first: first, {}: nil}}
	}
	return first
}

// adder adds up its messages, and stores the sender of the last question.
type adder struct {
	sum  int
	from pulse.Ref
}

func (c *adder) Receive(ctx *pulse.Ctx, msg any) {
	c.sum += msg.(int)
	c.from = ctx.Sender()
}

// liar has a Hash that ignores the state.
type liar struct{ seen, unseen int }

func (l *liar) Receive(_ *pulse.Ctx, msg any) {}
func (l *liar) Hash() uint64                  { return uint64(l.seen) }

func TestStateByHash(t *testing.T) {
	of := func(l liar) stated {
		sys := stateSystem(t, pulse.Options{})
		sys.Spawn("a", &l)
		return stateNow(sys)
	}
	a, b, c := of(liar{1, 1}), of(liar{1, 2}), of(liar{2, 1})
	if a.hash != b.hash || a.hash == c.hash {
		t.Errorf("the states do not follow Hash: %x, %x, %x", a.hash, b.hash, c.hash)
	}
	if a.text == b.text {
		t.Errorf("the text hides the lie: %s", a.text)
	}
}

// sendsTo spawns two adders and sends to them in an order.
func sendsTo(names string) func(*pulse.System) {
	return func(sys *pulse.System) {
		refs := map[rune]pulse.Ref{'a': sys.Spawn("a", &adder{}), 'b': sys.Spawn("b", &adder{})}
		for i, name := range names {
			sys.Send(refs[name], i)
		}
	}
}

// obeys is an actor that performs the actions it receives as messages.
type obeys struct{ timer pulse.Timer }

type (
	setTimers []int
	stopNth   int
	watchIt   struct{ who pulse.Ref }
	stopIt    struct{}
	becomeIt  struct{ to pulse.Actor }
	sendIt    struct {
		to  pulse.Ref
		msg any
	}
)

func (s *obeys) Receive(ctx *pulse.Ctx, msg any) {
	switch msg := msg.(type) {
	case setTimers:
		for _, d := range msg {
			s.timer = ctx.After(time.Duration(d), d%10)
		}
	case watchIt:
		ctx.Watch(msg.who)
	case stopIt:
		ctx.Stop()
	case becomeIt:
		ctx.Become(msg.to)
	case sendIt:
		ctx.Send(msg.to, msg.msg)
	case stopNth:
		s.timer.Stop()
	}
}

// scripted spawns two actors of type obeys, a and b, and sends the messages to
// a. Each message is an action for a to perform, which may involve b.
func scripted(messages ...any) func(*pulse.System) {
	return func(sys *pulse.System) {
		a := sys.Spawn("a", &obeys{})
		b := sys.Spawn("b", &obeys{})
		for _, m := range messages {
			switch x := m.(type) {
			case watchIt:
				m = watchIt{b}
			case sendIt:
				m = sendIt{b, x.msg}
			}
			sys.Send(a, m)
		}
		sys.RunFor(0)
	}
}

// ticking has an actor set a periodic timer and lets time pass.
func ticking(period, until time.Duration) func(*pulse.System) {
	return func(sys *pulse.System) {
		sys.Send(sys.Spawn("a", pulse.Func(func(ctx *pulse.Ctx, msg any) {
			if msg == 0 {
				ctx.Every(period, 1)
			}
		})), 0)
		sys.RunFor(until)
	}
}

// writes has an actor write to its disk in its start step.
func writes(text string) func(*pulse.System) {
	return func(sys *pulse.System) {
		sys.Send(sys.Spawn("it", pulse.Func(func(ctx *pulse.Ctx, _ any) { scribbles(ctx, text) })), 1)
		sys.Run()
	}
}

// A struck is a sequence of Nemesis calls that the test makes on two actors.
type struck func(n pulse.Nemesis, r []pulse.Ref)

func cuts(from, to int) struck { return func(n pulse.Nemesis, r []pulse.Ref) { n.Cut(r[from], r[to]) } }
func loses(count int) struck {
	return func(n pulse.Nemesis, r []pulse.Ref) { n.Lose(r[0], r[1], count) }
}
func heals(n pulse.Nemesis, _ []pulse.Ref)   { n.Heal() }
func crashes(n pulse.Nemesis, r []pulse.Ref) { n.Crash(r[0]) }

func delays(d time.Duration) struck {
	return func(n pulse.Nemesis, r []pulse.Ref) { n.Delay(r[0], r[1], d) }
}

func restarts(lost bool) struck {
	return func(n pulse.Nemesis, r []pulse.Ref) {
		if lost {
			n.RestartLost(r[0])
		} else {
			n.RestartKept(r[0])
		}
	}
}

// linked makes two actors, one of them unreadable, and makes Nemesis calls on them.
func linked(list ...struck) func(*pulse.System) {
	return func(sys *pulse.System) {
		a := sys.SpawnSpec(pulse.Spec{Name: "a", New: func() pulse.Actor { return pulse.Func(func(*pulse.Ctx, any) {}) }})
		b := sys.Spawn("b", &sums{})
		for _, f := range list {
			f(sys.Nemesis(), []pulse.Ref{a, b})
		}
	}
}

// specified spawns the actor of a Spec, and sends it messages.
func specified(spec pulse.Spec, messages ...any) func(*pulse.System) {
	return func(sys *pulse.System) {
		s := spec
		if s.Name = "a"; s.New == nil {
			s.Actor = &touchy{}
		}
		a := sys.SpawnSpec(s)
		for _, m := range messages {
			sys.Send(a, m)
		}
		sys.RunFor(0)
	}
}

// A touchy actor panics when it receives "panic". It has no fields.
type touchy struct{}

func (*touchy) Receive(_ *pulse.Ctx, msg any) {
	if msg == "panic" {
		panic(msg)
	}
}

// A told actor is a touchy actor (it panics when it receives "panic") with a
// Started method.
type told struct{ touchy }

func (*told) Started(*pulse.Ctx, pulse.Start) {}

// startsStruck spawns a Starter. It makes some Nemesis calls before the Starter's first start
// arrives, and others after.
func startsStruck(before, after []struck) func(*pulse.System) {
	return func(sys *pulse.System) {
		a := sys.SpawnSpec(pulse.Spec{Name: "a", New: func() pulse.Actor { return &told{} }})
		for _, f := range before {
			f(sys.Nemesis(), []pulse.Ref{a})
		}
		sys.RunFor(0)
		for _, f := range after {
			f(sys.Nemesis(), []pulse.Ref{a})
		}
	}
}

// sentTo runs a process that calls send, which sends 1 to an actor that accepts
// nothing. The histories of both actors must be equal for all ways to send.
func sentTo(send func(p *pulse.Process, to pulse.Ref)) func(*pulse.System) {
	return func(sys *pulse.System) {
		to := sys.Go("to", func(p *pulse.Process) { p.ReceiveMatch(func(any) bool { return false }) })
		sys.Go("from", func(p *pulse.Process) { send(p, to); p.Receive() })
		sys.RunFor(time.Second)
	}
}

// accepting has a hosted actor accept only some messages. Then it sends messages to the actor.
func accepting(match func(msg any) bool, messages ...any) func(*pulse.System) {
	return func(sys *pulse.System) {
		a := sys.Spawn("a", &touchy{})
		sys.Host().Accept(a, match)
		for _, m := range messages {
			sys.Send(a, m)
		}
	}
}

// endsWith has an actor end while its messages to another actor are held up. The
// other actor learns of the end by a Down, if it watches, or from the actor itself.
func endsWith(watched bool) func(*pulse.System) {
	return func(sys *pulse.System) {
		var it, watcher pulse.Ref
		watcher = sys.Spawn("watcher", pulse.Func(func(ctx *pulse.Ctx, msg any) {
			if watched {
				ctx.Watch(it)
			}
		}))
		it = sys.Spawn("it", pulse.Func(func(ctx *pulse.Ctx, _ any) {
			if !watched {
				ctx.Send(watcher, pulse.Down{Actor: ctx.Self(), Reason: "stopped"})
			}
			ctx.Stop()
		}))
		sys.Send(watcher, 1)
		sys.Run()
		sys.Nemesis().Cut(it, watcher)
		sys.Send(it, 1)
		sys.RunFor(0)
	}
}

func TestStateOfSystems(t *testing.T) {
	anew := func() pulse.Actor { return &touchy{} }
	yes, isOne := func(any) bool { return true }, func(msg any) bool { return msg == 1 }
	for _, c := range []struct {
		name     string
		o        pulse.Options
		one, two func(*pulse.System)
		same     bool
	}{
		{"channels", pulse.Options{}, sendsTo("ab"), sendsTo("ab"), true},
		{"receivers", pulse.Options{}, sendsTo("ab"), sendsTo("ba"), false},
		{"timers", pulse.Options{}, scripted(setTimers{5}), scripted(setTimers{5}), true},
		{"times of timers", pulse.Options{}, scripted(setTimers{5}), scripted(setTimers{15}), false},
		{"bodies of timers", pulse.Options{}, scripted(setTimers{5, 5}), scripted(setTimers{5}), false},
		{"stopped timers", pulse.Options{}, scripted(setTimers{5}, stopNth(0), setTimers{5}), scripted(setTimers{7}, stopNth(0), setTimers{5}), true},
		{"which timer is kept", pulse.Options{}, scripted(setTimers{5, 7}), scripted(setTimers{7, 5}), false},
		{"watchers", pulse.Options{}, scripted(watchIt{}, 1), scripted(1, 1), false},
		{"ends", pulse.Options{}, scripted(stopIt{}), scripted(1), false},
		{"handlers", pulse.Options{}, scripted(becomeIt{&adder{}}), scripted(1), false},
		{"handlers of one type", pulse.Options{}, scripted(becomeIt{&adder{}}), scripted(becomeIt{&adder{}}), true},
		{"what the test has sent", pulse.Options{}, scripted(1), scripted(1, 1), false},
		{"time", pulse.Options{}, scripted(setTimers{5}), func(sys *pulse.System) {
			scripted(setTimers{5})(sys)
			sys.RunFor(1)
		}, false},
		{"periods", pulse.Options{}, ticking(5, 0), ticking(6, 0), false},
		{"disks", pulse.Options{}, writes("1!"), writes("1!"), true},
		{"what is on a disk", pulse.Options{}, writes("1!"), writes("2!"), false},
		{"what is synced", pulse.Options{}, writes("1!a"), writes("1a!"), false},
		{"what was written over, synced", pulse.Options{}, writes("2a1b!"), writes("b1a!"), true},
		{"what was written over, not synced", pulse.Options{}, writes("21"), writes("1"), false},
		{"the order of writes", pulse.Options{}, writes("ab"), writes("ba"), false},
		{"a disk that is empty again", pulse.Options{}, writes("1!-!"), writes("-!"), true},
		{"whose start is to come", pulse.Options{}, func(sys *pulse.System) { sys.Spawn("it", scribbler{}) }, func(sys *pulse.System) {
			sys.Spawn("it", scribbler{})
			sys.Run()
		}, false},
		{"what follows a panic", pulse.Options{}, specified(pulse.Spec{OnPanic: pulse.OnPanicStop}), specified(pulse.Spec{}), false},
		{"how many restarts there may be", pulse.Options{}, specified(pulse.Spec{Restarts: 2}), specified(pulse.Spec{Restarts: 3}), false},
		{"how many restarts there were", pulse.Options{}, specified(pulse.Spec{OnPanic: pulse.OnPanicRestart, New: anew}, "panic"),
			specified(pulse.Spec{OnPanic: pulse.OnPanicRestart, New: anew}, "none"), false},
		{"who is safe", pulse.Options{}, specified(pulse.Spec{Safe: true}), specified(pulse.Spec{}), false},
		{"who can be made anew", pulse.Options{}, specified(pulse.Spec{New: anew}), specified(pulse.Spec{}), false},
		{"room", pulse.Options{}, specified(pulse.Spec{Mailbox: 1}), specified(pulse.Spec{Mailbox: 2}), false},
		{"any room", pulse.Options{}, specified(pulse.Spec{Mailbox: 1}), specified(pulse.Spec{}), false},
		{"no more room", pulse.Options{}, specified(pulse.Spec{Mailbox: 1, OnFull: pulse.OnFullFail}), specified(pulse.Spec{Mailbox: 1}), false},
		{"the same spec", pulse.Options{}, specified(pulse.Spec{Mailbox: 1, Restarts: 2, Safe: true}), specified(pulse.Spec{Mailbox: 1, Restarts: 2, Safe: true}), true},
		{"who is down", pulse.Options{}, func(sys *pulse.System) { sys.Nemesis().Crash(sys.Spawn("a", &touchy{})) }, func(sys *pulse.System) { sys.Spawn("a", &touchy{}) }, false},
		{"who is down, whatever it would accept", pulse.Options{}, func(sys *pulse.System) {
			a := sys.Spawn("a", &touchy{})
			sys.Nemesis().Crash(a)
			sys.Host().Accept(a, nil)
		}, func(sys *pulse.System) { sys.Spawn("a", &touchy{}) }, false},
		{"who was not told of its start, and is down", pulse.Options{}, startsStruck([]struck{crashes}, nil), startsStruck(nil, []struck{crashes}), false},
		{"of which start it was not told, and is down", pulse.Options{}, startsStruck([]struck{crashes, restarts(true), crashes}, nil),
			startsStruck(nil, []struck{crashes, restarts(true), crashes}), false},
		{"of which start it is to be told", pulse.Options{}, startsStruck(nil, []struck{crashes, restarts(true)}), startsStruck(nil, []struck{crashes, restarts(false)}), false},
		{"whether messages are limited", pulse.Options{}, accepting(yes), accepting(nil), false},
		{"what is accepted", pulse.Options{}, accepting(yes, 1, 2), accepting(isOne, 1, 2), true},
		{"what is accepted first", pulse.Options{}, accepting(yes, 2, 1), accepting(isOne, 2, 1), false},
		{"what is asked", pulse.Options{}, sentTo(func(p *pulse.Process, to pulse.Ref) { p.AskTimeout(to, 1, 1) }),
			sentTo(func(p *pulse.Process, to pulse.Ref) { p.Send(to, 1); p.Sleep(1) }), false},
		{"what says that one has ended", pulse.Options{}, endsWith(true), endsWith(false), false},
		{"cuts", pulse.Options{}, linked(cuts(0, 1)), linked(), false},
		{"ways of cuts", pulse.Options{}, linked(cuts(0, 1)), linked(cuts(1, 0)), false},
		{"order of cuts", pulse.Options{}, linked(cuts(0, 1), cuts(1, 0)), linked(cuts(1, 0), cuts(0, 1)), true},
		{"cuts that were healed", pulse.Options{}, linked(cuts(0, 1), heals), linked(), true},
		{"losses", pulse.Options{}, linked(loses(1)), linked(loses(2)), false},
		{"losses that were ended", pulse.Options{}, linked(loses(1), loses(0)), linked(), true},
		{"delays", pulse.Options{}, linked(delays(1)), linked(delays(2)), false},
		{"partitions by cuts", pulse.Options{}, linked(cuts(0, 1), cuts(1, 0)), linked(func(n pulse.Nemesis, r []pulse.Ref) {
			n.Partition(r[:1], r[1:])
		}), true},
		{"a restart of what cannot be read", pulse.Options{}, linked(crashes, restarts(false)), linked(crashes, restarts(true)), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			state := func(build func(*pulse.System)) stated {
				sys := stateSystem(t, c.o)
				build(sys)
				return stateNow(sys)
			}
			compareStates(t, state(c.one), state(c.two), c.same)
		})
	}
}

// A readAloud is a strategy that needs states. It answers Choose from a list, then with zero.
type readAloud struct{ list []int }

func (*readAloud) Begin(uint64)              {}
func (*readAloud) Pick(e *pulse.Enabled) int { return e.Oldest() }
func (*readAloud) Needs() pulse.Needs        { return pulse.Needs{States: true} }
func (r *readAloud) Choose(choice.Kind, int) int {
	if len(r.list) == 0 {
		return 0
	}
	v := r.list[0]
	r.list = r.list[1:]
	return v
}

// TestStateOfCrashes checks that the history of an unreadable actor includes its
// crashes, and what it has read from its disk after them.
func TestStateOfCrashes(t *testing.T) {
	state := func(build func(*pulse.System), faults pulse.Faults, decisions ...int) stated {
		sys := newSystem(t, pulse.Options{Faults: faults, Strategy: &readAloud{decisions}})
		build(sys)
		sys.Run()
		if s := sys.Steps(); s < 2 {
			t.Errorf("%d steps: there was no crash", s)
		}
		return stateNow(sys)
	}
	twice := func(sys *pulse.System) {
		n := 0
		sys.Send(sys.Spawn("it", pulse.Func(func(ctx *pulse.Ctx, _ any) {
			ctx.MayCrash()
			n++
			ctx.MayCrash()
		})), 1)
	}
	kept := pulse.Faults{Crash: 1, RestartKept: 1}
	compareStates(t, state(twice, kept, 0, 1, 1), state(twice, kept, 0, 1, 1), true)
	compareStates(t, state(twice, kept, 0, 1, 1), state(twice, kept, 0, 0, 1, 1), false)
	reads := func(sys *pulse.System) {
		sys.Go("it", func(p *pulse.Process) {
			_, there := p.Disk().Read("a")
			p.Disk().Write("a", 1)
			if p.Started() != pulse.StartNew {
				p.Disk().Sync()
			}
			p.Receive()
			p.Log("%v", there)
		})
	}
	lost := pulse.Faults{Crash: 1, RestartLost: 1}
	compareStates(t, state(reads, lost, 0, 1, 0, 1), state(reads, lost, 0, 1, 0, 1), true)
	compareStates(t, state(reads, lost, 0, 1, 0, 1), state(reads, lost, 0, 1, 1, 1), false)
}

// TestStateOfOrders checks which orders of a list lead to the same state.
func TestStateOfOrders(t *testing.T) {
	fan := func(handler func() pulse.Actor) func(*pulse.System) {
		return func(sys *pulse.System) {
			to := sys.Spawn("to", handler())
			for i := range 3 {
				from := sys.Spawn("from", &obeys{})
				sys.Send(from, sendIt{to, 1 << i})
			}
		}
	}
	log := &keeps[[]int]{}
	for _, c := range []struct {
		name                string
		o                   pulse.Options
		build               func(*pulse.System)
		orders, states, end int
	}{
		// a state is determined by which of the 3 senders have taken their step, and
		// by the messages received so far
		{"sum", pulse.Options{}, fan(func() pulse.Actor { return &sums{} }), 90, 27, 1},
		{"sum, Unordered", pulse.Options{Delivery: pulse.DeliveryUnordered}, fan(func() pulse.Actor { return &sums{} }), 90, 27, 1},
		{"list", pulse.Options{}, fan(func() pulse.Actor { return &lists{} }), 90, 38, 6},
		{"function", pulse.Options{}, fan(func() pulse.Actor { return pulse.Func(func(*pulse.Ctx, any) {}) }), 90, 38, 6},
		{"process", pulse.Options{}, func(sys *pulse.System) {
			to := sys.Go("to", func(p *pulse.Process) {
				for {
					p.Receive()
				}
			})
			for i := range 2 {
				sys.Send(sys.Spawn("from", &obeys{}), sendIt{to, i})
			}
		}, 16, 14, 2},
		{"FIFO", pulse.Options{}, func(sys *pulse.System) {
			to := sys.Spawn("to", log)
			sys.Send(to, 1)
			sys.Send(to, 2)
		}, 1, 3, 1},
		{"Unordered", pulse.Options{Delivery: pulse.DeliveryUnordered}, func(sys *pulse.System) {
			to := sys.Spawn("to", log)
			sys.Send(to, 1)
			sys.Send(to, 2)
		}, 2, 4, 1},
		{"Unordered, equal messages", pulse.Options{Delivery: pulse.DeliveryUnordered}, func(sys *pulse.System) {
			to := sys.Spawn("to", log)
			sys.Send(to, 1)
			sys.Send(to, 1)
		}, 2, 3, 1},
		{"choices that are forgotten", pulse.Options{}, func(sys *pulse.System) { sys.Send(sys.Spawn("a", &chooses{}), 3) }, 9, 3, 1},
		{"choices of a function", pulse.Options{}, func(sys *pulse.System) {
			sys.Send(sys.Spawn("a", pulse.Func(func(ctx *pulse.Ctx, _ any) { ctx.Choose(3) })), 0)
		}, 3, 4, 3},
		{"choices of who spawns a function", pulse.Options{}, func(sys *pulse.System) { sys.Send(sys.Spawn("a", &spawns{}), 3) }, 3, 4, 3},
		{"functions in messages", pulse.Options{}, func(sys *pulse.System) {
			sys.Send(sys.Spawn("a", &sendsFunction{sys.Spawn("b", &sums{})}), 3)
		}, 3, 5, 1},
		{"copies", pulse.Options{Faults: pulse.Faults{Duplicate: 1, Drop: 1}}, func(sys *pulse.System) {
			sys.Send(sys.Spawn("a", &obeys{}), sendIt{sys.Spawn("b", &sums{}), 0})
		}, 3, 7, 3},
		{"cuts", pulse.Options{Faults: pulse.Faults{Partition: 1}}, func(sys *pulse.System) {
			sys.Send(sys.Spawn("a", &sums{}), 1)
		}, 6, 5, 2},
		{"crashes", pulse.Options{Faults: pulse.Faults{Crash: 1, RestartKept: 1}}, func(sys *pulse.System) {
			sys.Send(sys.Spawn("a", &sums{}), 1)
		}, 5, 6, 5},
		{"early timers", pulse.Options{EarlyTimers: 1}, func(sys *pulse.System) {
			a := sys.Spawn("a", &obeys{})
			sys.Send(a, setTimers{5})
			sys.Send(a, 1)
		}, 3, 8, 2},
		{"received by the test", pulse.Options{}, func(sys *pulse.System) {
			me := sys.Host().Running()
			for i := range 2 {
				sys.Send(sys.Spawn("a", &obeys{}), sendIt{me, i})
			}
		}, 6, 10, 2},
		{"order of spawning", pulse.Options{}, func(sys *pulse.System) {
			to := sys.Spawn("to", &keepsRefs{refs: map[int]pulse.Ref{}})
			for i := range 2 {
				sys.Send(sys.Spawn("a", &spawnsFor{to}), i)
			}
		}, 6, 9, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			orders, states, end := countStates(t, c.o, c.build)
			if orders != c.orders || states != c.states || end != c.end {
				t.Errorf("%d orders, %d states, of them %d in the end; want %d, %d, %d", orders, states, end, c.orders, c.states, c.end)
			}
		})
	}
}

type (
	sums          struct{ n int }
	lists         struct{ list []int }
	chooses       struct{ n int }
	spawns        struct{}
	sendsFunction struct{ to pulse.Ref }
	spawnsFor     struct{ to pulse.Ref }
	keepsRefs     struct{ refs map[int]pulse.Ref }
	keepRef       struct {
		n   int
		ref pulse.Ref
	}
)

func (s *spawnsFor) Receive(ctx *pulse.Ctx, msg any) {
	ctx.Send(s.to, keepRef{msg.(int), ctx.Spawn("child", &sums{})})
}

func (k *keepsRefs) Receive(_ *pulse.Ctx, msg any) { k.refs[msg.(keepRef).n] = msg.(keepRef).ref }

func (s *sums) Receive(_ *pulse.Ctx, msg any) {
	if n, ok := msg.(int); ok {
		s.n += n
	}
}

func (l *lists) Receive(_ *pulse.Ctx, msg any) { l.list = append(l.list, msg.(int)) }

func (c *chooses) Receive(ctx *pulse.Ctx, msg any) {
	if c.n = ctx.Choose(msg.(int)); msg == 3 {
		ctx.Send(ctx.Self(), 1)
		c.n = 7
		ctx.Choose(3)
	}
}

func (*spawns) Receive(ctx *pulse.Ctx, msg any) {
	n := ctx.Choose(msg.(int))
	ctx.Spawn("child", pulse.Func(func(ctx *pulse.Ctx, _ any) { ctx.Send(ctx.Self(), n) }))
}

func (s *sendsFunction) Receive(ctx *pulse.Ctx, msg any) {
	n := ctx.Choose(msg.(int))
	ctx.Send(s.to, func() int { return n })
}

// countStates runs a program in all orders. It counts states before steps and
// at the end.
func countStates(t *testing.T, o pulse.Options, build func(*pulse.System)) (orders, states, end int) {
	e := &stater{}
	o.Strategy = e
	sys := pulse.New(o)
	defer sys.Close()
	texts, hashes, ends := map[uint64]string{}, map[string]uint64{}, map[uint64]bool{}
	see := func() uint64 {
		s := stateNow(sys)
		if old, ok := texts[s.hash]; ok && old != s.text {
			t.Errorf("a hash for two states:%s%s", old, s.text)
		}
		if old, ok := hashes[s.text]; ok && old != s.hash {
			t.Errorf("two hashes for a state: %x, %x:%s", old, s.hash, s.text)
		}
		texts[s.hash], hashes[s.text] = s.text, s.hash
		return s.hash
	}
	e.seen = func(*pulse.Enabled) { see() }
	for ok := true; ok; ok = e.next() {
		sys.Reset(0)
		build(sys)
		sys.Run()
		ends[see()] = true
		orders++
	}
	return orders, len(texts), len(ends)
}

// TestServerStates checks Basset's figures for its example: 27 nodes in the tree
// of executions, 21 states.
func TestServerStates(t *testing.T) {
	e := &stater{}
	o := server.Options()
	o.Strategy, o.Environment = e, pulse.EnvironmentOpen // an open environment, in which a run does not fail if actors still wait
	sys := pulse.New(o)
	defer sys.Close()
	states, nodes := map[uint64]string{}, map[string]bool{}
	see := func() { states[sys.State()], nodes[e.path()] = sys.StateText(), true }
	e.seen = func(*pulse.Enabled) { see() }
	for ok := true; ok; ok = e.next() {
		sys.Reset(0)
		server.Config{}.Build(sys)
		sys.Run()
		see()
	}
	if len(nodes) != 27 || len(states) != 21 {
		t.Errorf("%d nodes, %d states, want 27 and 21", len(nodes), len(states))
	}
}

func TestStateWithoutStater(t *testing.T) {
	sys := pulse.New(pulse.Options{Record: true})
	defer sys.Close()
	defer func() {
		if f, ok := recover().(*pulse.Failure); !ok || f.Kind != pulse.KindMisuse {
			t.Errorf("%v, want a misuse", f)
		}
	}()
	sys.State()
}

// A timerNews is a message that holds a timer.
type timerNews struct{ timer pulse.Timer }

// A setter sets a timer for each message, and sends the timer to another actor.
type setter struct{ to pulse.Ref }

func (s *setter) Receive(ctx *pulse.Ctx, _ any) { ctx.Send(s.to, timerNews{ctx.After(5, "late")}) }

// TestHistories: the history of an unreadable actor depends on the messages as they were at the
// receipt, and on the time of the receipt. It does not matter when the history is computed.
func TestHistories(t *testing.T) {
	end := func(build func(sys *pulse.System, unread pulse.Ref), asks bool) stated {
		sys := stateSystem(t, pulse.Options{})
		build(sys, sys.Spawn("a", pulse.Func(func(*pulse.Ctx, any) {})))
		for range 2 {
			sys.RunFor(4)
			if asks {
				stateNow(sys)
			}
		}
		return stateNow(sys)
	}
	sends := func(at time.Duration, msg any) func(*pulse.System, pulse.Ref) {
		return func(sys *pulse.System, unread pulse.Ref) {
			sys.RunFor(at)
			sys.Send(unread, msg)
			sys.RunFor(2 - at)
		}
	}
	tells := func(sys *pulse.System, unread pulse.Ref) { sys.Send(sys.Spawn("b", &setter{unread}), 1) }
	list := []int{1}
	for _, c := range []struct {
		name     string
		one, two stated
		same     bool
	}{
		{"nothing", end(sends(0, 1), false), end(sends(0, 1), false), true},
		{"what was received", end(sends(0, 1), false), end(sends(0, 2), false), false},
		{"when it was received", end(sends(0, 1), false), end(sends(1, 1), false), false},
		{"when one asks", end(sends(0, 1), false), end(sends(0, 1), true), true},
		{"when one asks, and a timer has fired since", end(tells, false), end(tells, true), true},
		{"what was changed since", end(func(sys *pulse.System, unread pulse.Ref) {
			sends(0, list)(sys, unread)
			list[0] = 2
		}, false), end(sends(0, []int{1}), true), true},
	} {
		t.Run(c.name, func(t *testing.T) { compareStates(t, c.one, c.two, c.same) })
	}
}

// A parent spawns as many children as its message says.
type parent struct{}

func (*parent) Receive(ctx *pulse.Ctx, msg any) {
	for range msg.(int) {
		ctx.Spawn("child", &sums{})
	}
}

// TestStateInEveryRun: the order in which actors are spawned is not part of a
// state. This is also true within one system, whose runs may spawn more, fewer
// or other actors than the run before.
func TestStateInEveryRun(t *testing.T) {
	e := &stater{}
	sys := pulse.New(pulse.Options{Strategy: e})
	defer sys.Close()
	run := func(children ...int) (all []stated) {
		for ok := true; ok; ok = e.next() {
			sys.Reset(0)
			for _, n := range children {
				sys.Send(sys.Spawn("parent", &parent{}), n)
			}
			e.seen = func(*pulse.Enabled) { stateNow(sys) }
			sys.Run()
			all = append(all, stateNow(sys))
		}
		e.at, e.digits = 0, nil
		return all
	}
	first := map[string]stated{}
	for range 2 {
		for _, children := range [][]int{{1, 2}, {2, 1}, {3, 0, 2}, {0}, {1, 1}, {2}} {
			for _, s := range run(children...) {
				of := fmt.Sprint(children)
				if first[of].text == "" {
					first[of] = s
				}
				compareStates(t, first[of], s, true)
			}
		}
	}
	compareStates(t, first["[1 2]"], first["[2 1]"], false)
}

// TestStateIsTheSameEverywhere checks a state that must be the same in each process,
// system and run. The hash is a constant, so it must not depend on addresses or map order.
func TestStateIsTheSameEverywhere(t *testing.T) {
	const want = 0xd83a1c80a9e2a0cd
	for range 2 {
		sys := stateSystem(t, pulse.Options{})
		for run := range uint64(3) {
			sys.Reset(run)
			a := sys.Spawn("a", &keeps[any]{[]any{sys, t, mapOf(20, func(i int) int { return i }), pointersOf(map[string]int{"a": 1, "b": 2})}})
			b := sys.Spawn("b", &obeys{})
			sys.Spawn("c", &keeps[[]pulse.Ref]{[]pulse.Ref{a, b, {}}})
			sys.Go("d", func(p *pulse.Process) { p.Ask(b, 1) })
			sys.Send(b, setTimers{7, 5, 9})
			sys.Send(b, sendIt{a, &stateNode{n: 1}})
			sys.RunFor(6)
			sys.Send(a, map[pulse.Ref]string{a: "a", b: "b"})
			if got := sys.State(); got != want {
				t.Fatalf("%#x, want %#x:%s", got, uint64(want), sys.StateText())
			}
		}
	}
}

// A roamer is an actor of a random program. It acts by its rules.
type roamer struct {
	rules  *roamerRules
	world  []pulse.Ref // the actors to which this actor can send
	sum    int
	list   []int
	nodes  map[int]*stateNode
	last   *stateNode
	asker  pulse.Ref
	timer  pulse.Timer
	reborn int
	struck int // number of Nemesis calls by this actor so far, at most 2
	kinds  []int
}

// roamerRules has, for each kind of message, the actions of an actor that
// receives such a message.
type roamerRules [3][]roamerDeed

type roamerDeed struct{ do, a, b int }

// A roam is a message whose receiver sends other roams with a smaller life.
type roam struct {
	kind, life int
	node       *stateNode
}

func (r *roamer) Receive(ctx *pulse.Ctx, msg any) {
	m, ok := msg.(roam)
	if !ok {
		r.sum = r.sum*3 + 1
		return
	}
	for _, d := range r.rules[m.kind] {
		r.does(ctx, d, m)
	}
}

func (r *roamer) does(ctx *pulse.Ctx, d roamerDeed, m roam) {
	next := roam{d.b, m.life - 1, r.last}
	to := r.world[d.a%len(r.world)]
	switch d.do {
	case 0, 1:
		if m.life > 0 {
			ctx.Send(to, next)
		}
	case 2:
		r.sum += d.b + 1
	case 3:
		r.sum *= 2
	case 4:
		r.list = append(r.list, d.b)
	case 5:
		r.last = &stateNode{n: d.b}
		r.nodes[d.a] = r.last
	case 6:
		r.last = m.node
	case 7:
		if m.life > 0 {
			r.timer = ctx.After(time.Duration(d.a), next)
		}
	case 8:
		r.timer.Stop()
	case 9:
		r.sum += ctx.Choose(2)
	case 10:
		ctx.Stop()
	case 11:
		ctx.Watch(to)
	case 12:
		if m.life > 0 {
			sum := r.sum
			child := ctx.Spawn("child", pulse.Func(func(ctx *pulse.Ctx, _ any) { ctx.Send(to, roam{d.b, 0, &stateNode{n: sum}}) }))
			ctx.Send(child, 0)
		}
	case 13:
		if r.sum%2 == 0 {
			r.sum, r.list = 0, nil
		}
	case 14:
		if m.life > 0 && !r.asker.IsZero() {
			ctx.Send(r.asker, next)
		}
	case 15:
		r.asker = ctx.Sender()
	case 16:
		ctx.Kill(to)
	default:
		if at := r.world[d.a%len(r.kinds)]; r.struck < 2 {
			r.struck++
			r.strike(ctx, d, at, r.world[(d.a+1+d.b)%len(r.kinds)])
		}
	}
}

// strike has a Nemesis strike an actor, or its links with another actor.
func (r *roamer) strike(ctx *pulse.Ctx, d roamerDeed, at, other pulse.Ref) {
	n := ctx.Nemesis()
	did := false
	switch kind := r.kinds[d.a%len(r.kinds)]; {
	case d.do == 17 && at != ctx.Self():
		did = n.Crash(at)
	case d.do == 18 && (kind == 0 || kind == 2 && d.b > 0):
		did = n.RestartLost(at)
	case d.do == 18:
		did = n.RestartKept(at)
	case d.do == 19:
		n.Heal()
	case at == other:
	case d.do == 20:
		n.Cut(at, other)
	case d.do == 21:
		n.Lose(at, other, d.b)
	case d.do == 22:
		n.Delay(at, other, time.Duration(d.b))
	}
	if did {
		r.sum++
	}
}

// live is the code of a process of a random program.
func (r *roamer) live(p *pulse.Process) {
	for _, d := range r.rules[0] {
		m := roam{kind: d.b, life: 1}
		switch d.do {
		case 0, 1, 2:
			r.Receive(p.Ctx, p.Receive())
		case 3, 4, 5:
			r.Receive(p.Ctx, p.ReceiveMatch(func(msg any) bool {
				m, ok := msg.(roam)
				return ok && m.kind != d.b
			}))
		case 6, 7, 8:
			if msg, ok := p.AskTimeout(r.world[d.a%len(r.world)], m, time.Duration(d.a)); ok {
				r.Receive(p.Ctx, msg)
			}
		default:
			r.does(p.Ctx, d, m)
		}
	}
}

// A roamProgram is a random program.
type roamProgram struct {
	o     pulse.Options
	rules []roamerRules
	kinds []int
	sends []roamerDeed
}

func newRoamProgram(seed uint64) *roamProgram {
	r := rand.New(rand.NewPCG(seed, 5))
	some := func(of int) int { return max(0, r.IntN(of)-of+2) }
	p := &roamProgram{o: pulse.Options{EarlyTimers: some(4), Orphans: r.IntN(4) == 0,
		Faults: pulse.Faults{Drop: some(5), Duplicate: some(5), Delay: some(5), Crash: some(6), RestartKept: some(4), RestartLost: some(4), Partition: some(6)}}}
	if r.IntN(3) == 0 {
		p.o.Delivery = pulse.DeliveryUnordered
	}
	deeds := 17
	if seed%3 == 0 { // with a Nemesis
		deeds = 23
	}
	for range 2 + r.IntN(2) {
		var rules roamerRules
		for k := range rules {
			for range r.IntN(4) {
				rules[k] = append(rules[k], roamerDeed{r.IntN(deeds), r.IntN(4), r.IntN(3)})
			}
		}
		p.rules = append(p.rules, rules)
		p.kinds = append(p.kinds, r.IntN(5))
	}
	for range 1 + r.IntN(3) {
		p.sends = append(p.sends, roamerDeed{0, r.IntN(4), r.IntN(3)})
	}
	return p
}

// build adds the program to a system. The function it returns describes the
// result.
func (p *roamProgram) build(sys *pulse.System) (outcome func(*pulse.Failure) string) {
	var all []*roamer
	world := make([]pulse.Ref, len(p.rules))
	world = append(world, sys.Host().Running())
	for i := range p.rules {
		r := &roamer{rules: &p.rules[i], kinds: p.kinds, world: world, nodes: map[int]*stateNode{}}
		all = append(all, r)
		spec := pulse.Spec{Name: fmt.Sprint(i)}
		switch p.kinds[i] {
		case 0:
			spec.Process = r.live
		case 1:
			spec.Actor = pulse.Func(r.Receive)
		case 2:
			spec.New = func() pulse.Actor {
				*r = roamer{rules: r.rules, kinds: p.kinds, struck: r.struck, world: world, nodes: map[int]*stateNode{}, reborn: r.reborn + 1}
				return r
			}
		default:
			spec.Actor = r
		}
		world[i] = sys.SpawnSpec(spec)
	}
	for _, d := range p.sends {
		sys.Send(world[d.a%len(p.rules)], roam{d.b, 2, nil})
	}
	return func(f *pulse.Failure) string {
		var b strings.Builder
		for _, r := range all {
			asker, _, _ := strings.Cut(r.asker.String(), ".") // the number of the child depends on the order, so it is left out
			fmt.Fprint(&b, r.sum, r.list, asker, r.reborn)
			for _, k := range slices.Sorted(maps.Keys(r.nodes)) {
				fmt.Fprint(&b, k, *r.nodes[k], r.nodes[k] == r.last)
			}
		}
		for _, m := range sys.Received() {
			fmt.Fprintf(&b, " %T", m)
		}
		if f != nil {
			fmt.Fprint(&b, f.Kind, f.Site)
		}
		return b.String()
	}
}

// A fate is a state with the set of its possible results.
type fate struct {
	stated
	outcomes map[string]bool
}

// TestEqualStatesHaveEqualFates runs random programs in all orders. Wherever a
// state occurs in the tree of orders, its possible results are the same. Two
// states have equal texts if and only if they have equal hashes.
func TestEqualStatesHaveEqualFates(t *testing.T) {
	trial.Long(t)
	programs, nodes, states := 0, 0, 0
	for seed := range stateSeeds() {
		tree := roamTree(newRoamProgram(seed), 300)
		if tree == nil {
			continue
		}
		programs++
		nodes += len(tree)
		texts, hashes := map[uint64]*fate{}, map[string]uint64{}
		for path, n := range tree {
			old := texts[n.hash]
			if old == nil {
				texts[n.hash] = n
				if h, ok := hashes[n.text]; ok {
					t.Fatalf("program %d: two hashes for a state: %x, %x:%s", seed, h, n.hash, n.text)
				}
				hashes[n.text] = n.hash
				continue
			}
			if old.text != n.text {
				t.Fatalf("program %d: a hash for two states:%s%s", seed, old.text, n.text)
			}
			if !maps.Equal(old.outcomes, n.outcomes) {
				t.Fatalf("program %d: %+v\nat %s a state has other outcomes than before:\n%q\n%q%s", seed, newRoamProgram(seed), path,
					slices.Sorted(maps.Keys(old.outcomes)), slices.Sorted(maps.Keys(n.outcomes)), n.text)
			}
		}
		states += len(texts)
	}
	if t.Logf("%d programs, %d nodes, %d states", programs, nodes, states); programs < 100 || states > nodes*9/10 {
		t.Errorf("%d programs, %d nodes, %d states: the test is too weak", programs, nodes, states)
	}
}

// stateSeeds returns how many random programs a test runs.
func stateSeeds() uint64 {
	if os.Getenv("JOSTLE_NIGHTLY") != "" {
		return 3000
	}
	return 200
}

// roamTree runs a program in all orders. It returns nil if there are more than limit orders.
func roamTree(p *roamProgram, limit int) map[string]*fate {
	e := &stater{}
	p.o.Strategy = e
	sys := pulse.New(p.o)
	defer sys.Close()
	tree := map[string]*fate{}
	var path []*fate
	see := func() {
		at := e.path()
		if tree[at] == nil {
			tree[at] = &fate{stateNow(sys), map[string]bool{}}
		}
		path = append(path, tree[at])
	}
	e.seen = func(*pulse.Enabled) { see() }
	for ok := true; ok; ok = e.next() {
		sys.Reset(0)
		path = path[:0]
		outcome := p.build(sys)
		sys.Run()
		f := sys.Failure()
		see()
		for _, n := range path {
			n.outcomes[outcome(f)] = true
		}
		if limit--; limit < 0 {
			return nil
		}
	}
	return tree
}

// spread is a small actor with fields of many kinds.
type spread struct {
	n     int
	name  string
	peer  pulse.Ref
	seen  map[string]int
	queue []int
	node  *stateNode
	done  bool
}

func (s *spread) Receive(*pulse.Ctx, any) {}

// BenchmarkState times State for 10 small actors and 10 messages on their way.
func BenchmarkState(b *testing.B) {
	for _, c := range []struct {
		name string
		make func(i int) pulse.Actor
	}{
		{"numbers", func(i int) pulse.Actor { return &sums{i} }},
		{"everything", func(i int) pulse.Actor {
			return &spread{n: i, name: "spread", seen: map[string]int{"a": i, "b": 2}, queue: []int{1, 2, 3}, node: &stateNode{n: i, any: i}, peer: pulse.Ref{}, done: i > 1}
		}},
		{"pointers-in-maps", func(i int) pulse.Actor {
			return &keeps[any]{map[string]*stateNode{"a": {n: i}, "b": {n: 2}}}
		}},
	} {
		for _, d := range []pulse.Delivery{pulse.DeliveryFIFO, pulse.DeliveryUnordered} {
			b.Run(fmt.Sprint(c.name, "-", d), func(b *testing.B) {
				e := &stater{}
				sys := pulse.New(pulse.Options{Strategy: e, Delivery: d})
				defer sys.Close()
				for i := range 10 {
					sys.Send(sys.Spawn("a", c.make(i)), i)
				}
				e.seen = func(enabled *pulse.Enabled) {
					e.seen = nil
					b.ReportAllocs()
					for b.Loop() {
						enabled.State()
					}
				}
				sys.Run()
			})
		}
	}
}
