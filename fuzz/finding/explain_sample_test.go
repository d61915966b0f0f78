package finding

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/corpus/golden"
	"github.com/jostle-go/jostle/fuzz/subjects"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/strategy"
	"github.com/jostle-go/jostle/shrink"
)

// sampledOf explains a shrunk failure as if it had too many orders to run all. ok is false if there is only one
// order.
func sampledOf(r *props.Runner, out *Shrunk) (e explanation, ok bool) {
	by := &shrinking{runner: r, early: out.Finding.Case.EarlyTimers}
	e = by.explain(context.Background(), &out.Best.Case, out.Best.Signature, 1)
	return e, e.Sampled != nil
}

// TestSampled compares golden texts with the results of sampling random orders of small programs with known causes of
// failure. Next to each result is the explanation from all orders. By day four subjects are sampled.
func TestSampled(t *testing.T) {
	trial.Long(t)
	var b strings.Builder
	names := []string{"writer", "barber", "attach", "cache"}
	if golden.Whole() {
		names = []string{"writer", "barber", "messenger", "attach", "2pc-early", "2pc-stuck", "chain-repair", "snapshot-late", "cache"}
	}
	tell := func(name string, property func(*props.T), out Shrunk) {
		r := props.NewRunner(name, property)
		defer r.Close()
		e, _ := sampledOf(r, &out)
		fmt.Fprintf(&b, "%s: %s\n%s\n\n", name, out.why.String(), e.String())
	}
	for _, name := range names {
		s, _ := subjects.ByName(name)
		tell(name, s.Property(false), shrunkSubject(t, name))
	}
	say := func(name string, property func(*props.T)) { tell(name, property, shrunkBy(t, property, 1, 20_000)) }
	say("backwards", listed)
	for _, c := range awkward {
		say(c.name, c.property)
	}
	for _, c := range []struct {
		name  string
		fails func(got string) bool
	}{
		{"either of two", func(got string) bool { return strings.Index(got, "b") < strings.Index(got, "a") || got[0] == 'c' }},
		{"c in the middle", func(got string) bool { return got[1] == 'c' }},
		{"all but one", func(got string) bool { return got != "abc" }},
	} {
		say(c.name, func(t *props.T) {
			got, sys := "", t.System()
			judge := sys.Spawn("judge", pulse.Func(func(_ *pulse.Ctx, msg any) { got += msg.(string) }))
			for _, word := range []string{"a", "b", "c"} {
				sendsBy(sys, judge, word)
			}
			if sys.Run(); c.fails(got) {
				t.Error("fails")
			}
		})
	}
	say("one of two failures", func(t *props.T) {
		first, sys := "", t.System()
		judge := sys.Spawn("judge", pulse.Func(func(_ *pulse.Ctx, msg any) { first = cmp.Or(first, msg.(string)) }))
		for _, word := range []string{"a", "b", "c"} {
			sendsBy(sys, judge, word)
		}
		switch sys.Run(); first {
		case "b":
			t.Error("fails")
		case "c":
			t.Error("fails in another way")
		}
	})
	golden.Part(t, "testdata/sampled.txt", b.String())
}

// A chance is an order of a program with its probability, if each deliverable message is equally likely at each
// step.
type chance struct {
	received map[string][]stepName
	failed   bool
	p        float64
}

// chancesOf runs all orders of a case, each from the start, and returns them with their probabilities. all reports
// whether they are complete.
func chancesOf(r *props.Runner, c *shrink.Case, signature string) (list []chance, all bool) {
	received := map[string]map[string][]stepName{}
	all = trial.EachOrder(r, props.Plan{Inputs: c.Inputs}, mostPlain, func(res *props.Result, p float64) {
		key := plainOrderOf(res.System.Trace())
		if received[key] == nil {
			received[key] = plainly(res.System.Trace())
		}
		list = append(list, chance{received[key], res.Failure != nil && res.Failure.Signature() == signature, p})
	})
	return list, all
}

// sampledTable samples the orders of an unshrunk failure that a random search finds. It returns how the
// samples contradict all orders. It returns nil if plain order fails, nothing is found, or there are too many
// orders.
func sampledTable(r *props.Runner, seed uint64) (e *explanation, all []chance, wrong []string) {
	by := &shrinking{runner: r}
	for n := range uint64(100) {
		res := r.Run(props.Plan{Strategy: strategy.Random(), Seed: hash.Seed(seed, n/10), StrategySeed: n})
		if res.Failure == nil {
			continue
		}
		c := shrinkCase(&res)
		signature := res.Failure.Signature()
		if plain := r.Run(props.Plan{Inputs: c.Inputs}); plain.Failure != nil {
			return nil, nil, nil
		}
		all, whole := chancesOf(r, &c, signature)
		if !whole {
			return nil, nil, nil
		}
		e := by.explain(context.Background(), &c, signature, 1)
		w := &turner{shrinking: by, left: turning, inputs: &c, signature: signature}
		w.note()
		return &e, all, append(doubts(&e, all), w.miscounts(&e)...)
	}
	return nil, nil, nil
}

// miscounts reruns the random orders of each share, judged by the printed names. It returns the shares that
// differ.
func (w *turner) miscounts(e *explanation) (list []string) {
	for n := range e.Sampled.unsent {
		w.numbers[n] = n
	}
	e.Sampled.each(func(name string, want corpus.Share, terms []choice.Constraint) {
		by, under := &steered{answers: w.answers}, explanation{steps: e.steps, Condition: shrink.Condition{Terms: [][]choice.Constraint{terms}}}
		for _, c := range terms {
			by.waits = append(by.waits, wait{first: w.numbers[c.First], second: w.numbers[c.Second]})
		}
		got := corpus.Share{LeftOut: want.LeftOut}
		for i := range uint64(mostSample) {
			if got.Of == sampled || i >= sampled && got.Of < fewestSaid {
				break
			}
			by.seed = hash.Mix(i)
			res := w.runs(by)
			if received := plainly(res.System.Trace()); !under.told(received) {
				continue
			}
			if got.Of++; w.fails(&res) {
				got.Failed++
			}
		}
		if got != want {
			list = append(list, fmt.Sprintf("%s: %+v, and made again %+v", name, want, got))
		}
	})
	return list
}

// each calls f with each share, and with the constraints that hold in the share's orders.
func (s *sampling) each(f func(name string, share corpus.Share, terms []choice.Constraint)) {
	f("free", s.Free, nil)
	if len(s.Constraints) == 0 {
		return
	}
	f("under", s.Under, s.Constraints)
	for i, c := range s.Constraints {
		others := slices.Clone(s.Constraints)
		if others[i] = c.Turned(); s.Turned[i].LeftOut {
			others = slices.Delete(others, i, i+1)
		}
		f("turned", s.Turned[i], others)
	}
}

// doubts returns how all orders of a program contradict the shares of random orders. A share may
// count failing or passing orders that do not exist, or claim that all orders fail, or be very
// improbable.
func doubts(e *explanation, all []chance) (list []string) {
	e.Sampled.each(func(name string, share corpus.Share, terms []choice.Constraint) {
		fails, passes, p := 0, 0, 0.0
		under := explanation{steps: e.steps, Condition: shrink.Condition{Terms: [][]choice.Constraint{terms}}}
		for _, c := range all {
			switch {
			case !under.told(c.received):
			case c.failed:
				fails, p = fails+1, p+c.p
			default:
				passes++
			}
		}
		failed, passed := share.Failed, share.Of-share.Failed
		switch {
		case failed < 0 || passed < 0 || failed > 0 && fails == 0 || passed > 0 && passes == 0:
			list = append(list, fmt.Sprintf("%s: %d of %d, and of all orders %d fail and %d pass", name, failed, share.Of, fails, passes))
		case share.Of == sampled && (failed == 0 && fails > 0 || passed == 0 && passes > 0):
			list = append(list, fmt.Sprintf("%s: rare: %d of %d, and of all orders %d fail and %d pass", name, failed, share.Of, fails, passes))
		}
		if n := float64(share.Of); len(terms) == 0 && math.Abs(float64(failed)-n*p) > 4.5*math.Sqrt(n*p*(1-p))+1e-9 {
			list = append(list, fmt.Sprintf("%s: %d of %d, and each fails with chance %.2f", name, failed, share.Of, p))
		}
	})
	return list
}

// TestSampledAgainstAllOrders compares the sampled shares of small random programs with all of their
// orders and the orders' probabilities. It also spoils the shares in several ways; each way must be
// detected.
func TestSampledAgainstAllOrders(t *testing.T) {
	trial.Long(t)
	tested, constrained, always, rare, several := 0, 0, 0, 0, map[int]int{}
	spoil := map[string]func(*sampling) bool{
		"turned": func(s *sampling) bool {
			s.Constraints[0] = s.Constraints[0].Turned()
			return s.Under.Failed == s.Under.Of && s.Turned[0].Failed == 0 && !s.Turned[0].LeftOut
		},
		"one more fails": func(s *sampling) bool {
			s.Under.Failed++
			return s.Under.Failed > s.Under.Of
		},
		"one passes": func(s *sampling) bool {
			all := s.Under.Failed == s.Under.Of
			s.Under.Failed--
			return all
		},
		"none is free": func(s *sampling) bool {
			many := s.Free.Failed > 40
			s.Free.Failed = 0
			return many
		},
	}
	seen := map[string]int{}
	for seed := uint64(1); tested < slowPrograms(); seed++ {
		p := trial.NewTable(rand.New(rand.NewPCG(seed, 10)))
		r := props.NewRunner("table", p.Property(nil, 0))
		e, all, wrong := sampledTable(r, seed)
		r.Close()
		if e == nil {
			continue
		}
		tested++
		s := e.Sampled
		for _, doubt := range wrong {
			if strings.Contains(doubt, "rare") {
				rare++
				t.Logf("seed %d: %s", seed, doubt)
				continue
			}
			t.Errorf("seed %d: %s\n%s", seed, doubt, e.String())
		}
		if len(s.Constraints) > 0 {
			constrained++
		} else {
			continue
		}
		if s.Under.Failed == s.Under.Of {
			always++
		}
		several[len(s.Constraints)]++
		for name, f := range spoil {
			wrong := *e
			wrong.Sampled = &sampling{Free: s.Free, Under: s.Under, Constraints: slices.Clone(s.Constraints), Turned: slices.Clone(s.Turned)}
			if f(wrong.Sampled) {
				if seen[name]++; len(doubts(&wrong, all)) == 0 {
					t.Errorf("seed %d: %s: not seen\n%s", seed, name, wrong.String())
				}
			}
		}
	}
	t.Logf("%d programs: %d with constraints, under which %d always fail; %v by how many; %d rare; spoilt %v", tested, constrained, always, several, rare, seen)
	if rare*50 > tested || constrained < tested*95/100 || always < tested*85/100 {
		t.Errorf("of %d programs %d have constraints, under which %d always fail", tested, constrained, always)
	}
	for name := range spoil {
		if seen[name] < tested/5 {
			t.Errorf("%s: tried %d times", name, seen[name])
		}
	}
}

// TestPairsCanBeTurned checks that each pair of a run can be reversed as reported: the steps before the pair stay the
// same, and the second message comes before the first.
func TestPairsCanBeTurned(t *testing.T) {
	tested, runs, far := 0, 0, 0
	eachFailing(&tested, slowPrograms(), func(seed uint64, r *props.Runner, res *props.Result) (next bool) {
		tested++
		c := shrinkCase(res)
		w := &turner{shrinking: &shrinking{runner: r}, inputs: &c, signature: res.Failure.Signature()}
		for _, pair := range w.note() {
			by := &steered{answers: w.answers, order: pair.order, exact: pair.exact, waits: []wait{
				{first: w.numbers[pair.Second], second: w.numbers[pair.First]}}}
			again := w.runs(by)
			if by.lost || !by.kept() && again.Failure == nil { // the run may fail before the pair
				t.Fatalf("seed %d: %+v cannot be turned round: lost %t", seed, pair, by.lost)
			}
			if runs++; pair.apart > 1 {
				far++
			}
		}
		return false
	})
	t.Logf("%d failing runs with %d pairs, of which %d are not neighbours", tested, runs, far)
	if runs < tested/2 || far < tested/5 {
		t.Errorf("%d failing runs have %d pairs, of which %d are not neighbours", tested, runs, far)
	}
}

// TestNoTimeToSample: if there is no time, sampling stops at once, and the report says what was not
// sampled. If there is no time to find constraints, it says how many random orders fail.
func TestNoTimeToSample(t *testing.T) {
	s, _ := subjects.ByName("raft-dupvote")
	out := shrunkSubject(t, s.Name)
	r := props.NewRunner("p", s.Property(false))
	defer r.Close()
	const none = "there are too many orders to run them all, and there was no time to sample some"
	for most, want := range map[int]string{0: none, 1: none, 50: none, 500: "there was no time to run all orders; sampled: it fails in 2 of 100 random orders"} {
		ctx, cancel := context.WithCancel(t.Context())
		by := &shrinking{runner: r, far: &far{tell: func(p shrink.Progress) {
			if p.Runs > most {
				cancel()
			}
		}}}
		e := out.why
		e.Sampled = by.sample(ctx, &out.Best.Case, out.Best.Signature)
		if e.Cut = e.Sampled != nil; e.Cut && (!e.Sampled.cut || e.Sampled.Constraints != nil) || by.far.at.Runs > most+4 {
			t.Errorf("%d runs, and then %+v", by.far.at.Runs, e.Sampled)
		}
		if text := e.String(); !strings.HasSuffix(text, "\n    "+want) {
			t.Error(text)
		}
		cancel()
	}
}

// TestSamplingIsBounded: sampling a large run stops after a limited number of steps. If the samples are too few, it
// reports no constraint.
func TestSamplingIsBounded(t *testing.T) {
	trial.Long(t)
	r := props.NewRunner("large", func(t *props.T) {
		got, sys := "", t.System()
		judge := sys.Spawn("judge", pulse.Func(func(_ *pulse.Ctx, msg any) { got += msg.(string) }))
		for range 60 {
			sendsBy(sys, judge, "a", "b", "c")
		}
		if sys.Run(); strings.HasPrefix(got, "a") {
			t.Error("fails")
		}
	})
	defer r.Close()
	res := r.Run(props.Plan{})
	c, steps := shrinkCase(&res), res.System.Steps()
	by := &shrinking{runner: r, far: &far{tell: func(shrink.Progress) {}}}
	s := by.sample(t.Context(), &c, res.Failure.Signature())
	if runs := by.far.at.Runs; runs > turning/steps+10 || runs < sampled || s.Free != (corpus.Share{Failed: sampled, Of: sampled}) || len(s.Constraints) > 0 {
		t.Errorf("%d runs of %d steps: %+v", runs, steps, s)
	}
}

// TestSampledOnPages checks that every form of a report has the sampled shares. Finding the failure again must give the
// same shares.
func TestSampledOnPages(t *testing.T) {
	s, _ := subjects.ByName("raft-dupvote")
	out, again := shrunkSubject(t, s.Name), shrunkBy(t, s.Property(false), 1, 20_000)
	if out.why.String() != again.why.String() {
		t.Errorf("%s\n%s", out.why.String(), again.why.String())
	}
	const said, decided = "(turned round, 0 of 100)", "in 100 of 100, before it in"
	p := out.Finding.Record("found")
	page := string(p.HTML())
	for name, text := range map[string]string{
		"text": out.Finding.Text("found"), "comment": strings.Join(out.Finding.Case.Comment, "\n"), "diagram": out.Finding.Seen.Diagram, "HTML": page,
	} {
		if !strings.Contains(strings.ReplaceAll(text, "<br/>", " "), decided) {
			t.Errorf("%s: not %q:\n%s", name, decided, text)
		}
	}
	if n := strings.Count(page, said); n < 6 {
		t.Errorf("the page has %d times %q:\n%s", n, said, page)
	}
	if q := p.Why.Sampled; q == nil || q.Free.Of != sampled || q.Under != (corpus.Share{Failed: sampled, Of: sampled}) {
		t.Errorf("%+v", q)
	}
	for _, c := range p.Why.Main() {
		if c.Turned == nil || *c.Turned != (corpus.Share{Of: sampled}) {
			t.Errorf("%+v", c)
		}
	}
	out = shrunkSubject(t, "writer")
	if p := out.Finding.Record(""); out.why.Sampled != nil || p.Why.Sampled != nil || p.Why.Constraints[0].Turned != nil {
		t.Errorf("all orders were run, and yet %+v", p)
	}
}

// TestReductionThatMissesTheCase: two actors share a variable, and one order in 252 fails. The reduction
// knows no conflict, so it runs one order, which passes. The explanation still counts the run of the case.
func TestReductionThatMissesTheCase(t *testing.T) {
	for _, c := range []struct{ panics, want string }{
		{"", "can fail in the only order of receives;\n    not exact: something besides the order of messages decides"},
		{"babababa", "fails in plain order, where the oldest message comes first, but with " +
			"0 at b before 0 at a and 1 at b before 1 at a and 2 at b before 2 at a and 3 at b before 3 at a;\n" +
			"    there are too many orders to run them all; sampled: it fails in 1 of 100 random orders,\n" +
			"    and no constraint on two messages was found that says which"},
	} {
		property := func(t *props.T) {
			sys, log := t.System(), ""
			for _, name := range []string{"a", "b"} {
				to := sys.Spawn(name, pulse.Func(func(*pulse.Ctx, any) {
					if log += name; log == c.panics {
						panic("they take turns")
					}
				}))
				for i := range 5 {
					sys.Send(to, i)
				}
			}
			if sys.Run(); c.panics == "" && log == "bababababa" {
				t.Error("they take turns")
			}
		}
		out := shrunkBy(t, property, 1, 500)
		r := props.NewRunner("turns", property)
		e, _ := sampledOf(r, &out)
		if e.String() != c.want {
			t.Errorf("panics at %q: %s", c.panics, e.String())
		}
		r.Close()
	}
}
