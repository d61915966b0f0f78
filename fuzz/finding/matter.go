package finding

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/trace"
	"github.com/jostle-go/jostle/shrink"
)

// cause determines what matters in a shrunk case, by runs that change one thing of it and
// leave everything else.
//
//   - A draw is "any" if at least 20 other values failed with the same signature, or all
//     others that exist, and none did not. It is "≥ 3" or "≤ 3" if all tried values on that
//     side of the bound failed so, and no value beyond did. The value next to the bound must
//     be among the tried ones. The order is that of the case. If other draws send other messages, so
//     that the order is impossible, other orders are searched. If none of them fails and
//     some were not run, nothing is said of the draw.
//   - A fault is needed if the case does not fail so without it. Early timers are needed if
//     it does not fail so without them.
func (s *shrinking) cause(ctx context.Context, out *Shrunk) *corpus.Explanation {
	e := out.why.data(s.messages(out))
	e.Needs, e.Early = s.faults(&out.Best), s.needsEarly(&out.Best)
	m := &matter{shrinking: s, best: &out.Best, left: mattering}
	for i := range out.Best.Case.Inputs {
		e.Draws = append(e.Draws, m.draw(ctx, i))
	}
	return e
}

const (
	mattering    = 5000 // runs for all draws of a case, without those of other orders
	variants     = 120  // per draw
	mostTried    = 25   // values per draw
	fewestForAny = 20   // other values
	nearer       = 60   // per draw, to find the value next to a bound
	hunted       = 60   // runs to look for an order in which another value fails
	edited       = 8    // numbers of a draw that are changed one at a time
)

// A matter determines which draws matter.
type matter struct {
	*shrinking
	best   *shrink.Outcome
	left   int      // runs
	values []string // of the draws of the case

	// The following fields are for the current draw.
	tried []tried
	known map[string]bool // the values
	unit  string          // of values that can have a bound
	of    int             // how many values it has, 0 if unknown

	unknown bool // it is unknown whether some value fails in some order
}

// A tried value of a draw.
type tried struct {
	text    string // the value
	measure int64  // a number, or the length of a list
	failed  bool
	in      choice.Input
}

// draw returns the remark on a draw.
func (m *matter) draw(ctx context.Context, i int) string {
	own := m.best.Case.Inputs[i]
	if len(own.Words) == 0 { // a source, or a draw that reads nothing
		return ""
	}
	m.values, m.tried, m.known, m.unknown = nil, nil, map[string]bool{}, false
	m.try(i, own)
	if len(m.tried) == 0 || !m.tried[0].failed {
		return ""
	}
	for k := 0; k < variants && len(m.tried) < mostTried && m.more(ctx); k++ {
		m.try(i, variant(&own, k))
	}
	for _, way := range []int64{1, -1} {
		for k := 0; k < nearer && m.more(ctx); k++ {
			in, gap := m.between(way, k)
			if !gap {
				break
			}
			m.try(i, in)
		}
	}
	if !m.more(ctx) {
		return ""
	}
	return remark(m.tried, m.of, m.unit)
}

// more reports whether more values can be tried, and a remark is still possible.
func (m *matter) more(ctx context.Context) bool {
	return m.left > 0 && ctx.Err() == nil && !m.unknown
}

// between returns a draw, the k-th such, that may lie between the last value that passes and
// the first that fails. gap is false if there is nothing between them, or a bound alone does
// not separate them.
func (m *matter) between(way int64, k int) (in choice.Input, gap bool) {
	fails, passes := edges(m.tried, way)
	if m.unit == noUnit || fails < 0 || passes < 0 || (m.tried[fails].measure-m.tried[passes].measure)*way <= 1 {
		return choice.Input{}, false
	}
	pair := [2]*choice.Input{&m.tried[fails].in, &m.tried[passes].in}
	in = choice.CloneInputs([]choice.Input{*pair[k%2]})[0]
	n := max(1, min(len(in.Words), edited))
	for len(in.Words) < n {
		in.Words = append(in.Words, in.Word(0))
	}
	at := k / 2 % n
	switch to := pair[1-k%2].Word(at); k / 2 / n % 3 {
	case 0:
		in.Words[at]--
	case 1:
		in.Words[at]++
	default:
		in.Words[at] = in.Words[at]/2 + to/2
	}
	return in, true
}

// variant returns the k-th replacement for a draw: with one of its numbers changed, or all.
func variant(own *choice.Input, k int) choice.Input {
	near := [...]uint64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	n := min(len(own.Words), edited)
	switch edits := n * 2; {
	case k < edits: // one more, and one less
		in := choice.CloneInputs([]choice.Input{*own})[0]
		in.Words[k/2] += uint64(1 - k%2*2)
		return in
	case k < edits+n*len(near) && k%2 == 0:
		in := choice.CloneInputs([]choice.Input{*own})[0]
		k -= edits
		in.Words[k%n] = near[k/n]
		return in
	}
	return choice.Input{Label: own.Label, Seed: hash.Mix(uint64(k) + 1)}
}

// try runs the case with another draw, and notes the result. It ignores values that change
// other draws too, and skipped runs. The first value tried is the case's own.
func (m *matter) try(i int, in choice.Input) {
	c := m.best.Case.Clone()
	c.Inputs[i] = in
	m.left--
	res := m.run(c)
	if res.Skipped || res.Stray != "" || len(res.Inputs) != len(c.Inputs) {
		return
	}
	var values []string
	for k := range res.Values {
		values = append(values, trace.Label(res.Values[k]))
	}
	if m.values == nil {
		m.values = append([]string(nil), values...)
	}
	for k := range values {
		if k != i && values[k] != m.values[k] {
			return
		}
	}
	if m.known[values[i]] {
		return
	}
	m.known[values[i]] = true
	t := tried{text: values[i], failed: res.Failure != nil && res.Failure.Signature() == m.best.Signature}
	t.in = choice.Input{Label: in.Label, Seed: in.Seed}
	for k := range res.Reads[i] {
		t.in.Words = append(t.in.Words, in.Word(k))
	}
	t.measure, m.unit, m.of = measure(res.Values[i], res.Arity[i])
	if !t.failed && !applies(c.Schedule.Before, &res) {
		var known bool
		t.failed, known = m.inAnother(c.Inputs)
		m.unknown = m.unknown || !known
	}
	m.tried = append(m.tried, t)
}

// applies reports whether a run has all the messages that the constraints name.
func applies(list []choice.Constraint, res *props.Result) bool {
	if res.System == nil {
		return len(list) == 0
	}
	sends, has := res.System.Trace().Sends, map[uint64]bool{}
	for i := range sends {
		has[res.System.Host().StepID(&sends[i])] = true
	}
	return !slices.ContainsFunc(list, func(c choice.Constraint) bool { return !has[c.First] || !has[c.Second] })
}

// inAnother reports whether draws fail in an order that a small search finds. known is false
// if it finds none and has not run all.
func (m *matter) inAnother(inputs []choice.Input) (fails, known bool) {
	s := &shrinking{runner: m.runner, origin: m.origin, early: m.early, far: m.far}
	near := *m.best
	near.External, near.Steps = math.MaxInt, math.MaxInt
	h := &hunt{shrinking: s, inputs: inputs, signature: m.best.Signature, near: &near, other: func(shrink.Outcome) {}, left: hunted}
	if h.byName(); len(h.found) == 0 {
		h.everywhere(h.left / 2)
	}
	if len(h.found) == 0 {
		h.atRandom()
	}
	return len(h.found) > 0, len(h.found) > 0 || h.all
}

// measure returns the part of a value that can have a bound: a number, with the unit "", or
// a length, with the unit "length "; for other values the unit is "none". It also returns
// how many values there are, 0 if unknown.
func measure(v any, arity int) (n int64, unit string, of int) {
	switch r := reflect.ValueOf(v); {
	case arity > 0:
		return 0, noUnit, arity
	case !r.IsValid():
		return 0, noUnit, 0
	case r.CanInt():
		return r.Int(), "", 0
	case r.CanUint() && r.Uint() <= math.MaxInt64:
		return int64(r.Uint()), "", 0
	case r.Kind() == reflect.Bool:
		return 0, noUnit, 2
	case r.Kind() == reflect.Slice || r.Kind() == reflect.String || r.Kind() == reflect.Map:
		return int64(r.Len()), "length ", 0
	}
	return 0, noUnit, 0
}

const noUnit = "none"

// remark says what the tried values have in common. The first is the case's.
func remark(list []tried, of int, unit string) string {
	failed := 0
	for _, t := range list {
		if t.failed {
			failed++
		}
	}
	switch {
	case failed == len(list) && len(list) > 1 && (len(list) > fewestForAny || len(list) == of):
		return "any"
	case failed == len(list) || unit == noUnit:
		return ""
	}
	for _, side := range []struct {
		sign string
		way  int64
	}{{"≥", 1}, {"≤", -1}} {
		text, at, ok := bound(list, side.way)
		if ok && unit != "" {
			text = fmt.Sprint(at)
		}
		if ok {
			return unit + side.sign + " " + text
		}
	}
	return ""
}

// bound returns the least value that fails, or the greatest if way is -1. ok is false if it
// does not separate failing values from passing ones.
func bound(list []tried, way int64) (text string, least int64, ok bool) {
	fails, passes := edges(list, way)
	if fails < 0 || passes < 0 || (list[fails].measure-list[passes].measure)*way != 1 { // the value next to it was tried
		return "", 0, false
	}
	several := false
	for _, t := range list {
		several = several || t.failed && t.measure != list[fails].measure
	}
	return list[fails].text, list[fails].measure, several
}

// edges returns the indices of the least value that fails and the greatest that passes; of
// the greatest and the least if way is -1. Index -1 means none.
func edges(list []tried, way int64) (fails, passes int) {
	fails, passes = -1, -1
	for i, t := range list {
		switch {
		case t.failed && (fails < 0 || t.measure*way < list[fails].measure*way):
			fails = i
		case !t.failed && (passes < 0 || t.measure*way > list[passes].measure*way):
			passes = i
		}
	}
	return fails, passes
}
