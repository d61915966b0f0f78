package search

import (
	"reflect"
	"slices"
	"strings"

	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/trace"
)

// inputs enumerates the inputs of a property. Draws other than OneOf are derived from a
// seed. For each seed, inputs enumerates all combinations of OneOf values; the value of the
// last draw changes first. A draw may depend on the values of earlier draws, so each input
// is found by running the property up to its first step.
type inputs struct {
	runner *counted
	seed   uint64      // the seed from which the seeds of all inputs are derived
	wanted int         // the number of seeds that must give a new input
	late   func() bool // reports whether the time is up

	drawn    []choice.Input     // the current input
	arity    []int              // for each draw, the number of values of OneOf, 0 for other draws
	round    uint64             // the number of the current seed, from 1
	fresh    bool               // set if the current seed has given a new input
	useful   int                // the number of seeds that gave a new input
	useless  int                // the number of consecutive seeds that gave no new input
	sampled  bool               // set if some draw is not a OneOf draw
	cut      bool               // set if the enumeration ended because the time was up
	seen     map[string][][]any // the values of all earlier inputs; the key is a text of their labels and values
	tries    int                // the number of inputs drawn, new or not
	skipped  int                // the number of inputs that the property skipped
	skips    string             // the reason given for the last skip
	rejected map[string]int     // the number of times that a draw found no value, by label
	tooLarge map[string]bool    // the labels of rejected draws that needed more numbers than a draw may read
	watches  bool               // Result.Watches of the input's run: the verdict depends on the order of steps at different actors
	between  bool               // Result.Between of the input's run: the verdict depends on what is read between steps
	keeps    bool               // Result.Remembers of the input's run: the verdict also depends on earlier states
}

const (
	defaultInputs = 10
	// mostUseless is the number of consecutive seeds without a new input after which
	// the enumeration ends. A draw costs little compared with an exploration.
	mostUseless = 100
)

func newInputs(r *counted, seed uint64, wanted int, late func() bool) *inputs {
	if wanted <= 0 {
		wanted = defaultInputs
	}
	return &inputs{runner: r, seed: seed, wanted: wanted, late: late, seen: map[string][][]any{}, rejected: map[string]int{}, tooLarge: map[string]bool{}}
}

// next moves to the next new input. It returns false if there is no further input or the
// time is up.
func (in *inputs) next() bool {
	for {
		prefix, ok := in.following()
		if !ok {
			return false
		}
		if in.cut = in.late(); in.cut {
			return false
		}
		if in.choose(prefix) {
			in.fresh = true
			return true
		}
	}
}

// single reports whether there is only one input.
func (in *inputs) single() bool {
	return !slices.ContainsFunc(in.arity, func(n int) bool { return n != 1 })
}

// following returns the draws with which the next input begins. It returns false if there
// is no further input.
func (in *inputs) following() ([]choice.Input, bool) {
	for i := len(in.drawn) - 1; i >= 0; i-- {
		if n := in.arity[i]; n > 0 && in.drawn[i].Words[0]+1 < uint64(n) {
			return in.with(i, in.drawn[i].Words[0]+1), true
		}
	}
	if in.round > 0 {
		in.count()
		if !in.sampled || in.useful == in.wanted || in.useless == mostUseless {
			return nil, false
		}
	}
	in.round++
	in.fresh = false
	return nil, true
}

// count is called after all inputs of a seed were drawn. It counts the seed as useful if
// the seed gave a new input, and otherwise as useless.
func (in *inputs) count() {
	if in.fresh {
		in.useful++
		in.useless = 0
	} else {
		in.useless++
	}
}

// with returns the draws before draw i, followed by draw i, which must be a OneOf draw.
// Draw i gets its value with index v.
func (in *inputs) with(i int, v uint64) []choice.Input {
	return append(slices.Clone(in.drawn[:i]), choice.Input{Label: in.drawn[i].Label, Words: []uint64{v}})
}

// choose draws an input that begins with the given draws. Later OneOfs give their first
// values. choose reports whether the input is new and not skipped.
func (in *inputs) choose(prefix []choice.Input) bool {
	for {
		res := in.runner.Run(props.Plan{Inputs: prefix, Seed: hash.Seed(in.seed, in.round), Strategy: peek{}})
		in.drawn = choice.CloneInputs(res.Inputs)
		in.arity = append(in.arity[:0], res.Arity...)
		i := len(prefix)
		for i < len(in.arity) && in.arity[i] == 0 {
			i++
		}
		if i < len(in.arity) {
			prefix = in.with(i, 0)
			continue
		}
		in.watches, in.between, in.keeps = res.Watches, res.Between, res.Remembers
		in.sampled = in.sampled || slices.Contains(res.Arity, 0)
		in.tries++
		return in.isNew(&res) && in.isWanted(&res)
	}
}

// isWanted reports whether the property accepted the input, and counts a skip if it did
// not.
func (in *inputs) isWanted(res *props.Result) bool {
	if !res.Skipped {
		return true
	}
	in.skipped++
	if res.Reason != "" {
		in.skips = res.Reason
	}
	return false
}

// isNew reports whether the values of the input differ from the values of all earlier
// inputs, and records them. If all draws are OneOf draws, no input of a later seed is
// new, because the first seed gives every input.
func (in *inputs) isNew(res *props.Result) bool {
	if res.Rejected != "" {
		in.rejected[res.Rejected]++
		if res.TooLarge {
			in.tooLarge[res.Rejected] = true
		}
	}
	if !slices.Contains(res.Arity, 0) {
		return in.round == 1
	}
	var b strings.Builder
	for i, input := range res.Inputs {
		b.WriteString(input.Label + "=" + trace.Label(res.Values[i]) + ";")
	}
	key := b.String() // Label truncates long values, so different inputs may have the same key
	for _, values := range in.seen[key] {
		if reflect.DeepEqual(values, res.Values) {
			return false
		}
	}
	in.seen[key] = append(in.seen[key], slices.Clone(res.Values))
	return true
}

// peek is a strategy that ends each run before its first step, when all draws are known.
type peek struct{}

// Begin does nothing.
func (peek) Begin(uint64) {}

// Needs asks for a call to Pick even if only one message is deliverable.
func (peek) Needs() pulse.Needs { return pulse.Needs{Single: true} }

// Pick ends the run.
func (peek) Pick(*pulse.Enabled) int { return pulse.Quit }

// Choose ends the run.
func (peek) Choose(choice.Kind, int) int { return pulse.Quit }

// Err returns nil: ending the run is not an error.
func (peek) Err() error { return nil }
