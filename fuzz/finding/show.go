package finding

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/fuzz/internal/record"
	"github.com/jostle-go/jostle/fuzz/internal/words"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/strategy"
	"github.com/jostle-go/jostle/pulse/trace"
)

// changes is an observer that records the state of an actor after each step that changed it.
type changes struct {
	now   []string   // the current state of each actor
	steps [][]string // for each step, the actor states that the step changed
	whose [][]int32  // for each element of steps, the indices of the actors that have these states

	fields map[int32][]trace.Field    // the current fields of each actor; nil if nobody needs the field parts
	parts  map[[2]int][]record.Change // for a step and an actor, the fields that the step changed
}

func (c *changes) Stepped(s *pulse.System, step int) {
	for len(c.steps) <= step {
		c.steps, c.whose = append(c.steps, nil), append(c.whose, nil)
	}
	for i, state := range s.Host().States() {
		if i == len(c.now) {
			c.now = append(c.now, "")
		}
		if state != c.now[i] && i != int(trace.Test) {
			c.steps[step] = append(c.steps[step], state)
			c.whose[step] = append(c.whose[step], int32(i))
			c.compare(s, step, int32(i))
		}
		c.now[i] = state
	}
}

// compare records the fields of an actor that a step changed.
func (c *changes) compare(s *pulse.System, step int, actor int32) {
	if c.fields == nil {
		return
	}
	now := s.Host().Fields(actor)
	c.parts[[2]int{step, int(actor)}] = slices.DeleteFunc(compared("", c.fields[actor], now, nil), unchanged)
	c.fields[actor] = now
}

// after returns a function that returns the lines to print after a step, which show the states
// that the step changed. After the first step they show only its actor, because the earlier
// states of the other actors are unknown.
func (c *changes) after(t *trace.Trace, names trace.Names) func(int) []string {
	return func(step int) (lines []string) {
		for i, whose := range c.whoseAt(step) {
			if step > 0 || whose == t.Steps[0].Actor {
				lines = append(lines, names.Of(whose)+" now: "+c.steps[step][i])
			}
		}
		return lines
	}
}

// partsAfter returns the fields that a step changed, of the same actors as after.
func (c *changes) partsAfter(t *trace.Trace, names trace.Names, step int) (list []record.Change) {
	for _, whose := range c.whoseAt(step) {
		for _, part := range c.parts[[2]int{step, int(whose)}] {
			if part.Actor = visible(names.Of(whose)); step > 0 || whose == t.Steps[0].Actor {
				list = append(list, part)
			}
		}
	}
	return list
}

// ReplayText replays a case and describes it like Text, with the actors' states after each step
// that changes them and at the end. Use it to inspect a model whose property holds.
func ReplayText(r *props.Runner, c *corpus.Case) string {
	var states []string
	var kept changes
	replayer := strategy.Replay(&c.Record, strategy.ReplayOptions{})
	plan := planOf(c, replayer)
	plan.Observer = &kept
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
	record.WriteDraws(&b, draws(&res), record.Columns-record.Indent)
	record.WriteLogs(&b, res.Logs)
	if res.System == nil {
		return b.String()
	}
	t := res.System.Trace()
	names := t.Names()
	fmt.Fprintf(&b, "\n%s", words.Indented(t.ChartWith(trace.ChartOptions{Failed: int(trace.None), Below: kept.after(t, names)}).Text(0)))
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
