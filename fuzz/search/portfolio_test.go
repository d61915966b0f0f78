package search

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// A mock is an arm that shows so many new pairs in a run, by the mean, and whose runs
// cost so much, up to half more or less.
type mock struct {
	name  string
	pairs float64
	cost  int
}

func (m mock) rate() float64 { return m.pairs / float64(m.cost) }

// run returns what comes of a run: one pair or none, so that worth and pairs are the same.
func (m mock) run(r *rand.Rand) (y Yield) {
	if r.Float64() < m.pairs {
		y.Pairs = 1
	}
	y.Cost = m.cost - m.cost/2 + r.IntN(2*(m.cost/2)+1)
	return y
}

// A contest is a bandit with mocks. It counts what they get.
type contest struct {
	t      *testing.T
	bandit *Bandit
	random *rand.Rand
	mocks  []mock
	runs   map[string]int
	cost   map[string]int
}

func newContest(t *testing.T, seed uint64, mocks ...mock) *contest {
	t.Helper()
	var entries []Entry
	for _, m := range mocks {
		entries = append(entries, Entry{Name: m.name})
	}
	b, err := NewBandit(seed, entries...)
	if err != nil {
		t.Fatal(err)
	}
	x := &contest{t: t, bandit: b, random: rand.New(rand.NewPCG(seed, 1)), mocks: mocks}
	x.clear()
	return x
}

func (x *contest) clear() { x.runs, x.cost = map[string]int{}, map[string]int{} }

// batches makes some batches of 32 runs.
func (x *contest) batches(n int, able func(string) bool) {
	for range n {
		for _, e := range x.bandit.Plan(32, able) {
			x.told(e.Name, x.mock(e.Name).run(x.random))
		}
	}
}

func (x *contest) mock(name string) mock {
	return x.mocks[slices.IndexFunc(x.mocks, func(m mock) bool { return m.name == name })]
}

func (x *contest) told(name string, y Yield) {
	x.bandit.Learn(name, y)
	x.runs[name]++
	x.cost[name] += y.Cost
}

// regret returns how much less the runs beyond the floor are worth, by their means, than
// if the best arm had made them at the same cost; and what that would be worth.
func (x *contest) regret() (less, best float64) {
	rate, all := 0.0, 0
	for _, m := range x.mocks {
		rate = max(rate, m.rate())
		all += x.cost[m.name]
	}
	for i, m := range x.mocks {
		cost := float64(x.cost[m.name])
		if i == 0 {
			cost -= float64(all) / floorPart
		}
		less += max(0, cost) * (rate - m.rate())
		best += max(0, cost) * rate
	}
	return less, best
}

// someMocks are arms of which one is best: not the one with most pairs, which is dear.
// All show fewer by a scale.
func someMocks(scale float64) []mock {
	list := []mock{{"random", 0.02, 20}, {"dear", 0.9, 400}, {"best", 0.3, 30}, {"cheap", 0.01, 10}, {"next", 0.15, 30}, {"never", 0, 25}}
	for i := range list {
		list[i].pairs *= scale
	}
	return list
}

// regretBound is what the rule promises: each other arm costs the worth of optimism once
// in the time that the bandit remembers.
func regretBound(arms, batches int) float64 {
	return optimism * float64(arms-1) * float64(batches) / memory
}

// TestBanditRegret holds the rule to its promise, whatever the rates are: the lower they
// are, the more runs it takes to tell arms apart, and the less these matter.
func TestBanditRegret(t *testing.T) {
	const batches = 1600
	for _, scale := range []float64{1, 0.3, 0.03} {
		for seed := range uint64(10) {
			mocks := someMocks(scale)
			x := newContest(t, seed, mocks...)
			x.batches(batches, nil)
			less, best := x.regret()
			if bound := regretBound(len(mocks), batches); less > bound {
				t.Errorf("scale %v, seed %d: the regret is %.0f of %.0f, more than %.0f: %v", scale, seed, less, best, bound, x.runs)
			}
			if free := x.cost["best"] * floorPart / (floorPart - 1); scale == 1 && 2*free < x.all(x.cost) {
				t.Errorf("seed %d: the best arm has %d of the cost of %d: %v", seed, x.cost["best"], x.all(x.cost), x.runs)
			}
		}
	}
}

// TestBanditCanary: the test of regret sees a bandit that looks at all arms alike, and
// that of change one that does not look at arms that were worse.
func TestBanditCanary(t *testing.T) {
	const batches = 1600
	mocks := someMocks(1)
	x := newContest(t, 1, mocks...)
	for _, s := range x.bandit.arms {
		s.optimism <<= 10
	}
	x.batches(batches, nil)
	if less, _ := x.regret(); less < regretBound(len(mocks), batches) {
		t.Errorf("a bandit that is no judge of arms has a regret of %.0f only", less)
	}
	x = newContest(t, 1, mocks...)
	for _, s := range x.bandit.arms {
		s.optimism = 0
	}
	if n := x.untilChanged(); n < 1000 {
		t.Errorf("a bandit that looks at the best arm alone finds a better one in %d batches", n)
	}
}

// untilChanged has the best arm become the worst, and the one that showed nothing the
// best, and returns after how many batches that has more runs of a batch than any other.
func (x *contest) untilChanged() int {
	x.batches(200, nil)
	for i, m := range x.mocks {
		switch m.name {
		case "best":
			x.mocks[i].pairs = 0
		case "never":
			x.mocks[i].pairs = 0.5
		}
	}
	for n := range 1000 {
		x.clear()
		x.batches(1, nil)
		most := true
		for name, runs := range x.runs {
			most = most && (name == "never" || runs < x.runs["never"])
		}
		if most {
			return n + 1
		}
	}
	return 1000
}

// TestBanditFollowsChange: what arms show wears off, and the bandit goes on to others
// before it has forgotten the best twice.
func TestBanditFollowsChange(t *testing.T) {
	for seed := range uint64(20) {
		x := newContest(t, seed, someMocks(1)...)
		if n := x.untilChanged(); n > 2*memory {
			t.Errorf("seed %d: it takes %d batches", seed, n)
		}
	}
}

// TestBanditOfEqualArms: where no arm shows anything all cost the same, however dear
// their runs are.
func TestBanditOfEqualArms(t *testing.T) {
	x := newContest(t, 1, mock{"random", 0, 20}, mock{"a", 0, 10}, mock{"b", 0, 50}, mock{"c", 0, 200})
	x.batches(1000, nil)
	for _, name := range []string{"random", "a", "b", "c"} {
		if share := float64(x.cost[name]) / float64(x.all(x.cost)); share < 0.23 || share > 0.27 {
			t.Errorf("%s has %.3f of the cost: %v", name, share, x.cost)
		}
	}
}

// TestBanditOfDefault: where no arm shows anything the arms have as large a part of the
// cost as of the entries. So a search that learns nothing is the default one.
func TestBanditOfDefault(t *testing.T) {
	b, err := NewBandit(1, Portfolio()...)
	if err != nil {
		t.Fatal(err)
	}
	entries, runs := map[string]int{}, map[string]int{}
	for _, e := range Portfolio() {
		entries[e.Name]++
	}
	const batches = 500
	for range batches {
		for _, e := range b.Plan(len(Portfolio()), nil) {
			runs[e.Name]++
			b.Learn(e.Name, Yield{Cost: 20})
		}
	}
	for name, n := range entries {
		if got := float64(runs[name]) / batches; math.Abs(got-float64(n)) > 0.1*float64(n) {
			t.Errorf("%s has %.2f runs of a batch, and %d entries", name, got, n)
		}
	}
}

func (x *contest) all(of map[string]int) (n int) {
	for _, m := range of {
		n += m
	}
	return n
}

// TestBanditFloor: the first arm has a quarter of the runs after each batch, whatever it
// shows, and a quarter of the cost but for what other runs have cost more than was to be
// foreseen, and its own less.
func TestBanditFloor(t *testing.T) {
	for _, c := range []struct {
		name  string
		mocks []mock
	}{
		{"it shows nothing", []mock{{"random", 0, 20}, {"a", 0.9, 20}, {"b", 0.5, 30}}},
		{"it is cheap", []mock{{"random", 0, 2}, {"a", 0.9, 900}, {"b", 0.5, 30}}},
		{"it is dear", []mock{{"random", 0, 5000}, {"a", 0.9, 20}, {"b", 0.5, 30}}},
		{"it is best", []mock{{"random", 0.9, 10}, {"a", 0.1, 20}, {"b", 0.1, 30}}},
	} {
		x := newContest(t, 1, c.mocks...)
		foreseen := map[string]int{}
		unforeseen := 0
		for batch := range 500 {
			unforeseen = max(0, unforeseen)
			for _, m := range x.mocks {
				foreseen[m.name] = int(x.bandit.mean(x.bandit.arm(m.name)))
			}
			for _, e := range x.bandit.Plan(1+batch%40, nil) {
				y := x.mock(e.Name).run(x.random)
				if batch%7 == 3 {
					y.Cost *= 1 + x.random.IntN(100) // it was another input
				}
				x.told(e.Name, y)
				if e.Name == "random" {
					unforeseen += (floorPart - 1) * (foreseen[e.Name] - y.Cost)
				} else {
					unforeseen += y.Cost - foreseen[e.Name]
				}
			}
			if all := x.all(x.runs); floorPart*x.runs["random"] < all {
				t.Fatalf("%s: random has %d of %d runs after batch %d", c.name, x.runs["random"], all, batch)
			}
			short := x.all(x.cost) - floorPart*x.cost["random"]
			if short > max(0, unforeseen) {
				t.Fatalf("%s: random has %d of a cost of %d after batch %d, and %d was not foreseen", c.name, x.cost["random"], x.all(x.cost), batch, unforeseen)
			}
			unforeseen = short
		}
	}
}

// TestBanditOfHelpless: arms that are not able to help get nothing; when they are again
// they are soon looked at. The first arm gets all when no other is able.
func TestBanditOfHelpless(t *testing.T) {
	x := newContest(t, 1, someMocks(1)...)
	x.batches(100, nil)
	x.clear()
	x.batches(100, func(name string) bool { return name != "best" && name != "dear" })
	if x.runs["best"]+x.runs["dear"] > 0 || x.runs["next"] < 1000 {
		t.Errorf("of arms that are not able best and dear are: %v", x.runs)
	}
	x.clear()
	x.batches(20, nil)
	if x.runs["best"] < 200 || x.runs["dear"] == 0 {
		t.Errorf("all are able again: %v", x.runs)
	}
	x.clear()
	x.batches(3, func(string) bool { return false })
	if x.runs["random"] != 96 {
		t.Errorf("none but random is able: %v", x.runs)
	}
}

// TestBanditRepeats has a plan as it must stay: the same yields and the same seed give
// the same batches. With another seed batches come in another order.
func TestBanditRepeats(t *testing.T) {
	plans := func(seed uint64) string {
		x := newContest(t, seed, someMocks(1)...)
		x.random = rand.New(rand.NewPCG(1, 1))
		var text string
		for range 3 {
			x.batches(20, nil)
			for _, e := range x.bandit.Plan(16, nil) {
				text += e.Name[:1]
				x.told(e.Name, x.mock(e.Name).run(x.random))
			}
			text += " "
		}
		return text
	}
	const want = "rbbbbbbrnrcbbrrb ncrrcrrrrrcnrdrn ccccccnccccccrcc "
	if got := plans(1); got != want || plans(1) != got {
		t.Errorf("got %q, want %q", got, want)
	}
	if plans(2) == plans(1) {
		t.Error("the seed does not matter")
	}
}

// TestBanditAhead: batches are planned before those are over that come just before them,
// as several workers need it. What comes of it does not depend on which is over first,
// if it is told in the order of the batches; and the floor and the regret hold.
func TestBanditAhead(t *testing.T) {
	const batches, ahead = 1600, 4
	mocks := someMocks(1)
	var texts []string
	for range 2 {
		x := newContest(t, 1, mocks...)
		var open [][]Entry
		var text strings.Builder
		for range batches {
			plan := x.bandit.Plan(32, nil)
			for _, e := range plan {
				text.WriteString(e.Name + " ")
			}
			if open = append(open, plan); len(open) > ahead {
				for _, e := range open[0] {
					x.told(e.Name, x.mock(e.Name).run(x.random))
				}
				open = open[1:]
			}
		}
		texts = append(texts, text.String())
		if less, _ := x.regret(); less > regretBound(len(mocks), batches) {
			t.Errorf("the regret is %.0f: %v", less, x.runs)
		}
		if all := x.all(x.runs); floorPart*x.runs["random"] < all {
			t.Errorf("random has %d of %d runs", x.runs["random"], all)
		}
	}
	if texts[0] != texts[1] {
		t.Error("the plans differ")
	}
}

// TestBanditForesees what runs will cost: as much as the last ones of their arm, or all of
// them if the last were long ago; runs of an arm that has had none, as much as others.
func TestBanditForesees(t *testing.T) {
	x := newContest(t, 1, mock{"random", 0, 10}, mock{"a", 0, 10}, mock{"b", 0, 10})
	expect := func(when string, want ...uint64) {
		t.Helper()
		for i, m := range x.mocks {
			if got := x.bandit.mean(x.bandit.arm(m.name)); got < want[i]*3/4 || got > want[i]*5/4 {
				t.Errorf("%s: a run of %s is expected to cost %d, want about %d", when, m.name, got, want[i])
			}
		}
	}
	notB := func(name string) bool { return name != "b" }
	expect("before the first run", 1, 1, 1)
	x.batches(50, notB)
	expect("after a while", 10, 10, 10)
	x.mocks[0].cost, x.mocks[1].cost = 1000, 1000
	x.batches(100, notB)
	expect("runs are dear now", 1000, 1000, 650)
	x.batches(200, func(string) bool { return false })
	expect("some are long ago", 1000, 650, 900)
}

// TestBanditIsMisused has what goes wrong by a mistake of the caller, and numbers that
// cannot be.
func TestBanditIsMisused(t *testing.T) {
	if b, err := NewBandit(1); b != nil || err == nil || err.Error() != "a bandit needs an arm" {
		t.Errorf("%v, %v", b, err)
	}
	b, err := NewBandit(1, Entry{Name: "random"}, Entry{Name: "a"})
	if err != nil {
		t.Fatal(err)
	}
	panics := func(name string) {
		t.Helper()
		defer func() {
			want := fmt.Sprintf("a bandit is told of a run by %q that it has not planned", name)
			if got := recover(); got != want {
				t.Errorf("panic %v, want %s", got, want)
			}
		}()
		b.Learn(name, Yield{Cost: 1})
	}
	panics("none")
	panics("a")
	if plan := b.Plan(0, nil); len(plan) > 0 {
		t.Errorf("a batch of no runs has %d", len(plan))
	}
	if plan := b.Plan(-1, nil); len(plan) > 0 {
		t.Errorf("a batch of -1 runs has %d", len(plan))
	}
	for range 1000 {
		for _, e := range b.Plan(32, nil) {
			y := Yield{Cost: -5, Pairs: -5}
			if e.Name == "a" {
				y = Yield{Cost: math.MaxInt, Pairs: math.MaxInt, Failed: true}
			}
			b.Learn(e.Name, y)
		}
	}
	// A run of a costs more than all that random runs: it had to have one to know.
	if a := b.arm("a"); a.told > 24 {
		t.Errorf("a has %d runs", a.told)
	}
	only, _ := NewBandit(1, Entry{Name: "random"})
	if plan := only.Plan(5, nil); len(plan) != 5 {
		t.Errorf("%d runs of 5", len(plan))
	}
}

// TestYield: what a run is worth.
func TestYield(t *testing.T) {
	for _, c := range []struct {
		y    Yield
		want uint64
	}{
		{Yield{}, 0}, {Yield{Pairs: -5}, 0}, {Yield{Pairs: 1}, 1}, {Yield{Pairs: 2}, 2}, {Yield{Pairs: 3}, 2}, {Yield{Pairs: 4}, 3},
		{Yield{Pairs: 127}, 7}, {Yield{Pairs: 128}, 8}, {Yield{Pairs: 1 << 20}, 8}, {Yield{Failed: true}, 32}, {Yield{Pairs: 5, Failed: true}, 35},
	} {
		if got := c.y.worth(); got != c.want {
			t.Errorf("%+v is worth %d, want %d", c.y, got, c.want)
		}
	}
}
