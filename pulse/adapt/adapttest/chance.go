package adapttest

import (
	"fmt"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/strategy"
	"github.com/jostle-go/jostle/pulse/trace"
)

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
