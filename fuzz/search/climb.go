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

// climbs is the part of a guided search that follows what the property says of its
// runs: T.Feature, T.Sometimes and T.Maximize. It is of no use, and does nothing, for
// a property that says nothing.
type climbs struct {
	ladder guide.Ladder[foothold]
	made   guide.Climb[foothold] // the last run's; zero if it was made in another way
	how    change                // in the last run, if it was made
	odds   [changes]struct{ tried, gained int }
	names  map[uint64]string // of signs
	lost   bool              // a run had more hints than are kept
}

// A foothold is all that it takes to come near a run again but its order.
type foothold struct {
	source
	reads []int // how many numbers each draw has read
	steps []int // by choice: the number of the last step that had begun and asks
}

// A change is how the inputs of a run differ from those of the run from which it is made.
type change int

const (
	same   change = iota
	tail          // they are new from somewhere in a draw on
	word          // a number that a draw reads is another
	anew          // a draw is new
	others        // those from a draw on are another run's
	changes
)

// mostNamesOfSigns is how many names are remembered, to be told. A ladder keeps fewer.
const mostNamesOfSigns = 64

// mostWords is how many numbers of a draw are changed at most: the first ones.
const mostWords = 4096

// signOf translates a hint.
func signOf(h *props.Hint) guide.Sign {
	return guide.Sign{Name: hash.Fold(hash.String(h.Name), uint64(h.Kind)+1), Value: h.Value,
		IsHeight: h.Kind == props.HintMaximize, Height: h.Height, Steps: h.Steps}
}

// learn keeps a run that has come to something new.
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

// askedIn returns in which step each choice was asked for, or the last one before it
// that is known. A trace has some answers only: see trace.Answers.
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

// answersTo returns the answers that were given before a number of steps had begun
// and in the last of them.
func (f *foothold) answersTo(steps int) []choice.Choice {
	i, _ := slices.BinarySearch(f.steps, steps)
	return f.answers[:i]
}

// next plans a run that is made from one that has come far. It returns false when
// there is none, and in one of eight runs that are not random.
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

// crowds calls f with each thing that there was too much of to keep.
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

// choose chooses how inputs are changed: what has led to something new most often is
// chosen most, and nothing is given up.
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
	return same // not reached: the weights have this sum
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

// cut returns an input with the first n numbers of another; those after them follow
// from a seed.
func cut(in *choice.Input, n int, seed uint64) choice.Input {
	c := choice.Input{Label: in.Label, Seed: seed}
	for i := range n {
		c.Words = append(c.Words, in.Word(i))
	}
	return c
}
