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

// climbs is the part of a guided search that uses the hints of a property: its calls to
// T.Feature, T.Sometimes and T.Maximize. Without hints it does nothing.
type climbs struct {
	ladder guide.Ladder[foothold]
	made   guide.Climb[foothold] // the order, made from a kept run, that planned the last run; zero if there was none
	how    change                // how the inputs of the last run were changed, if field made is not zero
	odds   [changes]struct{ tried, gained int }
	names  map[uint64]string // maps Sign.Name to the name of the hint
	lost   bool              // set if a run had more hints than are recorded
}

// A foothold has what is needed to make a run similar to an earlier one, except the order
// of the earlier run.
type foothold struct {
	source
	reads []int // for each draw, the number of random numbers that it read
	steps []int // for each choice, the step in which it was made (see askedIn)
}

// A change is a way to derive the inputs of a run from the inputs of an earlier run.
type change int

const (
	same   change = iota // no draw changes
	tail                 // the last numbers of one draw and all later draws are new
	word                 // one number that a draw reads is new
	anew                 // one draw is new
	others               // one draw and all later draws are taken from another run
	changes
)

// mostNamesOfSigns is the maximum number of hint names kept for messages. A guide.Ladder
// keeps fewer names.
const mostNamesOfSigns = 64

// Only the first mostWords numbers of a draw can change.
const mostWords = 4096

// signOf converts a hint to a guide.Sign, which is the form of a hint that guide.Ladder
// keeps.
func signOf(h *props.Hint) guide.Sign {
	return guide.Sign{Name: hash.Fold(hash.String(h.Name), uint64(h.Kind)+1), Value: h.Value,
		IsHeight: h.Kind == props.HintMaximize, Height: h.Height, Steps: h.Steps}
}

// learn adds a run and its hints to the ladder, which keeps the run if it got farther than
// the kept runs.
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

// askedIn returns, for each choice of a foothold, the step in which the choice was made. A
// trace records the step of only some choices (see trace.Answers). For the other choices,
// askedIn returns the last known step before it, or -1.
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

// answersTo returns the choices that were made in the first `steps` steps.
func (f *foothold) answersTo(steps int) []choice.Choice {
	i, _ := slices.BinarySearch(f.steps, steps)
	return f.answers[:i]
}

// next plans a run from a kept run that got far. It returns false and plans nothing if
// there is no such run, and for one seed in eight.
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

// crowds calls f with a message for each kind of hint that was too numerous to keep.
func (c *climbs) crowds(f func(message string)) {
	const advice = ": a guided search keeps only the first; give it fewer, such as ranges of numbers"
	names, more := c.ladder.Full()
	for _, name := range names {
		f(fmt.Sprintf("Feature %q has too many values", c.names[name]) + advice)
	}
	if more {
		f("Feature, Sometimes and Maximize are given too many names" + advice)
	}
	if c.lost {
		f("Feature, Sometimes and Maximize give too many hints in one run" + advice)
	}
}

// choose draws a change of inputs. A change that often led to something new is more likely,
// but every change has a chance.
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

// change returns the inputs of f after the change given by how. The change `others`
// copies draws of the foothold other.
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

// cut returns an input that keeps the first n numbers of a draw. All further numbers are
// derived from the seed.
func cut(in *choice.Input, n int, seed uint64) choice.Input {
	c := choice.Input{Label: in.Label, Seed: seed}
	for i := range n {
		c.Words = append(c.Words, in.Word(i))
	}
	return c
}
