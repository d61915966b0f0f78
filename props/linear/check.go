package linear

import (
	"io"
	"math"
	"slices"
	"sync"

	"github.com/anishathalye/porcupine"

	"github.com/jostle-go/jostle/pulse/trace"
)

// A verdict is the result of checking one partition of a history. The verdict on a
// history is the one on the partition that the failure report describes.
type verdict[In, Out any] struct {
	linearizable bool
	large        bool // set if the search stopped after Model.Steps steps
	panicked     any  // the value of the model's panic, or nil
	part         string
	ops          []*operation[In, Out]
	without      int                   // the number of calls that reduce has removed from ops
	longest      []*operation[In, Out] // the longest valid order that was found
	state        string                // the state after the calls in longest, as text
	picture      func(io.Writer) error
}

// judge checks each partition. It returns the verdict on the smallest partition that
// is not linearizable, or else on a partition that was too large to check.
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
		m.reduce(&result)
		m.explain(&result)
	}
	return result
}

// reducing is the maximum number of calls to Step that reduce makes. It is small,
// because reduce runs in every failing run.
const reducing = 20_000

// reduce removes calls that changed no state, such as reads, from v.ops if the
// remaining calls are still not linearizable.
func (m *Model[S, In, Out]) reduce(v *verdict[In, Out]) {
	g := newGuard(m)
	g.left, g.effects = min(g.left, reducing), map[any]effect{}
	g.wait(func() { porcupine.CheckOperations(g.model(), events(v.ops)) })
	if g.panicked != nil || g.left < 0 {
		return
	}
	left := g.left
	for i := len(v.ops) - 1; i >= 0; i-- {
		if g.effects[v.ops[i]] != fits || len(v.ops) == 1 {
			continue
		}
		others := slices.Delete(slices.Clone(v.ops), i, i+1)
		g := newGuard(m)
		g.left = left
		ok := false
		g.wait(func() { ok = porcupine.CheckOperations(g.model(), events(others)) })
		if left = g.left; left < 0 || g.panicked != nil {
			return
		}
		if !ok {
			v.ops = others
			v.without++
		}
	}
}

// An effect is a set of two facts about a call. fits means that the model has allowed
// the call in some state. changes means that the call has changed a state.
type effect uint8

const (
	fits effect = 1 << iota
	changes
)

// split returns the calls of each partition, ordered by the partition's first call.
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

// judgePart checks one partition with porcupine. It limits the number of steps
// instead of the time, because a verdict must not depend on the speed of the machine.
func (m *Model[S, In, Out]) judgePart(ops []*operation[In, Out]) verdict[In, Out] {
	g := newGuard(m)
	ok := false
	g.wait(func() { ok = porcupine.CheckOperations(g.model(), events(ops)) })
	return verdict[In, Out]{linearizable: g.panicked == nil && ok, large: g.left < 0, panicked: g.panicked,
		part: m.part(ops[0].in), ops: ops}
}

// explain checks the partition of v again. It sets v.longest, v.state and v.picture.
func (m *Model[S, In, Out]) explain(v *verdict[In, Out]) {
	g := newGuard(m)
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
	g.protect(func() {
		state := m.Init()
		for _, op := range v.longest {
			_, state = m.step(state, op)
		}
		v.state = trace.Label(state)
	})
	v.picture = func(w io.Writer) error {
		g.left = math.MaxInt
		return porcupine.Visualize(pm, info, w)
	}
}

// events converts calls to porcupine's operations. A call that never returned gets a
// return after the returns of all other calls. So an order may place the call last,
// where it affects no result.
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

// setLanes sets the row of each call in the picture. Each client has its own row, or
// several rows if its calls overlap.
func setLanes[In, Out any](ops []*operation[In, Out]) {
	type lane struct {
		client any
		busy   int // the number of the event that ended the latest call in this row
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

// A guard adapts a model to porcupine, which calls the model on a separate goroutine,
// where a panic would end the program. The guard recovers the panic. After a panic,
// or after the maximum number of steps, it rejects every further step.
type guard[S, In, Out any] struct {
	m        *Model[S, In, Out]
	left     int // the number of steps left
	panicked any
	effects  map[any]effect // maps an *operation to its effect; nil if effects are not recorded
	leave    sync.Once      // closes the channel gone only once
	gone     chan struct{}  // closed when the model has ended porcupine's goroutine by runtime.Goexit
}

func newGuard[S, In, Out any](m *Model[S, In, Out]) *guard[S, In, Out] {
	return &guard[S, In, Out]{m: m, left: m.steps(), gone: make(chan struct{})}
}

// wait calls f, which calls porcupine, and returns when f returns. It also returns if
// the model calls runtime.Goexit, as FailNow does, because f then never returns.
func (g *guard[S, In, Out]) wait(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-g.gone:
	}
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
			if g.effects != nil && ok {
				g.effects[in] |= fits
				g.protect(func() {
					if !g.m.equal(as[S](state), as[S](next)) {
						g.effects[in] |= changes
					}
				})
			}
			return ok, next
		},
		Equal: func(a, b any) (equal bool) {
			g.protect(func() { equal = g.m.equal(as[S](a), as[S](b)) })
			return equal
		},
		DescribeOperation: func(in, _ any) string { return g.m.line(in.(*operation[In, Out])) },
	}
}

// as converts v to an S. If S is an interface type, v may be nil, and as returns the
// zero S.
func as[S any](v any) S {
	s, _ := v.(S)
	return s
}

// protect calls f. If f panics or calls runtime.Goexit, protect sets g.panicked.
func (g *guard[S, In, Out]) protect(f func()) {
	returned := false
	defer func() {
		v := recover()
		if v == nil && !returned {
			g.panicked = "it called runtime.Goexit, as FailNow and Skip do: a model has no T, let Step return false"
			g.leave.Do(func() { close(g.gone) })
		} else if v != nil && g.panicked == nil {
			g.panicked = v
		}
	}()
	f()
	returned = true
}
