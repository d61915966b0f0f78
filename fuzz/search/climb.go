package search

import (
	"fmt"
	"slices"

	"github.com/jostle-go/jostle/fuzz/internal/guide"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/trace"
)

// climbs is the part of a guided search that uses what the property says of its runs:
// T.Feature, T.Sometimes and T.Maximize. Without these calls it does nothing.
type climbs struct {
	ladder guide.Ladder[foothold]
	made   guide.Climb[foothold] // of the last run; zero if it was made in another way
	how    change                // of the last run's inputs, if made is set
	odds   [changes]struct{ tried, gained int }
	names  map[uint64]string // of signs
	lost   bool              // a run had more hints than are kept
}

// A foothold is all of a run but its order, to make a similar run.
type foothold struct {
	source
	reads []int // how many numbers each draw has read
	steps []int // for each choice, the last step known to have begun when it was asked
}

// A change says how the inputs of a run differ from those of the run it is made from.
type change int

const (
	same   change = iota
	tail          // new from somewhere within a draw
	word          // one number that a draw reads differs
	anew          // one draw is new
	others        // from some draw on, those of another run
	changes
)

// mostNamesOfSigns is how many names are kept for messages. A ladder keeps fewer.
const mostNamesOfSigns = 64

// mostWords is how many numbers of a draw can change: the first ones.
const mostWords = 4096

// signOf translates a hint.
func signOf(h *props.Hint) guide.Sign {
	return guide.Sign{Name: hash.Fold(hash.String(h.Name), uint64(h.Kind)+1), Value: h.Value,
		IsHeight: h.Kind == props.HintMaximize, Height: h.Height, Steps: h.Steps}
}

// learn keeps a run that reached something new.
func (c *climbs) learn(res *props.Result) {
	if len(res.Hints) == 0 {
		return
	}
	signs := make([]guide.Sign, len(res.Hints))
	for i := range res.Hints {
		signs[i] = signOf(&res.Hints[i])
		if c.names == nil {
			c.names = map[uint64]string{}
		}
		if len(c.names) < mostNamesOfSigns {
			c.names[signs[i].Name] = res.Hints[i].Name
		}
	}
	c.lost = c.lost || res.HintsLost
	t := res.System.Trace()
	if isNew := c.ladder.See(t, signs, c.made, func() foothold { return footholdOf(res, t) }); isNew && !c.made.IsZero() {
		c.odds[c.how].gained++
	}
}

func footholdOf(res *props.Result, t *trace.Trace) foothold {
	f := foothold{source: sourceOf(res), reads: slices.Clone(res.Reads)}
	f.steps = askedIn(f.answers, t.Answers)
	return f
}

// askedIn returns for each choice the step in which it was asked, or the last known step
// before it. A trace has only some answers: see trace.Answers.
func askedIn(choices []choice.Choice, answers []trace.Answer) []int {
	steps, at, last := make([]int, len(choices)), 0, -1
	for i, c := range choices {
		if at < len(answers) && (c.Kind == choice.Program || c.Value > 0 && c.Kind != choice.Clock && c.Kind != choice.Fault) {
			last = int(answers[at].Step)
			at++
		}
		steps[i] = last
	}
	return steps
}

// answersTo returns the answers that were given in the first `steps` steps.
func (f *foothold) answersTo(steps int) []choice.Choice {
	i, _ := slices.BinarySearch(f.steps, steps)
	return f.answers[:i]
}

// next plans a run based on one that has come far. It returns false if there is none, and
// for one of eight of the guided runs.
func (c *climbs) next(p *props.Plan, f *forced) bool {
	seed := hash.Mix(p.StrategySeed + hash.Gamma)
	c.made = guide.Climb[foothold]{}
	if seed&7 == 0 {
		return false
	}
	if c.made = c.ladder.Next(seed); c.made.IsZero() {
		return false
	}
	with := c.made.With
	with.plan(p)
	if c.how = same; len(with.inputs) > 0 {
		c.how = c.choose(hash.Nth(seed, 1))
	}
	c.odds[c.how].tried++
	p.Inputs = with.change(c.made.Other, c.how, hash.Nth(seed, 2))
	f.plan(p, c.made.Order, with.answersTo(c.made.Steps))
	return true
}

// crowds calls f for each kind of hint of which there were too many to keep.
func (c *climbs) crowds(f func(what string)) {
	names, more := c.ladder.Full()
	for _, name := range names {
		f(fmt.Sprintf("Feature %q has too many values", c.names[name]))
	}
	if more {
		f("Feature, Sometimes and Maximize are given too many names")
	}
	if c.lost {
		f("Feature, Sometimes and Maximize say too much of one run")
	}
}

// choose chooses how to change inputs: more often what has led to something new more
// often, and each change sometimes.
func (c *climbs) choose(seed uint64) change {
	var weights [changes]int
	sum := 0
	for i, o := range c.odds {
		weights[i] = 4 + 1000*(o.gained+1)/(o.tried+8)
		sum += weights[i]
	}
	at := int(seed % uint64(sum))
	for i, w := range weights {
		if at -= w; at < 0 {
			return change(i)
		}
	}
	return same // unreachable: the weights add up to sum
}

// change returns inputs that are changed in one draw, or from one draw on.
func (f *foothold) change(other *foothold, how change, seed uint64) []choice.Input {
	if how == same {
		return f.inputs
	}
	list := choice.CloneInputs(f.inputs)
	i := int(hash.Nth(seed, 0) % uint64(len(list)))
	in, n := &list[i], min(f.reads[i], mostWords)
	k := int(hash.Nth(seed, 1) % uint64(max(n, 1)))
	switch {
	case how == tail:
		*in = cut(in, min(k, n), hash.Nth(seed, 2))
		return list[:i+1]
	case how == others && i < len(other.inputs):
		return append(list[:i], other.inputs[i:]...)
	case how == word && n > 0:
		*in = cut(in, n, in.Seed)
		in.Words[k] = hash.Nth(seed, 2)
	default:
		*in = choice.Input{Label: in.Label, Seed: hash.Nth(seed, 2)}
	}
	return list
}

// cut returns an input with the first n numbers of another. The numbers after them follow
// from a seed.
func cut(in *choice.Input, n int, seed uint64) choice.Input {
	c := choice.Input{Label: in.Label, Seed: seed}
	for i := range n {
		c.Words = append(c.Words, in.Word(i))
	}
	return c
}
