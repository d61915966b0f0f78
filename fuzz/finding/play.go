package finding

import (
	"fmt"
	"slices"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/fuzz/words"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// A Played is what came of a case that was run again.
type Played struct {
	// Result is good until the runner's next run.
	Result props.Result
	// Exact reports whether the run was the one that was kept: the same draws,
	// the same decisions and the same trace.
	Exact bool
	// How says in words how the case was run.
	How string
}

// Play runs a case as it was kept; or by its schedule, if it never ran; or, if
// the program has changed since, as far as the case still applies.
func Play(r *props.Runner, c *corpus.Case) Played {
	if c.Planned() {
		ordered := strategy.Ordered(&c.Schedule)
		res := r.Run(planOf(c, ordered))
		return Played{res, false, fmt.Sprintf("by its schedule, %s not met", words.Count(len(ordered.Unmet()), "constraint"))}
	}
	replayer := strategy.Replay(&c.Record, strategy.ReplayOptions{})
	res := r.Run(planOf(c, replayer))
	difference := firstDifference(&res, replayer, c)
	if difference == "" {
		return Played{res, true, "as saved"}
	}
	return playLeniently(r, c, difference)
}

// playLeniently keeps what still applies of a case, and takes plain order for
// the rest.
func playLeniently(r *props.Runner, c *corpus.Case, difference string) Played {
	replayer := strategy.Replay(&c.Record, strategy.ReplayOptions{Lenient: true})
	res := r.Run(planOf(c, replayer))
	how := fmt.Sprintf("the program has changed since: %s; of its decisions %d no longer apply", difference, len(replayer.Stale()))
	if res.System != nil {
		for _, change := range changedSettings(c.Settings, settingsOf(&res)) {
			how += "; " + change
		}
	}
	return Played{res, false, how}
}

// firstDifference returns in what a strict replay differs from what was kept,
// "" when in nothing.
func firstDifference(res *props.Result, replayer *strategy.Replayer, c *corpus.Case) string {
	switch {
	case res.Stray != "":
		return res.Stray
	case len(res.Inputs) != len(c.Inputs):
		return fmt.Sprintf("the property makes %s, the case has %d", words.Count(len(res.Inputs), "draw"), len(c.Inputs))
	case replayer.Done() != nil:
		return replayer.Done().Error()
	case res.System != nil && res.System.Trace().Hash != c.Hash:
		return fmt.Sprintf("the trace is another (%016x, was %016x)", res.System.Trace().Hash, c.Hash)
	}
	return ""
}

// planOf returns the plan that runs a case again by a strategy.
func planOf(c *corpus.Case, s pulse.Strategy) props.Plan {
	return props.Plan{Inputs: c.Inputs, Strategy: s, EarlyTimers: c.EarlyTimers}
}

// settingsOf returns in words what a run was told by its property; defaults are
// left out, and so is what the search added.
func settingsOf(res *props.Result) (list []corpus.Setting) {
	o := res.System.Options()
	if res.EarlyTimers != 0 {
		o.EarlyTimers = 0
	}
	return settingsIn(o)
}

// settingsIn returns options in words.
func settingsIn(o pulse.Options) (list []corpus.Setting) {
	for _, s := range o.Settings() {
		list = append(list, corpus.Setting(s))
	}
	return list
}

// changedSettings returns what a case was told that a run was not, or otherwise.
func changedSettings(was, is []corpus.Setting) (changes []string) {
	find := func(list []corpus.Setting, name string) string {
		for _, s := range list {
			if s.Name == name {
				return s.Value
			}
		}
		return "default"
	}
	for _, list := range [][]corpus.Setting{was, is} {
		for _, s := range list {
			change := fmt.Sprintf("%s was %s, is %s", s.Name, find(was, s.Name), find(is, s.Name))
			if find(was, s.Name) != find(is, s.Name) && !slices.Contains(changes, change) {
				changes = append(changes, change)
			}
		}
	}
	return changes
}
