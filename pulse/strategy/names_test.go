package strategy_test

import (
	"testing"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// TestForget: after Forget, a strategy that has run a larger program takes the
// same steps as a new one. Without Forget, a strategy that learns takes
// different steps.
func TestForget(t *testing.T) {
	runs := func(s pulse.Strategy) (list [4]uint64) {
		p := &lanes{w: 4, l: 4}
		sys := newRecorded(s)
		defer sys.Close()
		for seed := range list {
			must(t, p.run(sys, uint64(seed)))
			list[seed] = sys.Trace().Hash
		}
		return list
	}
	for _, s := range all() {
		want, used := runs(s.make()), s.make()
		larger := &lanes{w: 3, l: 9}
		sys := newRecorded(used)
		must(t, larger.run(sys, 1))
		sys.Close()
		learns := map[string]bool{"pct": true, "pctcp": true, "urw": true}[s.name]
		if same := runs(used) == want; same == learns {
			t.Errorf("%s: the same runs after another: %v", s.name, same)
		}
		if !strategy.Forget(used) {
			t.Errorf("%s does not forget", s.name)
		}
		if got := runs(used); got != want {
			t.Errorf("%s: runs %x after it has forgotten, want %x", s.name, got, want)
		}
	}
	if strategy.Forget(strategy.Replay(&choice.Record{}, strategy.ReplayOptions{})) || strategy.Forget(nil) {
		t.Error("a replay has forgotten what it is to repeat, or nothing has")
	}
}

func TestNames(t *testing.T) {
	for _, name := range strategy.Names() {
		a, err := strategy.ByName(name)
		b, _ := strategy.ByName(name)
		if err != nil || a == nil || a == b {
			t.Errorf("%s: %v and %v, %v", name, a, b, err)
		}
	}
	const want = `no strategy is called "lifo"; there are plain, random, pct, pctcp, pos, urw, slow`
	if _, err := strategy.ByName("lifo"); err == nil || err.Error() != want {
		t.Errorf("got %v, expected %s", err, want)
	}
}

// TestSameSeedSameRun checks for each strategy that a new strategy and a used
// one take the same steps if both make the same sequence of runs. It also
// checks that different seeds give different runs.
func TestSameSeedSameRun(t *testing.T) {
	for _, s := range all() {
		hashes := func() (list []uint64) {
			p := &lanes{w: 4, l: 4}
			sys := newRecorded(s.make())
			defer sys.Close()
			for _, seed := range []uint64{7, 1, 2, 3, 1, 2, 3} {
				must(t, p.run(sys, seed))
				list = append(list, sys.Trace().Hash)
			}
			return list
		}
		a, b := hashes(), hashes()
		for i := range a {
			if a[i] != b[i] {
				t.Errorf("%s: run %d differs in a second value", s.name, i)
			}
		}
		for i := range 3 {
			if a[1+i] != a[4+i] {
				t.Errorf("%s: seed %d gives another run the second time", s.name, i+1)
			}
		}
		if different := a[1] != a[2] && a[2] != a[3]; different != (s.name != "plain") {
			t.Errorf("%s: different seeds, different runs: %v", s.name, different)
		}
	}
}
