package finding

import (
	"fmt"
	"strings"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/fuzz/words"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/strategy"
	"github.com/jostle-go/jostle/pulse/trace"
)

// Show runs a case again and tells of it as Text tells of a finding, and what each
// actor keeps at the end. It is for looking at a model whose property holds.
func Show(r *props.Runner, c *corpus.Case) string {
	var states []string
	replayer := strategy.Replay(&c.Record, strategy.ReplayOptions{})
	plan := planOf(c, replayer)
	plan.Look = func(s *pulse.System) { states = s.Host().States() }
	res := r.Run(plan)
	var b strings.Builder
	steps := 0
	if res.System != nil {
		steps = res.System.Steps()
	}
	fmt.Fprintf(&b, "    a run that passed (%s), %s\n", c.Strategy, words.Count(steps, "step"))
	if how := firstDifference(&res, replayer, c); how != "" {
		fmt.Fprintf(&b, "        IT DOES NOT REPEAT: %s\n", how)
	}
	writeDraws(&b, draws(&res))
	writeLogs(&b, res.Logs)
	if res.System == nil {
		return b.String()
	}
	t := res.System.Trace()
	fmt.Fprintf(&b, "\n%s", words.Indented(t.Chart()))
	names := t.Names()
	if len(states) > 1 {
		b.WriteString("\n        at the end:\n")
	}
	for i, state := range states {
		if i != int(trace.Test) {
			fmt.Fprintf(&b, "            %s: %s\n", names.Of(int32(i)), trace.Visible(state))
		}
	}
	return b.String() + "\n"
}
