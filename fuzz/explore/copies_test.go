package explore_test

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/pulse"
)

// runsOf makes w count the runs of its program in n.
func runsOf(w *worker, n *int) *worker {
	run := w.run
	return &worker{run: func(s pulse.Strategy) explore.Run {
		*n++
		return run(s)
	}, done: w.done, again: w.again}
}

// TestCopiesChangeNothing runs random programs with and without snapshots. It checks that both searches count the same
// runs, states and failures.
func TestCopiesChangeNothing(t *testing.T) {
	trial.Long(t)
	r := &rig{}
	defer r.close()
	fewer, searches := 0, 0
	for seed := range uint64(byDay(40, 10_000)) {
		may := common&^processes | checking | panicking | everying
		if seed%3 == 2 {
			may |= messageFaults
		}
		p := newProgram(seed, may)
		build := func(s *pulse.System) func() error { return p.clone().Build(s) } // p keeps actors of earlier runs, which states would include
		for _, m := range []explore.Method{{Reduction: explore.Everything}, {Reduction: explore.Everything, Sleep: true}, {Reduction: explore.SourceSets, Sleep: true}, {Reduction: explore.DCUTE, BigSteps: true}} {
			runs, all := 0, 0
			m.States = explore.ByHash
			o := explore.Options{Method: m, KeepOn: true, Runs: 100}
			with, err := explore.Explore(o, runsOf(r.worker(p.options(), build), &runs))
			o.CopyNothing()
			without, err2 := explore.Explore(o, runsOf(r.worker(p.options(), build), &all))
			if differ(with, without) || err != nil || err2 != nil {
				t.Fatalf("program %d, %+v:\n%+v %v, want\n%+v %v\n%v", seed, o, with, err, without, err2, p)
			}
			if searches++; runs < all {
				fewer++
			}
		}
	}
	if t.Logf("%d of %d searches made fewer runs", fewer, searches); fewer < searches/10 {
		t.Errorf("%d of %d searches made fewer runs: the test is too weak", fewer, searches)
	}
}

// differ reports whether two searches have different counts.
func differ(x, y explore.Result) bool {
	return x.Runs != y.Runs || x.Cut != y.Cut || x.Wasted != y.Wasted || x.Steps != y.Steps || x.States != y.States || x.Distinct != y.Distinct ||
		x.Complete != y.Complete || x.Because != y.Because || x.Unread != y.Unread || x.Nondeterminism != y.Nondeterminism || !maps.Equal(x.Failures, y.Failures)
}

// TestCopiesSaveRuns counts how often a search that restores snapshots runs the program of a
// register.
func TestCopiesSaveRuns(t *testing.T) {
	runs := 0
	v, err := explore.Explore(comparing(explore.ByHash, true), runsOf(on(pulse.Options{}, registered(3)), &runs))
	if err != nil || v.Runs+v.Cut+v.Wasted != 423 || runs != 49 {
		t.Errorf("%d runs of the program for %d of the search, %v", runs, v.Runs+v.Cut+v.Wasted, err)
	}
}

// tallied is a variable of the package, so no snapshot holds it.
var tallied int

// A tallier counts its messages in a variable of the package.
type tallier struct{ n int }

func (a *tallier) Receive(*pulse.Ctx, any) {
	a.n++
	tallied++
}

// TestHiddenState checks that a search detects state that snapshots do not hold. The search then
// restarts without snapshots. It must not report a failure of a run that would pass from its
// start.
func TestHiddenState(t *testing.T) {
	w := on(pulse.Options{}, func(s *pulse.System) func() error {
		tallied = 0
		for range 3 {
			a := s.Spawn("tallier", &tallier{})
			s.Send(a, 1)
			s.Host().Enqueue(s.Spawn("other", &tallier{}), a, 2)
		}
		return func() error {
			if tallied != 6 {
				return errors.New("something was not counted")
			}
			return nil
		}
	})
	o := comparing(explore.ByHash, false)
	v, err := explore.Explore(o, w)
	if err != nil || !v.Complete || len(v.Failures) > 0 || !strings.Contains(v.Because, "keeps state") {
		t.Errorf("%+v %v", v, err)
	}
	o.CopyNothing()
	if all, _ := explore.Explore(o, w); all.Runs != v.Runs || all.Cut != v.Cut || all.States != v.States {
		t.Errorf("%+v, want %+v", v, all)
	}
}

// A marker collects digits. For the message 0 it adds 7 if the variable tallied is zero, as it is in any run from the
// beginning.
type marker struct {
	n int
	f func()
}

func (a *marker) Receive(_ *pulse.Ctx, msg any) {
	if msg != 0 {
		a.n = a.n*10 + msg.(int)
	} else if tallied++; tallied == 1 {
		a.n += 7
	}
}

// TestHiddenStateUnread checks that a search finds all results of a program with hidden state if the check makes its
// final state unreadable. A search once missed two results of this program, and still reported that it was complete.
func TestHiddenStateUnread(t *testing.T) {
	w := on(pulse.Options{}, func(s *pulse.System) func() error {
		tallied = 0
		a, b := &marker{}, &marker{}
		to := []pulse.Ref{s.Spawn("a", a), s.Spawn("b", b)}
		for i, list := range [][]int{{1, 0}, {2, 0}, {8}, {9}} {
			from := s.Spawn("from", &marker{})
			for _, msg := range list {
				s.Host().Enqueue(from, to[i/2], msg)
			}
		}
		return func() error {
			a.f = func() {}
			return fmt.Errorf("%d %d", a.n, b.n)
		}
	})
	for _, sleep := range []bool{false, true} {
		o := comparing(explore.ByHash, sleep)
		with := exploreWith(o, nil, w)
		o.CopyNothing()
		if without := exploreWith(o, nil, w); !with.Complete || !strings.Contains(with.Because, "cannot be read") || len(without.failing) != 8 || !maps.Equal(with.failing, without.failing) {
			t.Errorf("sleep %t: %v, want %v: %+v", sleep, with.failing, without.failing, with.Result)
		}
	}
}
