package strategy_test

import (
	"math"
	"os"
	"testing"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// Tests of probabilities use fixed seeds, so they always pass or always
// fail. With random seeds each would fail by bad luck with probability at
// most errorChance.
const errorChance = 1e-6

// runs is how many times a test runs its program: more at night, fewer with
// -short, which leaves the test little power.
func runs(n int) int {
	switch {
	case os.Getenv("JOSTLE_NIGHTLY") != "":
		return 20 * n
	case testing.Short():
		return n / 5
	}
	return n / 2
}

// byDay returns n by day and runs(night) at night.
func byDay(n, night int) int {
	if os.Getenv("JOSTLE_NIGHTLY") != "" {
		return runs(night)
	}
	return n
}

// atMost returns the probability of at most hits hits in a number of tries,
// each with probability p.
func atMost(hits, tries int, p float64) float64 {
	lgamma := func(n int) float64 { v, _ := math.Lgamma(float64(n) + 1); return v }
	sum := 0.0
	for i := range hits + 1 {
		sum += math.Exp(lgamma(tries) - lgamma(i) - lgamma(tries-i) +
			float64(i)*math.Log(p) + float64(tries-i)*math.Log1p(-p))
	}
	return sum
}

// expectAtLeast fails if so few hits are unlikely when each try has probability
// p or more.
func expectAtLeast(t *testing.T, hits, tries int, p float64) {
	t.Helper()
	if atMost(hits, tries, p) < errorChance {
		t.Errorf("%d hits in %d tries (1/%.1f), expected a chance of at least 1/%.1f",
			hits, tries, float64(tries)/float64(hits), 1/p)
		return
	}
	t.Logf("%d hits in %d tries: 1/%.1f, promised 1/%.1f", hits, tries, float64(tries)/float64(hits), 1/p)
}

// expectChance fails if so few or so many hits are unlikely with probability p.
func expectChance(t *testing.T, hits, tries int, p float64) {
	t.Helper()
	few, many := atMost(hits, tries, p), 1-atMost(hits-1, tries, p)
	if min(few, many) < errorChance/2 {
		t.Errorf("%d hits in %d tries, expected a chance of 1/%.2f", hits, tries, 1/p)
		return
	}
	t.Logf("%d hits in %d tries: 1/%.2f, expected 1/%.2f", hits, tries, float64(tries)/float64(hits), 1/p)
}

// isUniform reports whether counts are likely to be uniform, by chi-square.
func isUniform(counts []int) (ok bool, chi, bound float64) {
	total := 0
	for _, n := range counts {
		total += n
	}
	each := float64(total) / float64(len(counts))
	for _, n := range counts {
		chi += (float64(n) - each) * (float64(n) - each) / each
	}
	bound = chiBound(float64(len(counts) - 1))
	return chi <= bound, chi, bound
}

// chiBound returns the value that chi-square exceeds with probability
// errorChance, with the given degrees of freedom. The approximation is Wilson's
// and Hilferty's.
func chiBound(free float64) float64 {
	const z = 4.7534 // one-sided
	return free * math.Pow(1-2/(9*free)+z*math.Sqrt(2/(9*free)), 3)
}

// A named is a constructor of a strategy with the strategy's name.
type named struct {
	name string
	make func() pulse.Strategy
}

// all lists the strategies of strategy.Names.
func all() (list []named) {
	for _, name := range strategy.Names() {
		list = append(list, named{name, func() pulse.Strategy {
			s, err := strategy.ByName(name)
			if err != nil {
				panic(err)
			}
			return s
		}})
	}
	return list
}

// must ends a test if a run fails unexpectedly.
func must(t testing.TB, f *pulse.Failure) {
	t.Helper()
	if f != nil {
		t.Fatal(f)
	}
}

// A mark is message n of a lane.
type mark struct{ lane, n int }

type kick struct{}

// lanes is a program with one sink. The test sends kicks to sources, and each
// source then sends a few marks to the sink. With w sources and l marks each, a run
// has w(l+1) messages over 2w channels. At most w of them are pairwise unordered.
type lanes struct {
	w, l  int
	order []mark       // the marks in the order in which the sink received them
	at    map[mark]int // maps each mark to its index in order
	steps []byte       // the lane of each step, including the steps that receive kicks
}

func (p *lanes) Receive(_ *pulse.Ctx, msg any) {
	m := msg.(mark)
	p.at[m] = len(p.order)
	p.order = append(p.order, m)
	p.steps = append(p.steps, byte('0'+m.lane))
}

func (p *lanes) run(sys *pulse.System, seed uint64) *pulse.Failure {
	sys.Reset(seed)
	p.order, p.at, p.steps = p.order[:0], map[mark]int{}, p.steps[:0]
	sink := sys.Spawn("sink", p)
	for lane := range p.w {
		source := pulse.Func(func(ctx *pulse.Ctx, _ any) {
			p.steps = append(p.steps, byte('0'+lane))
			for n := range p.l {
				ctx.Send(sink, mark{lane, n})
			}
		})
		sys.Send(sys.Spawn("source", source), kick{})
	}
	sys.Run()
	return sys.Failure()
}

// after reports whether the sink received mark n of a lane after all marks of others.
func (p *lanes) after(lane, n int, others ...mark) bool {
	for _, other := range others {
		if p.at[mark{lane, n}] < p.at[other] {
			return false
		}
	}
	return true
}

// hops is a program with a chain of hops, each over a channel of its own. The
// last hop goes to the sink. One single message also goes to the sink. The
// field found is set if the single message came last.
type hops struct {
	n     int
	found bool
}

type hop struct{}
type single struct{}

func (p *hops) run(sys *pulse.System, seed uint64) *pulse.Failure {
	sys.Reset(seed)
	p.found = false
	hopped := false
	next := sys.Spawn("sink", pulse.Func(func(_ *pulse.Ctx, msg any) {
		if _, ok := msg.(hop); ok {
			hopped = true
			return
		}
		p.found = hopped
	}))
	sys.Send(next, single{})
	for range p.n - 1 {
		to := next
		next = sys.Spawn("relay", pulse.Func(func(ctx *pulse.Ctx, msg any) { ctx.Send(to, msg) }))
	}
	sys.Send(next, hop{})
	sys.Run()
	return sys.Failure()
}

// tally runs a program many times and counts how many times it found something.
func tally(t *testing.T, s pulse.Strategy, tries int, run func(*pulse.System, uint64) *pulse.Failure, found func() bool) (hits int) {
	t.Helper()
	sys := pulse.New(pulse.Options{Strategy: s})
	defer sys.Close()
	for seed := range tries {
		must(t, run(sys, uint64(seed)))
		if found() {
			hits++
		}
	}
	return hits
}

// scripted gives fixed answers, then zero. It picks in plain order, or the
// newest message first.
type scripted struct {
	answers []int
	newest  bool
}

func (s *scripted) Begin(uint64) {}

func (s *scripted) Pick(e *pulse.Enabled) int {
	if !s.newest {
		return e.Oldest()
	}
	best := 0
	for i := range e.Len() {
		if e.Seq(i) > e.Seq(best) {
			best = i
		}
	}
	return best
}

func (s *scripted) Choose(choice.Kind, int) int {
	if len(s.answers) == 0 {
		return 0
	}
	v := s.answers[0]
	s.answers = s.answers[1:]
	return v
}

func newRecorded(s pulse.Strategy) *pulse.System {
	return pulse.New(pulse.Options{Strategy: s, Record: true})
}
