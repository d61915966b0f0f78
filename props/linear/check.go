package linear

import (
	"io"
	"math"

	"github.com/anishathalye/porcupine"
)

// A verdict is what is to be said of a history, or of the part of it that is
// to be shown.
type verdict[In, Out any] struct {
	linearizable bool
	large        bool // the search was given up
	panicked     any  // by the model
	part         string
	ops          []*operation[In, Out]
	longest      []*operation[In, Out] // the longest order that was found
	picture      func(io.Writer) error
}

// judge judges each part. Of those that cannot be ordered it returns the one
// with the fewest calls; else one that it could not judge.
func (m *Model[S, In, Out]) judge(ops []*operation[In, Out]) verdict[In, Out] {
	result := verdict[In, Out]{linearizable: true}
	for _, part := range m.split(ops) {
		v := m.judgePart(part)
		switch {
		case v.panicked != nil:
			return v
		case v.linearizable:
			continue
		case result.linearizable, result.large && !v.large, result.large == v.large && len(v.ops) < len(result.ops):
			result = v
		}
	}
	if !result.linearizable && !result.large {
		m.explain(&result)
	}
	return result
}

// split returns the calls by parts, in the order in which the parts come up.
func (m *Model[S, In, Out]) split(ops []*operation[In, Out]) [][]*operation[In, Out] {
	var parts [][]*operation[In, Out]
	index := map[string]int{}
	for _, op := range ops {
		key := m.part(op.in)
		i, ok := index[key]
		if !ok {
			i = len(parts)
			index[key] = i
			parts = append(parts, nil)
		}
		parts[i] = append(parts[i], op)
	}
	return parts
}

// judgePart asks porcupine. It is given no time limit but a number of steps:
// a verdict must not depend on how fast the machine is.
func (m *Model[S, In, Out]) judgePart(ops []*operation[In, Out]) verdict[In, Out] {
	g := guard[S, In, Out]{m: m, left: m.steps()}
	ok := porcupine.CheckOperations(g.model(), events(ops))
	return verdict[In, Out]{linearizable: ok && g.panicked == nil, large: g.left < 0, panicked: g.panicked,
		part: m.part(ops[0].in), ops: ops}
}

// explain judges a part again for what can be shown of it.
func (m *Model[S, In, Out]) explain(v *verdict[In, Out]) {
	g := guard[S, In, Out]{m: m, left: m.steps()}
	pm := g.model()
	_, info := porcupine.CheckOperationsVerbose(pm, events(v.ops), 0)
	for _, part := range info.PartialLinearizations() {
		for _, order := range part {
			if len(order) <= len(v.longest) {
				continue
			}
			v.longest = v.longest[:0]
			for _, i := range order {
				v.longest = append(v.longest, v.ops[i])
			}
		}
	}
	v.picture = func(w io.Writer) error {
		g.left = math.MaxInt
		return porcupine.Visualize(pm, info, w)
	}
}

// events are calls as porcupine wants them. Those that never returned do so at
// the end of time: placed last, they are as good as never made.
func events[In, Out any](ops []*operation[In, Out]) []porcupine.Operation {
	setLanes(ops)
	list := make([]porcupine.Operation, len(ops))
	end := 0
	for _, op := range ops {
		end = max(end, op.call.event, op.ret.event)
	}
	for i, op := range ops {
		ret := op.ret.event
		if !op.returned {
			end++
			ret = end
		}
		list[i] = porcupine.Operation{ClientId: op.lane, Input: op, Call: int64(op.call.event), Output: op, Return: int64(ret)}
	}
	return list
}

// setLanes gives each client a lane of its own in the picture, and more if its
// calls overlap.
func setLanes[In, Out any](ops []*operation[In, Out]) {
	type lane struct {
		client any
		busy   int // until this event
	}
	var lanes []lane
	for _, op := range ops {
		until := op.ret.event
		if !op.returned {
			until = math.MaxInt
		}
		op.lane = len(lanes)
		for i, l := range lanes {
			if l.client == any(op.client) && l.busy < op.call.event {
				op.lane = i
				break
			}
		}
		if op.lane == len(lanes) {
			lanes = append(lanes, lane{client: op.client})
		}
		lanes[op.lane].busy = until
	}
}

func (m *Model[S, In, Out]) steps() int {
	if m.Steps > 0 {
		return m.Steps
	}
	return defaultSteps
}

// A guard is a model as porcupine calls it: on a goroutine of porcupine's,
// where a panic would end the program, and without an end. When the model has
// panicked or its steps are used up, no further step is possible.
type guard[S, In, Out any] struct {
	m        *Model[S, In, Out]
	left     int // steps
	panicked any
}

func (g *guard[S, In, Out]) model() porcupine.Model {
	return porcupine.Model{
		Init: func() any {
			var s S
			g.protect(func() { s = g.m.Init() })
			return s
		},
		Step: func(state, in, _ any) (ok bool, next any) {
			if g.left--; g.left < 0 || g.panicked != nil {
				return false, state
			}
			next = state
			g.protect(func() { ok, next = g.m.step(as[S](state), in.(*operation[In, Out])) })
			return ok, next
		},
		Equal: func(a, b any) (equal bool) {
			g.protect(func() { equal = g.m.equal(as[S](a), as[S](b)) })
			return equal
		},
		DescribeOperation: func(in, _ any) string { return g.m.line(in.(*operation[In, Out])) },
	}
}

// as is a type assertion for types that may be interfaces that hold nil.
func as[S any](v any) S {
	s, _ := v.(S)
	return s
}

func (g *guard[S, In, Out]) protect(f func()) {
	defer func() {
		if v := recover(); v != nil && g.panicked == nil {
			g.panicked = v
		}
	}()
	f()
}
