package finding

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/jostle-go/jostle/fuzz/subjects"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/strategy"
	"github.com/jostle-go/jostle/pulse/trace"
	"github.com/jostle-go/jostle/shrink"
)

// The tests of this file compare the shrinker and its explanations with references that share no
// code with them. The references try all inputs, smallest first, and run all orders, each from its
// start.

// failsInPlainOrder reports whether the program fails in plain order with some input.
func failsInPlainOrder(p *trial.Table) bool {
	var property func(*props.T)
	r := props.NewRunner("plain", func(t *props.T) { property(t) })
	defer r.Close()
	for _, list := range lists(3) {
		for number := range 3 {
			property = p.Property(list, number)
			if res := r.Run(props.Plan{}); res.Failure != nil {
				return true
			}
			if !p.Number {
				break
			}
		}
	}
	return false
}

// A least is the smallest failing run that the reference finds.
type least struct {
	external, steps int
	inputs          []inputIDs // the inputs that have a run of this size
}

// An inputIDs is a program with fixed inputs, and the identities of all steps of its
// runs.
type inputIDs struct {
	property func(*props.T)
	ids      map[uint64]bool
}

// leastOf tries all inputs in all orders, those with the fewest messages from outside first, and returns the least
// failing run.
func leastOf(t *testing.T, p *trial.Table) least {
	var property func(*props.T)
	r := props.NewRunner("slow", func(t *props.T) { property(t) })
	defer r.Close()
	for external := range 6 {
		l := least{external: external, steps: 1 << 30}
		for _, list := range lists(3) {
			number := external - len(list)
			if number >= 0 && number <= 2 && (number == 0 || p.Number) {
				property = p.Property(list, number)
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

// look runs a program in all orders, and records its failing runs in l.
func (l *least) look(t *testing.T, r *props.Runner, property func(*props.T)) {
	mine, steps := inputIDs{property, map[uint64]bool{}}, 1<<30
	if !trial.EachOrder(r, props.Plan{}, 1_000_000, func(res *props.Result, _ float64) {
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

// constrained reports whether some program fails in the least number of steps under n constraints. It tries all sets of
// n.
func (l *least) constrained(n int) bool {
	for _, in := range l.inputs {
		s := &choice.Schedule{}
		by := strategy.Ordered(s)
		r := props.NewRunner("slow", in.property)
		fails := eachChoice(constraintsOn(in.ids), n, nil, func(list []choice.Constraint) bool {
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

// eachChoice reports whether f holds for some set of n constraints.
func eachChoice(all []choice.Constraint, n int, chosen []choice.Constraint, f func([]choice.Constraint) bool) bool {
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

// slowPrograms returns the number of random programs that are tried.
func slowPrograms() int {
	if nightly() {
		return 2000
	}
	return 12
}

// eachFailing calls use with failing runs of small random programs until *tested reaches the given number;
// use increases *tested. Each program has at most 20 runs. If use returns true, the next program follows at
// once.
func eachFailing(tested *int, programs int, use func(seed uint64, r *props.Runner, res *props.Result) (next bool)) {
	for seed := uint64(1); *tested < programs; seed++ {
		p := trial.NewTable(rand.New(rand.NewPCG(seed, 10)))
		r := props.NewRunner("table", p.Property(nil, 0))
		for n := range uint64(20) {
			res := r.Run(props.Plan{Strategy: strategy.Random(), Seed: hash.Seed(seed, n), StrategySeed: n})
			if res.Failure != nil && use(seed, r, &res) {
				break
			}
		}
		r.Close()
	}
}

// TestShrinkAgainstAllSmaller compares the shrunk runs of small random programs with all smaller runs. A
// shrunk run never has more messages than the smallest failing run and at most one more step. Mostly it is
// the smallest one. By day the test begins with programs that need the passes that change several draws at
// once.
func TestShrinkAgainstAllSmaller(t *testing.T) {
	trial.Long(t)
	tested, exact, stepMore, constraintMore, orders := 0, 0, 0, 0, 0
	first := uint64(3450)
	if nightly() {
		first = 1
	}
	for seed := first; tested < slowPrograms(); seed++ {
		p := trial.NewTable(rand.New(rand.NewPCG(seed, 10)))
		program := program{t.Name(), p.Property(nil, 0)}
		if failsInPlainOrder(p) && seed%32 > 0 { // otherwise most programs would need no constraint
			continue
		}
		f := search(program, seed, 300)
		if f == nil {
			continue
		}
		tested++
		r := program.runner()
		out := Shrink(context.Background(), r, f, shrink.Options{Runs: 20_000})
		if out.Finding == nil || out.Finding.Case.Signature != f.Case.Signature || !out.Done {
			t.Fatalf("seed %d: shrunk to %+v", seed, out)
		}
		b := &out.Best
		if again := r.Run(props.Plan{Inputs: b.Case.Inputs, Strategy: strategy.Ordered(&b.Case.Schedule)}); again.Failure == nil ||
			again.System.Steps() != b.Steps {
			t.Fatalf("seed %d: the smallest case does not fail again: %+v", seed, again)
		}
		l := leastOf(t, p)
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

// A plainOrder has the messages that each actor of a run received, by name.
type plainOrder struct {
	failed, passed bool
	received       map[string][]stepName
}

// mostPlain is the largest number of runs of the plain enumerator.
const mostPlain = 60_000

// holdsExactly compares an explanation with all orders of the shrunk program. It reports whether all of them could be
// run.
func holdsExactly(t *testing.T, name string, r *props.Runner, out *Shrunk) bool {
	t.Helper()
	if !out.why.Complete || out.why.Reduced {
		return false
	}
	wrong, all := unlike(r, out)
	if wrong != "" {
		t.Errorf("%s: %s\n%s", name, out.why.String(), wrong)
	}
	return all
}

// unlike returns how an explanation differs from the result of running all orders, "" if it does not. It
// compares the numbers. It also checks that the condition, with its printed names, holds in exactly the orders
// that fail.
func unlike(r *props.Runner, out *Shrunk) (wrong string, all bool) {
	e, orders := &out.why, map[string]*plainOrder{}
	plan := props.Plan{Inputs: out.Best.Case.Inputs, EarlyTimers: out.Finding.Case.EarlyTimers}
	all = trial.EachOrder(r, plan, mostPlain, func(res *props.Result, _ float64) {
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

// TestWrongExplanationsAreSeen: unlike detects an explanation with a wrong condition or a wrong
// number.
func TestWrongExplanationsAreSeen(t *testing.T) {
	s, _ := subjects.ByName("writer-error")
	for name, spoil := range map[string]func(e *explanation){
		"turned": func(e *explanation) {
			e.Condition.Terms = [][]choice.Constraint{{e.Condition.Terms[0][0].Turned()}}
		},
		"one order less": func(e *explanation) { e.Orders-- },
		"one more fails": func(e *explanation) { e.Failing++ },
		"answers decide": func(e *explanation) { e.Mixed = true },
	} {
		out := shrunkSubject(t, s.Name)
		r := props.NewRunner(t.Name(), s.Property(false))
		if wrong, _ := unlike(r, &out); wrong != "" {
			t.Errorf("%s", wrong)
		}
		spoil(&out.why)
		if wrong, _ := unlike(r, &out); wrong == "" {
			t.Errorf("%s: not seen", name)
		}
		r.Close()
	}
}

// plainOrderOf returns the messages that each actor of a run received, by identity. Two runs have the same text if they
// have the same order.
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

// plainly returns the messages that each actor of a run received, by name.
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

// told reports whether a condition holds in an order, as people would read it: its first message was received, and its
// second was not received before that.
func (e *explanation) told(received map[string][]stepName) bool {
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

// TestConditionsOfSubjects compares the explanations of the example programs with all of their orders.
func TestConditionsOfSubjects(t *testing.T) {
	trial.Long(t)
	for i, s := range shortSubjects() {
		if testing.Short() && i%5 > 0 {
			continue
		}
		out := shrunkSubject(t, s.Name)
		r := props.NewRunner(t.Name(), s.Property(false))
		all := holdsExactly(t, s.Name, r, &out)
		r.Close()
		t.Logf("%s: complete %t, exact %t, reduced %t, mixed %t, held against all orders: %t", s.Name, out.why.Complete, out.why.Exact, out.why.Reduced, out.why.Mixed, all)
	}
}
