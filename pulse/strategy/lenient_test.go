package strategy_test

import (
	"slices"
	"testing"

	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// A repair is a program before and after a change. A run of the first
// form, newest message first, is replayed leniently in the second.
type repair struct {
	name          string
	before, after func(*pulse.System)
	recorded      pulse.Options
	replayed      pulse.Options
	answers       []int // the strategy's answers in the recorded run
	order         []string
	whole         bool
}

var crash = pulse.Options{Faults: pulse.Faults{Crash: 1}}

var repairs = []repair{
	{name: "nothing changed", whole: true, before: sends(write{1}, flush{}), after: sends(write{1}, flush{}),
		order: []string{"action.2#1 ← kick", "writer#1 ← flush", "action.1#1 ← kick", "writer#2 ← write(1)"}},
	{name: "another message", before: sends(write{1}, flush{}), after: sends(write{1}, get{2}),
		order: []string{"action.2#1 ← kick", "action.1#1 ← kick", "writer#1 ← write(1)", "writer#2 ← get(2)"}},
	{name: "one less", before: sends(write{1}, flush{}), after: sends(write{1}),
		order: []string{"action#1 ← kick", "writer#1 ← write(1)"}},
	{name: "one more", whole: true, before: sends(write{1}, write{2}), after: sends(write{1}, write{2}, write{3}),
		order: []string{"action.2#1 ← kick", "writer#1 ← write(2)", "action.1#1 ← kick", "writer#2 ← write(1)",
			"action.3#1 ← kick", "writer#3 ← write(3)"}},
	{name: "an order that cannot be", recorded: pulse.Options{Delivery: pulse.DeliveryUnordered},
		before: trial.Bunch(3), after: trial.Bunch(3),
		order: []string{"writer#1 ← write(0)", "writer#2 ← write(1)", "writer#3 ← write(2)"}},
	{name: "fewer answers", before: trial.Answered(5, 5), after: trial.Answered(3, 5), answers: []int{4, 3},
		order: []string{"chooser#1 ← kick", "2", "3"}},
	{name: "more questions", before: trial.Answered(5), after: trial.Answered(6, 2), answers: []int{4},
		order: []string{"chooser#1 ← kick", "4", "0"}},
	{name: "all answers", before: trial.Answered(5, 7), after: trial.Answered(5, 7), answers: []int{4, 3}, whole: true,
		order: []string{"chooser#1 ← kick", "4", "3"}},
	{name: "more questions after answers of zero", before: trial.Answered(5), after: trial.Answered(5, 2), answers: []int{0}, whole: true,
		order: []string{"chooser#1 ← kick", "0", "0"}},
	{name: "fewer questions", before: trial.Answered(5, 7), after: trial.Answered(5), answers: []int{4, 3},
		order: []string{"chooser#1 ← kick", "4"}},
	{name: "a fault that struck elsewhere", before: trial.Answered(5), after: sends(flush{}), answers: []int{1},
		recorded: crash, replayed: crash,
		order: []string{"action#1 ← kick", "writer#1 ← flush"}},
}

// TestLenient checks what is kept of a record when the program has changed.
func TestLenient(t *testing.T) {
	for _, c := range repairs {
		t.Run(c.name, func(t *testing.T) {
			c.recorded.Record, c.recorded.Strategy = true, &scripted{answers: c.answers, newest: true}
			sys := pulse.New(c.recorded)
			defer sys.Close()
			c.before(sys)
			must(t, sys.Failure())
			replay := strategy.Replay(sys.Record(), strategy.ReplayOptions{Lenient: true})
			c.replayed.Strategy = replay
			second := pulse.New(c.replayed)
			defer second.Close()
			for range 2 { // run twice, since Begin must reset the strategy
				second.Reset(0)
				c.after(second)
				must(t, second.Failure())
				c.check(t, second, replay)
			}
		})
	}
}

func (c *repair) check(t *testing.T, sys *pulse.System, replay *strategy.Replayer) {
	t.Helper()
	var order []string
	for i := range sys.Trace().Steps {
		order = append(order, sys.Trace().StepLabel(i))
	}
	for _, note := range sys.Trace().Notes {
		order = append(order, note.Text)
	}
	if !slices.Equal(order, c.order) {
		t.Errorf("the order is\n%q, expected\n%q", order, c.order)
	}
	if replay.Whole() != c.whole {
		t.Errorf("the whole record was made: %t", !c.whole)
	}
}
