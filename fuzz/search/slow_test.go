package search

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/corpus/golden"
	"github.com/jostle-go/jostle/fuzz/subjects"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/schedule"
	"github.com/jostle-go/jostle/pulse/strategy"
	"github.com/jostle-go/jostle/pulse/trace"
	"github.com/jostle-go/jostle/shrink"
)

// The tests of this file hold the shrinker and its explanations against references
// that share nothing with them: all inputs from the smallest on, and all orders, each
// from its start.

// slowly is a strategy that makes other decisions in each run until it has made all.
type slowly struct{ digits, of []int }

// A slowRun is where slowly is in a run.
type slowRun struct {
	*slowly
	at int
}

func (s *slowRun) Begin(uint64)                    { s.at = 0 }
func (s *slowRun) Pick(e *pulse.Enabled) int       { return s.next(e.Len()) }
func (s *slowRun) Choose(_ choice.Kind, n int) int { return s.next(n) }

func (s *slowRun) next(n int) int {
	if s.at == len(s.digits) {
		s.digits, s.of = append(s.digits, 0), append(s.of, n)
	}
	s.at++
	return s.digits[s.at-1]
}

// eachOrder runs a property as planned but in every order and with all answers, and
// reports whether that were no more runs than most.
func eachOrder(r *props.Runner, plan props.Plan, most int, f func(*props.Result)) bool {
	by := &slowRun{slowly: &slowly{}}
	plan.Strategy = by
	for range most {
		res := r.Run(plan)
		f(&res)
		n := len(by.digits)
		for n > 0 && by.digits[n-1]+1 == by.of[n-1] {
			n--
		}
		if by.digits, by.of = by.digits[:n], by.of[:n]; n == 0 {
			return true
		}
		by.digits[n-1]++
	}
	return false
}

// A table is a random small program: what its actors do, and when it fails.
type table struct {
	first  [3]int       // by the value of an element: who is sent a message for it
	next   [4][3][]told // by actor and message: what is sent then
	state  [4][3][3]int // by actor, state and message: the next state
	fails  told         // this actor in this state; at the end, or as soon as it is
	atOnce bool
	actors int
	number bool // there is one more number, of messages to the first actor
}

// A told is a message to an actor.
type told struct{ to, what int }

// A said is a message: of hops more such follow from it.
type said struct{ What, Hops int }

func newTable(d *rand.Rand) *table {
	p := &table{actors: 2 + d.IntN(3), atOnce: d.IntN(2) == 0, number: d.IntN(2) == 0}
	for i := range p.first {
		p.first[i] = d.IntN(p.actors)
	}
	for a := range p.next {
		for m := range p.next[a] {
			for range d.IntN(3) / (1 + d.IntN(2)) {
				p.next[a][m] = append(p.next[a][m], told{d.IntN(p.actors), d.IntN(3)})
			}
		}
		for s := range p.state[a] {
			for m := range p.state[a][s] {
				p.state[a][s][m] = d.IntN(3)
			}
		}
	}
	p.fails = told{d.IntN(p.actors), 1 + d.IntN(2)}
	return p
}

// property draws a list, and maybe a number, unless they are given.
func (p *table) property(list []int, number int) func(*props.T) {
	return func(t *props.T) {
		list, number := list, number
		if list == nil {
			list = props.Draw(t, rapid.SliceOfN(rapid.IntRange(0, 2), 0, 3), "list")
			if p.number {
				number = props.Draw(t, rapid.IntRange(0, 2), "number")
			}
		}
		states := make([]int, p.actors)
		sys := t.System()
		var actors []pulse.Ref
		for a := range p.actors {
			actors = append(actors, sys.Spawn("actor", pulse.Func(func(ctx *pulse.Ctx, msg any) {
				m := msg.(said)
				states[a] = p.state[a][states[a]][m.What]
				if p.atOnce && a == p.fails.to && states[a] == p.fails.what {
					panic("wrong")
				}
				for _, n := range p.next[a][m.What] {
					if m.Hops > 0 {
						ctx.Send(actors[n.to], said{n.what, m.Hops - 1})
					}
				}
			})))
		}
		for _, v := range list {
			sys.Send(actors[p.first[v]], said{v, 1})
		}
		for range number {
			sys.Send(actors[0], said{2, 1})
		}
		sys.Run()
		if !p.atOnce && states[p.fails.to] == p.fails.what {
			t.Error("wrong")
		}
	}
}

// failsInPlainOrder reports whether the program fails in plain order with some input.
func (p *table) failsInPlainOrder() bool {
	var property func(*props.T)
	r := props.NewRunner("plain", func(t *props.T) { property(t) })
	defer r.Close()
	for _, list := range lists(3) {
		for number := range 3 {
			property = p.property(list, number)
			if res := r.Run(props.Plan{}); res.Failure != nil {
				return true
			}
			if !p.number {
				break
			}
		}
	}
	return false
}

// A least is the smallest that the reference finds.
type least struct {
	external, steps int
	inputs          []inputIDs // that come to as little
}

// An inputIDs is a program with fixed inputs, and the identities of all steps of its
// runs.
type inputIDs struct {
	property func(*props.T)
	ids      map[uint64]bool
}

// leastOf tries all inputs with as many messages from outside, from none on, in all
// orders.
func (p *table) leastOf(t *testing.T) least {
	var property func(*props.T)
	r := props.NewRunner("slow", func(t *props.T) { property(t) })
	defer r.Close()
	for external := range 6 {
		l := least{external: external, steps: 1 << 30}
		for _, list := range lists(3) {
			number := external - len(list)
			if number >= 0 && number <= 2 && (number == 0 || p.number) {
				property = p.property(list, number)
				l.look(t, r, property)
			}
		}
		if l.inputs != nil {
			return l
		}
	}
	t.Fatal("the reference finds nothing")
	return least{}
}

// lists returns all lists of up to n elements.
func lists(n int) [][]int {
	all := [][]int{{}}
	for i := 0; i < len(all); i++ {
		for v := range 3 {
			if len(all[i]) < n {
				all = append(all, append(slices.Clone(all[i]), v))
			}
		}
	}
	return all
}

// look runs a program in all orders.
func (l *least) look(t *testing.T, r *props.Runner, property func(*props.T)) {
	mine, steps := inputIDs{property, map[uint64]bool{}}, 1<<30
	if !eachOrder(r, props.Plan{}, 1_000_000, func(res *props.Result) {
		if res.Failure != nil {
			steps = min(steps, res.System.Steps())
		}
		for i := range res.System.Trace().Sends {
			mine.ids[res.System.Host().StepID(&res.System.Trace().Sends[i])] = true
		}
	}) {
		t.Fatal("too many orders")
	}
	switch {
	case steps == 1<<30 || steps > l.steps:
	case steps < l.steps:
		l.steps, l.inputs = steps, []inputIDs{mine}
	default:
		l.inputs = append(l.inputs, mine)
	}
}

// constrained reports whether some program fails in as few steps under so many
// constraints, which are looked for among all.
func (l *least) constrained(n int) bool {
	for _, in := range l.inputs {
		var all []schedule.Constraint
		for _, first := range slices.Sorted(maps.Keys(in.ids)) {
			for _, second := range slices.Sorted(maps.Keys(in.ids)) {
				if first != second {
					all = append(all, schedule.Constraint{First: first, Second: second})
				}
			}
		}
		s := &schedule.Schedule{}
		by := strategy.Ordered(s)
		r := props.NewRunner("slow", in.property)
		fails := eachChoice(all, n, nil, func(list []schedule.Constraint) bool {
			s.Before = list
			res := r.Run(props.Plan{Strategy: by})
			return res.Failure != nil && res.System.Steps() == l.steps
		})
		r.Close()
		if fails {
			return true
		}
	}
	return false
}

// eachChoice reports whether f holds for some n of the constraints.
func eachChoice(all []schedule.Constraint, n int, chosen []schedule.Constraint, f func([]schedule.Constraint) bool) bool {
	if n == 0 {
		return f(chosen)
	}
	for i := range all {
		if eachChoice(all[i+1:], n-1, append(slices.Clip(chosen), all[i]), f) {
			return true
		}
	}
	return false
}

// slowPrograms is how many random programs are tried.
func slowPrograms() int {
	switch {
	case nightly():
		return 2000
	case testing.Short():
		return 20
	}
	return 50
}

// TestShrinkAgainstAllSmaller holds what random small programs are shrunk to against
// all that is smaller: never more messages, never more than one step more, and
// mostly the very least.
func TestShrinkAgainstAllSmaller(t *testing.T) {
	tested, exact, stepMore, constraintMore, orders := 0, 0, 0, 0, 0
	for seed := uint64(1); tested < slowPrograms(); seed++ {
		p := newTable(rand.New(rand.NewPCG(seed, 10)))
		property := Property{Name: t.Name(), Test: t.Name(), Func: p.property(nil, 0)}
		if p.failsInPlainOrder() && seed%32 > 0 { // or most would need none
			continue
		}
		res := Sample(context.Background(), property, Options{Runs: 300, Seed: seed})
		if res.Finding == nil {
			continue
		}
		tested++
		r := property.NewRunner()
		out := Shrink(context.Background(), r, res.Finding, shrink.Options{Runs: 20_000})
		if out.Finding == nil || out.Finding.Case.Signature != res.Finding.Case.Signature || !out.Done {
			t.Fatalf("seed %d: shrunk to %+v", seed, out)
		}
		b := &out.Best
		if again := r.Run(props.Plan{Inputs: b.Case.Inputs, Strategy: strategy.Ordered(&b.Case.Schedule)}); again.Failure == nil ||
			again.System.Steps() != b.Steps {
			t.Fatalf("seed %d: the smallest case does not fail again: %+v", seed, again)
		}
		l := p.leastOf(t)
		n := len(b.Case.Schedule.Before)
		switch {
		case b.External != l.external || b.Steps > l.steps+1 || b.Steps < l.steps:
			t.Errorf("seed %d: shrunk to %s with %s, and %d messages and %d steps fail", seed, size(&out), out.Finding.Draws, l.external, l.steps)
		case b.Steps > l.steps:
			stepMore++
		case n > 0 && l.constrained(0) || n > 1 && n < 4 && l.constrained(n-1):
			t.Logf("seed %d: shrunk to %s with %s, and fewer constraints do", seed, size(&out), out.Finding.Draws)
			constraintMore++
		default:
			exact++
		}
		if n > 0 {
			orders++
		}
		holdsExactly(t, fmt.Sprintf("seed %d", seed), r, &out)
		r.Close()
	}
	t.Logf("%d programs, %d of which need an order: %d the least, %d a step more, %d a constraint more", tested, orders, exact, stepMore, constraintMore)
	if exact < tested*98/100 || orders < tested/10 {
		t.Errorf("%d of %d are shrunk to the least, %d need an order", exact, tested, orders)
	}
}

// A plainOrder is what each actor of a run has received, by names.
type plainOrder struct {
	failed, passed bool
	received       map[string][]stepName
}

// mostPlain is how many runs the plain enumerator may take.
const mostPlain = 60_000

// holdsExactly holds an explanation against all orders of the shrunk program. It
// reports whether all of them could be run.
func holdsExactly(t *testing.T, name string, r *props.Runner, out *Shrunk) bool {
	t.Helper()
	if !out.Why.Complete || out.Why.Reduced {
		return false
	}
	wrong, all := unlike(r, out)
	if wrong != "" {
		t.Errorf("%s: %s\n%s", name, out.Why.String(), wrong)
	}
	return all
}

// unlike returns how an explanation differs from what comes of running all orders, "" if
// it does not: in the numbers, or in whether the condition holds, by the names in which
// it is told, in exactly the orders that fail.
func unlike(r *props.Runner, out *Shrunk) (wrong string, all bool) {
	e, orders := &out.Why, map[string]*plainOrder{}
	plan := props.Plan{Inputs: out.Best.Case.Inputs, EarlyTimers: out.Finding.Case.EarlyTimers}
	all = eachOrder(r, plan, mostPlain, func(res *props.Result) {
		if res.System == nil || res.Skipped {
			return
		}
		key := plainOrderOf(res.System.Trace())
		o := orders[key]
		if o == nil {
			o = &plainOrder{received: plainly(res.System.Trace())}
			orders[key] = o
		}
		if res.Failure != nil && res.Failure.Signature() == out.Best.Signature {
			o.failed = true
		} else {
			o.passed = true
		}
	})
	failing, mixed := 0, false
	for _, o := range orders {
		if o.failed {
			failing++
		}
		mixed = mixed || o.failed && o.passed
		if e.Exact && e.told(o.received) != o.failed {
			return fmt.Sprintf("that is %t of an order that fails: %t", !o.failed, o.failed), all
		}
	}
	if all && (e.Orders != len(orders) || e.Failing != failing || e.Mixed != mixed) {
		return fmt.Sprintf("there are %d orders, of which %d fail, mixed: %t", len(orders), failing, mixed), all
	}
	return "", all
}

// TestWrongExplanationsAreSeen: an explanation that is reversed, or counts one order
// less, is not what comes of running all orders.
func TestWrongExplanationsAreSeen(t *testing.T) {
	s, _ := subjects.ByName("writer-error")
	for name, spoil := range map[string]func(e *Explanation){
		"turned":         func(e *Explanation) { e.Condition.Terms[0][0] = e.Condition.Terms[0][0].Turned() },
		"one order less": func(e *Explanation) { e.Orders-- },
		"one more fails": func(e *Explanation) { e.Failing++ },
		"answers decide": func(e *Explanation) { e.Mixed = true },
	} {
		out := shrunkBy(t, s.Property(false), 1, 20_000)
		r := (&Property{Name: t.Name(), Test: t.Name(), Func: s.Property(false)}).NewRunner()
		if wrong, _ := unlike(r, &out); wrong != "" {
			t.Errorf("%s", wrong)
		}
		spoil(&out.Why)
		if wrong, _ := unlike(r, &out); wrong == "" {
			t.Errorf("%s: not seen", name)
		}
		r.Close()
	}
}

// plainOrderOf returns what each actor of a run has received, by identities: a text that two runs
// share if they are of one order.
func plainOrderOf(tr *trace.Trace) string {
	byActor := map[uint64][]byte{}
	for i := range tr.Steps {
		if st := &tr.Steps[i]; st.Kind == trace.Receive {
			id := tr.Actors[st.Actor].ID
			byActor[id] = binary.BigEndian.AppendUint64(byActor[id], st.ID)
		}
	}
	var b []byte
	for _, id := range slices.Sorted(maps.Keys(byActor)) {
		b = binary.BigEndian.AppendUint64(b, id)
		b = binary.BigEndian.AppendUint64(b, uint64(len(byActor[id])))
		b = append(b, byActor[id]...)
	}
	return string(b)
}

// plainly returns what each actor of a run has received, by names.
func plainly(tr *trace.Trace) map[string][]stepName {
	names, count, named := tr.Names(), map[string]int{}, map[int32]stepName{}
	for i := range tr.Sends {
		d := &tr.Sends[i]
		n := stepName{trace.Label(d.Body), names.Of(d.From), names.Of(d.To), 0}
		text := n.message + "\n" + n.sender + "\n" + n.receiver
		n.before = count[text]
		count[text]++
		named[int32(i)] = n
	}
	received := map[string][]stepName{}
	for i := range tr.Steps {
		if st := &tr.Steps[i]; st.Kind == trace.Receive {
			actor := names.Of(st.Actor)
			received[actor] = append(received[actor], named[st.Send])
		}
	}
	return received
}

// told reports whether a condition holds in an order, as people would read it: the one
// message was received, and the other was not before it.
func (e *Explanation) told(received map[string][]stepName) bool {
	for _, term := range e.Condition.Terms {
		all := true
		for _, c := range term {
			first, second := e.steps[c.First], e.steps[c.Second]
			list := received[second.receiver]
			i, k := slices.Index(list, first), slices.Index(list, second)
			all = all && first.receiver == second.receiver && i >= 0 && (k < 0 || i < k)
		}
		if all {
			return true
		}
	}
	return false
}

// TestConditionsOfSubjects does so for the example programs.
func TestConditionsOfSubjects(t *testing.T) {
	long(t)
	for i, s := range shortSubjects() {
		if testing.Short() && i%5 > 0 {
			continue
		}
		out := shrunkBy(t, s.Property(false), 1, 20_000)
		r := (&Property{Name: t.Name(), Test: t.Name(), Func: s.Property(false)}).NewRunner()
		all := holdsExactly(t, s.Name, r, &out)
		r.Close()
		t.Logf("%s: complete %t, exact %t, reduced %t, mixed %t, held against all orders: %t", s.Name, out.Why.Complete, out.Why.Exact, out.Why.Reduced, out.Why.Mixed, all)
	}
}

type awkwardProgram struct {
	name  string
	build func(t *props.T, sys *pulse.System)
}

// property runs the program as it is.
func (p awkwardProgram) property(t *props.T) {
	o := pulse.Options{}
	switch p.name {
	case "lost messages":
		o.Faults = pulse.Faults{Drop: 1}
	case "a crash before anything":
		o.Faults = pulse.Faults{Crash: 1}
	}
	sys := t.SystemWith(o)
	p.build(t, sys)
	sys.Run()
}

// awkward are programs of which order alone does not decide, or whose names are no
// names at first sight.
var awkward = []awkwardProgram{
	{"a coin", func(t *props.T, sys *pulse.System) {
		judge := sys.Spawn("judge", pulse.Func(func(ctx *pulse.Ctx, msg any) {
			if msg == "coin" && ctx.Choose(2) == 1 {
				t.Error("heads")
			}
		}))
		sendsBy(sys, judge, "coin")
		sendsBy(sys, judge, "other")
	}},
	{"a coin that matters in one order", func(t *props.T, sys *pulse.System) {
		got := 0
		judge := sys.Spawn("judge", pulse.Func(func(ctx *pulse.Ctx, msg any) {
			got++
			if msg == "coin" && got == 2 && ctx.Choose(2) == 1 {
				t.Error("heads")
			}
		}))
		sendsBy(sys, judge, "coin")
		sendsBy(sys, judge, "other")
	}},
	{"names by the order of spawning", func(t *props.T, sys *pulse.System) {
		for range 2 {
			got := ""
			var father pulse.Ref
			sys.Send(sys.Spawn("mother", pulse.Func(func(ctx *pulse.Ctx, _ any) {
				child := ctx.Spawn("child", pulse.Func(func(ctx *pulse.Ctx, msg any) {
					if got += msg.(string); got == "ba" {
						t.Error("ba")
					}
				}))
				father = ctx.Spawn("father", pulse.Func(func(ctx *pulse.Ctx, msg any) { ctx.Send(child, "b") }))
				ctx.Send(child, "a")
				ctx.Send(father, "go")
			})), "go")
		}
	}},
	{"the same several times", func(t *props.T, sys *pulse.System) {
		got := ""
		judge := sys.Spawn("judge", pulse.Func(func(ctx *pulse.Ctx, msg any) {
			if got += msg.(string); got == "xyx" {
				t.Error(got)
			}
		}))
		sendsBy(sys, judge, "x", "x")
		sendsBy(sys, judge, "y")
	}},
	{"the same by actors of one name", func(t *props.T, sys *pulse.System) {
		last := pulse.Ref{}
		judge := sys.Spawn("judge", pulse.Func(func(ctx *pulse.Ctx, msg any) {
			if last == (pulse.Ref{}) {
				last = ctx.Sender()
			}
		}))
		sendsBy(sys, judge, "x")
		second := sendsBy(sys, judge, "x")
		sys.Run()
		if last == second {
			t.Error("the second is the first")
		}
	}},
	{"looks at two", func(t *props.T, sys *pulse.System) {
		a, b := 0, 0
		one := sys.Spawn("one", pulse.Func(func(ctx *pulse.Ctx, msg any) { a++ }))
		two := sys.Spawn("two", pulse.Func(func(ctx *pulse.Ctx, msg any) { b++ }))
		sys.Send(one, "x")
		sys.Send(two, "x")
		t.Always("never more of two", func() error {
			if b > a {
				return errors.New("more of two")
			}
			return nil
		})
	}},
	{"skips", func(t *props.T, sys *pulse.System) {
		got := ""
		judge := sys.Spawn("judge", pulse.Func(func(ctx *pulse.Ctx, msg any) {
			switch got += msg.(string); {
			case got == "ab":
				t.Skip("ab")
			case got == "cb":
				t.Error("cb")
			}
		}))
		sendsBy(sys, judge, "a")
		sendsBy(sys, judge, "b")
		sendsBy(sys, judge, "c")
	}},
	{"timers", func(t *props.T, sys *pulse.System) {
		fired := false
		judge := sys.Spawn("judge", pulse.Func(func(ctx *pulse.Ctx, msg any) {
			switch msg {
			case "start":
				ctx.After(time.Second, "late")
			case "late":
				fired = true
			case "other":
				if fired {
					t.Error("late")
				}
			}
		}))
		sendsBy(sys, judge, "start")
		sendsBy(sys, judge, "other")
	}},
	{"a panic beside others", func(t *props.T, sys *pulse.System) {
		got := ""
		judge := sys.Spawn("judge", pulse.Func(func(ctx *pulse.Ctx, msg any) {
			if got += msg.(string); got == "b" {
				panic("b first")
			}
		}))
		other := sys.Spawn("other", pulse.Func(func(*pulse.Ctx, any) {}))
		sendsBy(sys, judge, "a")
		sendsBy(sys, judge, "b")
		sendsBy(sys, other, "c")
		sendsBy(sys, other, "d")
	}},
	{"a crash before anything", func(t *props.T, sys *pulse.System) {
		judge := sys.SpawnSpec(pulse.Spec{Name: "judge", Safe: true, Actor: pulse.Func(func(_ *pulse.Ctx, msg any) {
			if msg == "a" {
				t.Error("a")
			}
		})})
		sendsBy(sys, judge, "a", "b")
	}},
	{"reads what another writes", func(t *props.T, sys *pulse.System) {
		first, set := "", false
		judge := sys.Spawn("judge", pulse.Func(func(ctx *pulse.Ctx, msg any) {
			if first == "" {
				if first = msg.(string); set && first == "c" {
					first = "b"
				}
			}
		}))
		other := sys.Spawn("other", pulse.Func(func(*pulse.Ctx, any) { set = true }))
		for _, word := range []string{"a", "b", "c"} {
			sendsBy(sys, judge, word)
		}
		sendsBy(sys, other, "set")
		sys.Run()
		if first == "b" {
			t.Error("b came first")
		}
	}},
	{"lost messages", func(t *props.T, sys *pulse.System) {
		got := ""
		judge := sys.Spawn("judge", pulse.Func(func(ctx *pulse.Ctx, msg any) { got += msg.(string) }))
		sendsBy(sys, judge, "a")
		sendsBy(sys, judge, "b")
		sys.Run()
		if got == "b" {
			t.Error("a is not there")
		}
	}},
}

// sendsBy has a new actor send words to another.
func sendsBy(sys *pulse.System, to pulse.Ref, list ...string) pulse.Ref {
	by := sys.Spawn("by", pulse.Func(func(ctx *pulse.Ctx, _ any) {
		for _, word := range list {
			ctx.Send(to, word)
		}
	}))
	sys.Send(by, "go")
	return by
}

// TestConditionsOfAwkwardPrograms holds what is said of programs with answers, timers,
// faults and more of one name against all their orders.
func TestConditionsOfAwkwardPrograms(t *testing.T) {
	var b strings.Builder
	for _, c := range awkward {
		t.Run(c.name, func(t *testing.T) {
			out := shrunkBy(t, c.property, 1, 20_000)
			r := (&Property{Name: t.Name(), Test: t.Name(), Func: c.property}).NewRunner()
			defer r.Close()
			if !holdsExactly(t, c.name, r, &out) {
				t.Errorf("not held against all orders: %+v", out.Why)
			}
			fmt.Fprintf(&b, "%s: %s\n", c.name, out.Why.String())
		})
	}
	golden.File(t, "testdata/awkward.txt", b.String())
}
