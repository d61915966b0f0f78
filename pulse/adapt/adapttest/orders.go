package adapttest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/pulse"
)

// An explorer runs a program for explore.Explore. It implements explore.Worker.
type explorer struct {
	program program
	runtime func(*pulse.System) Runtime
	sys     *pulse.System
	stage   *stage
	judge   func(st *stage, where string) bool // checks each run; nil for no check
	runs    int
	seen    map[string]string // for each outcome, the first run that had it
	failed  bool
	stop    chan struct{}
}

// Run runs the program once.
func (x *explorer) Run(st pulse.Strategy) explore.Run {
	o := pulse.Options{Strategy: st, Record: true}
	if x.sys == nil {
		x.sys = pulse.New(o)
	} else {
		x.sys.Configure(o)
	}
	x.stage = x.program.play(x.sys, x.runtime)
	return explore.Run{System: x.sys, Failure: x.sys.Failure()}
}

// Done checks the run, and records its outcome.
func (x *explorer) Done(explore.Run) {
	x.runs++
	where := fmt.Sprintf("in run %d of all orders", x.runs)
	if !x.failed && x.judge != nil && !x.judge(x.stage, where) {
		x.failed = true
		close(x.stop)
	}
	if out := x.stage.outcome(); x.seen[out] == "" {
		x.seen[out] = where
	}
}

// Again discards the outcomes and the count of runs, because the exploration restarts.
func (x *explorer) Again() { x.runs, x.seen = 0, map[string]string{} }

// explore runs the distinct orders of a program on a runtime, and reports whether
// none of them breaks a rule.
func (x *explorer) explore(o explore.Options) (explore.Result, bool) {
	x.Again()
	x.stop = make(chan struct{})
	o.KeepOn, o.Stop = true, x.stop
	r, err := explore.Explore(o, x)
	if err != nil {
		panic(err) // unreachable: allOrders passes only valid options
	}
	x.sys.Close()
	return r, !x.failed
}

// allOrders checks that a program has the same distinct orders on the adapter's
// runtime as on pulse's own runtime, and that a reduction skips no outcome. The
// parameter seen holds the outcomes of random runs.
func (s *suite) allOrders(p program, seen map[string]string) {
	judge := func(st *stage, where string) bool { return s.judge(p, st, where) }
	theirs := explorer{program: p, runtime: newOwn}
	counts := explore.Method{CountDistinct: true}
	want, _ := theirs.explore(explore.Options{Method: counts})
	ours := explorer{program: p, runtime: s.adapter.New, judge: judge}
	got, ok := ours.explore(explore.Options{Method: counts, Runs: 10 * (want.Distinct + 1)})
	every := explorer{program: p, runtime: s.adapter.New, judge: judge}
	if ok && got.Nondeterminism == "" {
		_, ok = every.explore(explore.Options{Runs: s.seeds, Method: explore.Method{Reduction: explore.Everything}})
	}
	if !ok {
		return
	}
	for _, list := range []map[string]string{seen, every.seen, ours.seen} {
		if out := without(list, theirs.seen); out != "" {
			s.breaks(orders, p.name, "%s: actors receive messages in an order that never occurs with processes of package pulse:%s", list[out], choices(out))
			return
		}
	}
	out := without(theirs.seen, ours.seen)
	switch {
	case got.Nondeterminism != "":
		s.breaks(replay, p.name, "the same decisions lead to a different run: %s", got.Nondeterminism)
	case got.Reduction != want.Reduction:
		s.breaks(orders, p.name, "steps conflict by more than messages, unlike with processes of package pulse: %s", got.Because)
	case !got.Complete:
		s.breaks(orders, p.name, "there are at least %d distinct orders, but %d with processes of package pulse", got.Distinct, want.Distinct)
	case out != "":
		s.breaks(orders, p.name, "the runtime never shows this order of messages, which occurs with processes of package pulse:%s", choices(out))
	case got.Distinct != want.Distinct:
		s.breaks(orders, p.name, "there are %d distinct orders, but %d with processes of package pulse, though all actors receive the same messages", got.Distinct, want.Distinct)
	}
}

// without returns the smallest key of map a that map b does not have, "" if there
// is none.
func without(a, b map[string]string) string {
	for _, text := range slices.Sorted(maps.Keys(a)) {
		if _, has := b[text]; !has {
			return text
		}
	}
	return ""
}

// choices returns the lines of an outcome that list more than one message.
func choices(outcome string) (text string) {
	for line := range strings.Lines(outcome) {
		if strings.Contains(line, then) {
			text += "\n        " + strings.TrimSuffix(line, "\n")
		}
	}
	return text
}
