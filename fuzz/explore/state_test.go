package explore_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/fuzz/subjects/server"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/pulse"
)

// TestServerStates checks the numbers for Basset's server program (section 3.1 and table 3.1 of the
// thesis). A search that compares no states has 27 nodes and 6 runs. A search that compares states
// has 21 nodes and 4 runs. With big steps it does not compare the two states that occur twice.
func TestServerStates(t *testing.T) {
	type figures struct{ runs, cut, steps, states int }
	for _, c := range []struct {
		options explore.Options
		want    figures
	}{
		{explore.Options{Method: explore.Method{Reduction: explore.Everything}}, figures{6, 0, 26, 0}},
		{explore.Options{Method: explore.Method{Reduction: explore.Everything, States: explore.ByHash}}, figures{4, 2, 22, 21}},
		{explore.Options{Method: explore.Method{Reduction: explore.Everything, States: explore.Checked}}, figures{4, 2, 22, 21}},
		{explore.Options{Method: explore.Method{Reduction: explore.Everything, States: explore.ByHash, BigSteps: true}}, figures{6, 0, 26, 9}},
		{explore.Options{Method: explore.Method{Reduction: explore.Everything, States: explore.ByHash, Sleep: true}}, figures{4, 0, 20, 21}},
		{explore.Options{Method: explore.Method{Reduction: explore.SourceSets, States: explore.ByHash}}, figures{4, 0, 20, 21}},
		{explore.Options{Method: explore.Method{Reduction: explore.SourceSets}}, figures{4, 0, 20, 0}},
	} {
		c.options.KeepOn = true
		v, err := explore.Explore(c.options, on(server.Options(), server.Config{}.Build))
		got := figures{v.Runs, v.Cut, v.Steps, v.States}
		if err != nil || !v.Complete || got != c.want || len(v.Failures) != 1 {
			t.Errorf("%+v: %+v %v, want %+v", c.options, v, err, c.want)
		}
	}
}

// stateWays are the explorations that compare states. Checked is slow, and its checks do not depend on the
// reduction.
func stateWays() []explore.Options {
	list := []explore.Options{{Method: explore.Method{Reduction: explore.Everything, States: explore.Checked}}}
	for _, r := range explore.Reductions()[1:] {
		for _, sleep := range []bool{false, true} {
			list = append(list,
				explore.Options{Method: explore.Method{Reduction: r, Sleep: sleep, States: explore.ByHash}},
				explore.Options{Method: explore.Method{Reduction: r, Sleep: sleep, States: explore.ByHash, BigSteps: true}})
		}
	}
	return list
}

// TestStatesAgree checks that comparing states loses no failure and no final state of a
// run.
func TestStatesAgree(t *testing.T) {
	trial.Long(t)
	more := []features{0, 0, 0, 0, bounding, sendingLater | unwatching, testAsking} // 0 adds no feature; most programs get 0
	for _, c := range []struct {
		name       string
		draw       func(seed uint64) *program
		day, night int
	}{
		{"plain", func(seed uint64) *program {
			f := agreementFeatures(seed)
			if seed%3 == 2 {
				f |= nemeses
			}
			p := newProgram(seed, f)
			p.features |= more[seed%uint64(len(more))]
			return p
		}, 24, 6666},
		{"survivors", drawn(survivingFeatures), 8, 2500}, // every third program also calls a Nemesis
		{"lives", livingProgram, 10, 2500},
	} {
		t.Run(c.name, func(t *testing.T) { statesAgree(t, byDay(c.day, c.night), c.draw) })
	}
}

func statesAgree(t *testing.T, programs int, draw func(seed uint64) *program) {
	e, r := &enumerator{}, &rig{}
	defer e.close()
	defer r.close()
	cut := 0
	for seed := range uint64(programs) {
		p := draw(seed)
		all, final, ok := e.finals(p)
		if !ok {
			continue
		}
		for _, o := range stateWays() {
			reached := map[uint64]bool{}
			got := r.explore(p, o, func(explore.Run) { reached[p.digest()] = true })
			cut += got.Cut
			if why := lost(got, all, final, reached); why != "" {
				p = p.shrink(func(q *program) bool {
					reached := map[uint64]bool{}
					all, final, ok := e.finals(q)
					got := r.explore(q, o, func(explore.Run) { reached[q.digest()] = true })
					return ok && lost(got, all, final, reached) != ""
				})
				t.Fatalf("program %d, %+v: %s\n%v", seed, o, why, p)
			}
		}
	}
	if t.Logf("%d runs cut", cut); cut < programs {
		t.Errorf("of %d programs %d runs were cut: too few to tell", programs, cut)
	}
}

// finals runs a program in all orders. It also returns the final states of the runs that
// pass.
func (e *enumerator) finals(p *program) (all orders, final map[uint64]bool, ok bool) {
	final = map[uint64]bool{}
	e.after = func(s *pulse.System) {
		if s.Failure() == nil {
			final[p.digest()] = true
		}
	}
	all, ok = e.enumerate(p.options(), p.Build, agreementOrders())
	return all, final, ok
}

// TestBlindStatesAreFound checks that the comparison with all orders detects states that omit something that matters:
// here, everything that actors store.
func TestBlindStatesAreFound(t *testing.T) {
	e, r := &enumerator{}, &rig{}
	defer e.close()
	programs, found := 0, 0
	for seed := range uint64(100) {
		p := newProgram(seed, agreementFeatures(seed))
		reached := map[uint64]bool{}
		all, final, ok := e.finals(p)
		if !ok {
			continue
		}
		programs++
		blind := p.options()
		blind.Tools = func(t reflect.Type) bool { return t == reflect.TypeFor[actor]() }
		o := explore.Options{Method: explore.Method{Reduction: explore.Everything, States: explore.ByHash}}
		got := r.exploreBuild(blind, p.Build, o, func(explore.Run) { reached[p.digest()] = true })
		if lost(got, all, final, reached) != "" {
			found++
		}
	}
	if t.Logf("found in %d of %d programs", found, programs); found < 10 {
		t.Errorf("found in %d of %d programs", found, programs)
	}
}

// lost lists the results that an exploration that compares states has missed.
func lost(got *explored, all orders, final, reached map[uint64]bool) string {
	if !got.Complete {
		return "not complete: " + string(got.Bound) + got.Nondeterminism + got.Clash
	}
	for key := range all.failing {
		if got.failing[key] == 0 {
			return fmt.Sprintf("failures %v of %v", got.failing, all.failing)
		}
	}
	for d := range final {
		if !reached[d] {
			return fmt.Sprintf("%d of %d states in the end", len(reached), len(final))
		}
	}
	return ""
}

// A liar is an actor whose Hash omits its whole state.
type liar struct{ received []int }

func (l *liar) Receive(_ *pulse.Ctx, msg any) { l.received = append(l.received, msg.(int)) }
func (l *liar) Hash() uint64                  { return 0 }

// TestLyingHash checks that Checked detects a Hash method that omits something that matters. Without Checked, the
// search misses runs.
func TestLyingHash(t *testing.T) {
	build := func(s *pulse.System) func() error {
		to := s.Spawn("liar", &liar{})
		for i := range 3 {
			s.Host().Enqueue(s.Spawn("sender", pulse.Func(func(*pulse.Ctx, any) {})), to, i)
		}
		return func() error { return nil }
	}
	o := explore.Options{Method: explore.Method{Reduction: explore.Everything, States: explore.ByHash}}
	if v, _ := explore.Explore(o, on(pulse.Options{}, build)); v.Runs == 6 {
		t.Error("the lie has no effect")
	}
	o.States = explore.Checked
	v, err := explore.Explore(o, on(pulse.Options{}, build))
	if err != nil || v.Complete || !strings.Contains(v.Clash, "two states have one hash") {
		t.Errorf("%+v %v", v, err)
	}
}

// An owner has a list. The order of "room" and "clip" decides only the list's capacity. After
// both, the owner appends to the list twice, or sends the list to two actors that append to
// it.
type owner struct {
	list, a, b []int
	came       int
	to         [2]pulse.Ref
}

func (o *owner) Receive(ctx *pulse.Ctx, msg any) {
	switch msg {
	case "room":
		o.list = append(make([]int, 0, 4), o.list...)
	case "clip":
		o.list = slices.Clip(o.list)
	}
	if o.came++; o.came == 2 {
		ctx.Send(ctx.Self(), "fork")
	}
	switch {
	case msg != "fork":
	case o.to[0].IsZero():
		o.a, o.b = append(o.list, 1), append(o.list, 2)
	default:
		ctx.Send(o.to[0], o.list)
		ctx.Send(o.to[1], o.list)
	}
}

// A filer appends its number to the list that it receives.
type filer struct {
	number int
	list   []int
}

func (f *filer) Receive(_ *pulse.Ctx, msg any) { f.list = append(msg.([]int), f.number) }

// aliasing builds a program in which the order of two messages decides whether two lists share an array. If ifShared is
// true it fails if they do, else it fails if they do not.
func aliasing(apart, ifShared bool) func(*pulse.System) func() error {
	return func(s *pulse.System) func() error {
		first, second := &filer{number: 1}, &filer{number: 2}
		o := &owner{list: []int{0}}
		if apart {
			o.to = [2]pulse.Ref{s.Spawn("first", first), s.Spawn("second", second)}
		}
		to := s.Spawn("owner", o)
		for _, msg := range []string{"room", "clip"} {
			s.Host().Enqueue(s.Spawn(msg, &filer{}), to, msg)
		}
		return func() error {
			a, b := o.a, o.b
			if apart {
				a, b = first.list, second.list
			}
			if shared := len(a) == 2 && &a[0] == &b[0]; shared == ifShared {
				return fmt.Errorf("the lists are %v and %v", a, b)
			}
			return nil
		}
	}
}

// TestAliasing: two states differ if a slice has spare capacity in only one of them. The hash and
// the text of a state once omitted the capacity. Then a search stopped whichever of two orders came
// second, reported that it was complete, and missed a failure.
func TestAliasing(t *testing.T) {
	for _, states := range []explore.States{explore.NoStates, explore.ByHash, explore.Checked} {
		for i := range 4 {
			apart, ifShared := i%2 == 0, i/2 == 0
			o := explore.Options{Method: explore.Method{Reduction: explore.Everything, States: states}, KeepOn: true}
			v, err := explore.Explore(o, on(pulse.Options{}, aliasing(apart, ifShared)))
			if err != nil || !v.Complete || len(v.Failures) != 1 {
				t.Errorf("states %v, apart %t, fails if shared %t: %+v %v, want a failure", states, apart, ifShared, v, err)
			}
		}
	}
}

// A holder has a value as its state.
type holder struct{ value any }

func (*holder) Receive(*pulse.Ctx, any) {}

// A hashed holder can be compared although its value cannot be read.
type hashed struct{ holder }

func (*hashed) Hash() uint64 { return 1 }

// TestUnread: a result lists the values that could not be read, and what was compared in their place.
// A search that had compared functions by their received messages once reported only that it was
// complete.
func TestUnread(t *testing.T) {
	deep := &holder{}
	for range 100_000 {
		deep = &holder{deep}
	}
	idle := pulse.Func(func(*pulse.Ctx, any) {})
	mode := func(m explore.States) explore.Options {
		return explore.Options{Method: explore.Method{Reduction: explore.Everything, States: m}}
	}
	for _, c := range []struct {
		name   string
		states explore.States
		actor  pulse.Actor
		msg    any
		want   string
	}{
		{"all read", explore.ByHash, &holder{1}, 1, ""},
		{"a hash", explore.ByHash, &hashed{holder{func() {}}}, 1, ""},
		{"function", explore.ByHash, idle, 1, "the handler of a, a pulse.Func, holds a function: the messages that a has received are compared instead"},
		{"function, checked", explore.Checked, idle, 1, "the handler of a, a pulse.Func, holds a function: the messages that a has received are compared instead"},
		{"method", explore.ByHash, &holder{deep.Receive}, 1, "holds a function"},
		{"channel", explore.ByHash, &holder{make(chan int)}, 1, "holds a channel"},
		{"pointer", explore.ByHash, &holder{unsafe.Pointer(t)}, 1, "holds an unsafe pointer"},
		{"twins", explore.ByHash, &holder{map[*int]int{new(int): 1, new(int): 1}}, 1, "keys that cannot be told apart"},
		{"list", explore.ByHash, deep, 1, "is too deep to compare"},
		{"message", explore.ByHash, &holder{}, func() {}, "a message of from, a func(), holds a function: the messages that from had received before sending it are compared instead"},
		{"unchecked hash", explore.Checked, &hashed{holder{func() {}}}, 1, "the Hash of a cannot be checked: its handler, a *explore_test.hashed, holds a function"},
	} {
		v, err := explore.Explore(mode(c.states), on(pulse.Options{}, func(s *pulse.System) func() error {
			from, a := s.Spawn("from", &holder{}), s.Spawn("a", c.actor)
			s.Host().Enqueue(from, a, c.msg)
			s.Host().Enqueue(from, a, 2)
			return func() error { return nil }
		}))
		if err != nil || !v.Complete || v.Clash != "" || !strings.Contains(v.Unread, c.want) || (v.Unread == "") != (c.want == "") {
			t.Errorf("%s: %+v %v, want %q", c.name, v, err, c.want)
		}
	}
	v, err := explore.Explore(mode(explore.Checked), on(pulse.Options{}, func(s *pulse.System) func() error {
		s.Go("reader", func(p *pulse.Process) { p.Receive(); p.Receive() })
		a := s.Spawn("a", &hashed{holder{func() {}}})
		for i := range 2 {
			s.Host().Enqueue(s.Spawn("from", &holder{}), a, i)
		}
		return func() error { return nil }
	}))
	if err != nil || v.Clash != "" || !strings.Contains(v.Unread, "the stack of process reader") && !strings.Contains(v.Unread, "the Hash of a") {
		t.Errorf("a Hash that cannot be checked: %+v %v", v, err)
	}
}

// A shuffler sends its messages in the iteration order of a map.
type shuffler struct{ to map[string]pulse.Ref }

func (m *shuffler) Receive(ctx *pulse.Ctx, msg any) {
	for name, to := range m.to {
		ctx.Send(to, name)
	}
}

// TestOrderOfAMap: if a handler iterates over a map, equal states can lead to different
// runs. Comparing states cannot detect that. The search detects it because runs do not
// repeat.
func TestOrderOfAMap(t *testing.T) {
	for _, states := range []explore.States{explore.ByHash, explore.Checked} {
		o := explore.Options{Method: explore.Method{Reduction: explore.Everything, States: states}, KeepOn: true}
		v, err := explore.Explore(o, on(pulse.Options{}, func(s *pulse.System) func() error {
			m := &shuffler{to: map[string]pulse.Ref{}}
			for i := range 6 {
				m.to[fmt.Sprint(i)] = s.Spawn(fmt.Sprint(i), &holder{})
			}
			s.Host().Enqueue(s.Spawn("from", &holder{}), s.Spawn("shuffler", m), 1)
			return func() error { return nil }
		}))
		if err != nil || v.Complete || v.Nondeterminism == "" {
			t.Errorf("states %v: %+v %v", states, v, err)
		}
	}
}

// TestSharedVariable: if functions share a variable, the history of an actor does not determine its
// state, and a failure can be missed. The result must name that assumption.
func TestSharedVariable(t *testing.T) {
	build := func(s *pulse.System) func() error {
		last, seen := "none", "nothing"
		reader := s.Spawn("reader", pulse.Func(func(_ *pulse.Ctx, msg any) { seen = last }))
		for _, name := range []string{"one", "other"} {
			writer := s.Spawn("writer", pulse.Func(func(ctx *pulse.Ctx, _ any) { last = name }))
			s.Host().Enqueue(s.Spawn("from", &holder{}), writer, "write")
		}
		s.Host().Enqueue(s.Spawn("from", &holder{}), reader, "read")
		return func() error {
			if seen != last {
				return nil
			}
			return fmt.Errorf("saw %s", seen)
		}
	}
	o := explore.Options{Method: explore.Method{Reduction: explore.Everything}, KeepOn: true}
	all, _ := explore.Explore(o, on(pulse.Options{}, build))
	o.States = explore.ByHash
	some, err := explore.Explore(o, on(pulse.Options{}, build))
	if err != nil || all.Unread != "" || len(all.Failures) != 2 {
		t.Fatalf("%+v %v", all, err)
	}
	if len(some.Failures) == len(all.Failures) || !strings.Contains(some.Unread, "a pulse.Func, holds a function") {
		t.Errorf("%+v, and all orders have the failures %v", some, all.Failures)
	}
}
