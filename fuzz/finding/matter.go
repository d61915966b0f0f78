package finding

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/trace"
	"github.com/jostle-go/jostle/shrink"
)

const (
	mattering    = 5000 // the maximum number of runs for all draws of a case, not counting searches for an order
	variants     = 120  // the number of changed inputs tried for a draw
	mostTried    = 25   // the number of values tried for a draw after which no further variant is tried
	fewestForAny = 20   // the number of other values that must fail for "any"
	nearer       = 60   // the number of inputs tried to find the value next to a bound
	hunted       = 60   // the maximum number of runs to search for an order in which another value fails
	edited       = 8    // only the first `edited` numbers of a draw are changed one at a time
)

// A matter finds out which draws of a case matter to its failure.
type matter struct {
	*shrinking
	best   *shrink.Outcome
	left   int      // the number of runs that may still be made
	values []string // the values of the case's draws, as text

	// The following fields are about the current draw.
	tried []tried         // the tried values
	known map[string]bool // the tried values, as text
	unit  string          // see measure
	of    int             // the number of possible values, 0 if unknown

	unknown bool // set if it is unknown whether some value fails in some order
	decides bool // set if some value is known not to fail
}

// A tried is a value that was tried for a draw.
type tried struct {
	text    string       // the value as text
	measure int64        // the number that a bound such as "≥ 3" limits: see the function measure
	failed  bool         // set if the value fails with the case's signature, in some order
	in      choice.Input // the input that leads to the value
}

// draw returns the remark on draw i, "" if there is nothing to say.
func (m *matter) draw(ctx context.Context, i int) string {
	own := m.best.Case.Inputs[i]
	if m.decides = false; len(own.Words) == 0 || ctx.Err() != nil { // a draw without words comes from a Source, or its generator reads no numbers
		return ""
	}
	m.values, m.tried, m.known, m.unknown = nil, nil, map[string]bool{}, false
	m.try(ctx, i, own)
	if len(m.tried) == 0 || !m.tried[0].failed {
		return ""
	}
	for k := 0; k < variants && len(m.tried) < mostTried && m.more(ctx); k++ {
		m.try(ctx, i, variant(&own, k))
	}
	for _, way := range []int64{1, -1} {
		for k := 0; k < nearer && m.more(ctx); k++ {
			in, gap := m.between(way, k)
			if !gap {
				break
			}
			m.try(ctx, i, in)
		}
	}
	if !m.more(ctx) {
		return ""
	}
	return remark(m.tried, m.of, m.unit)
}

// more reports whether further values can be tried, and a remark is still possible.
func (m *matter) more(ctx context.Context) bool {
	return m.left > 0 && ctx.Err() == nil && !m.unknown
}

// between returns the k-th input to try in order to find a bound. If way is 1, the value of the
// input is meant to lie between the least failing value and the greatest passing value. If way
// is -1, it is meant to lie between the greatest failing value and the least passing value. gap
// is false if no value lies between these two, or if no bound separates failing from passing
// values.
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

// variant returns the k-th input to try in place of a draw. It changes one number of the draw,
// or all numbers.
func variant(own *choice.Input, k int) choice.Input {
	near := [...]uint64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	n := min(len(own.Words), edited)
	switch edits := n * 2; {
	case k < edits: // the variants that add or subtract one
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

// try runs the case with another input for draw i, and adds the value to tried. It ignores
// skipped runs, and inputs that change the values of other draws. The first input tried must be
// the case's own.
func (m *matter) try(ctx context.Context, i int, in choice.Input) {
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
	known := true
	if !t.failed && !applies(c.Schedule.Before, &res) {
		t.failed, known = m.inAnother(ctx, c.Inputs)
		m.unknown = m.unknown || !known
	}
	m.decides = m.decides || known && !t.failed
	m.tried = append(m.tried, t)
}

// applies reports whether a run sent all messages named in the constraints.
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

// inAnother searches a few orders, and reports whether the inputs fail in one of them. known is
// false if they fail in none and there are further orders.
func (m *matter) inAnother(ctx context.Context, inputs []choice.Input) (fails, known bool) {
	s := &shrinking{runner: m.runner, origin: m.origin, early: m.early, far: m.far}
	near := *m.best
	near.External, near.Steps = math.MaxInt, math.MaxInt
	h := &hunt{shrinking: s, ctx: ctx, inputs: inputs, signature: m.best.Signature, near: &near, other: func(shrink.Outcome) {}, left: hunted}
	if h.byName(); len(h.found) == 0 {
		h.everywhere(h.left / 2)
	}
	if len(h.found) == 0 {
		h.atRandom()
	}
	return len(h.found) > 0, len(h.found) > 0 || h.all
}

// measure returns the number that stands for a value in bounds such as "≥ 3". It is the value
// itself (with the unit "") or its length (with the unit "length "). Other values have the unit
// noUnit. The last result is the number of possible values, 0 if unknown.
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

// remark returns what the tried values have in common: "any", or a bound such as "≥ 3"; "" for
// nothing. The first value is that of the case.
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

// bound returns the least failing value, or the greatest if way is -1. ok is false if this
// value does not separate failing from passing values, or if no other value fails.
func bound(list []tried, way int64) (text string, least int64, ok bool) {
	fails, passes := edges(list, way)
	if fails < 0 || passes < 0 || (list[fails].measure-list[passes].measure)*way != 1 { // the value next to the bound must be known to pass
		return "", 0, false
	}
	several := false
	for _, t := range list {
		several = several || t.failed && t.measure != list[fails].measure
	}
	return list[fails].text, list[fails].measure, several
}

// edges returns the indices of the least failing value and the greatest passing value. If way
// is -1, it returns the indices of the greatest failing value and the least passing value. An
// index is -1 if there is no such value.
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
