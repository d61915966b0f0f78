package adapttest

import (
	"fmt"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/strategy"
	"github.com/jostle-go/jostle/pulse/trace"
)

// play runs a program once on a runtime, in a new or reset system.
func (p *program) play(sys *pulse.System, runtime func(*pulse.System) Runtime) (st *stage) {
	st = &stage{sys: sys, host: sys.Host(), sent: map[parcel]int{}}
	defer func() {
		switch v := recover().(type) {
		case nil:
		case *pulse.Failure: // the system panics with a failure if no run has begun
			st.refused = v
		default:
			panic(v)
		}
	}()
	st.runtime = runtime(sys)
	p.build(st)
	sys.Run()
	return st
}

// chance makes random runs of a program and replays each, until a run breaks a rule.
// It returns the outcomes of the runs, and for each outcome the last run that had it.
func (s *suite) chance(p program) (seen map[string]string) {
	sys := pulse.New(pulse.Options{Strategy: strategy.Random(), Record: true})
	defer sys.Close()
	again := pulse.New(pulse.Options{Record: true})
	defer again.Close()
	seen = map[string]string{}
	for seed := range uint64(s.seeds) {
		sys.Reset(seed)
		st := p.play(sys, s.adapter.New)
		s.asks, s.becomes = st.asks, st.becomes
		where := fmt.Sprintf("with seed %d", seed)
		if !s.judge(p, st, where) || !s.replay(p, sys, again, where) {
			break
		}
		seen[st.outcome()] = where
	}
	return seen
}

// judge checks a run and records the rule that it breaks, if any. It reports whether
// the run breaks no rule.
func (s *suite) judge(p program, st *stage, where string) bool {
	if f := st.judge(); f.rule != "" {
		return s.breaks(f.rule, p.name, "%s: %s", where, f.text)
	}
	for _, player := range st.players {
		key, id := p.name+" "+player.name, player.id()
		if old, known := s.ids[key]; known && old != id {
			return s.breaks(ids, p.name, "%s: the address of %s is %s, and in an earlier run it was %s", where, player.name, id, old)
		}
		s.ids[key] = id
	}
	return true
}

// replay replays a run in another system, and reports whether the two runs are the
// same.
func (s *suite) replay(p program, sys, again *pulse.System, where string) bool {
	again.Configure(pulse.Options{Strategy: strategy.Replay(sys.Record().Clone(), strategy.ReplayOptions{}), Record: true})
	p.play(again, s.adapter.New)
	first, second := sys.Trace(), again.Trace()
	if first.Text() == second.Text() && again.Failure() == nil {
		return true
	}
	where += ": the same decisions lead to a different run"
	if d, differs := trace.Diff(first, second); differs {
		return s.breaks(replay, p.name, "%s: %v", where, d)
	}
	return s.breaks(replay, p.name, "%s: %v\n%s\n%s", where, again.Failure(), first.Text(), second.Text())
}
