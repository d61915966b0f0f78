package props

import (
	"math"
	"reflect"

	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/value"
)

// A HintKind says how a property gave a hint.
type HintKind uint8

const (
	HintFeature  HintKind = iota // by Feature
	HintReached                  // by Sometimes, whose situation was reached
	HintMaximize                 // by Maximize
)

// A Hint is what a property reported about a run for a guided search.
type Hint struct {
	Kind HintKind
	Name string
	// Value is a hash of the value of a feature. It is the same in every process.
	Value uint64
	// Height is the highest value that Maximize was given in the run.
	Height float64
	// Steps is how many steps had begun when the hint was given. Among equal hints
	// the first counts; for Maximize, the highest value.
	Steps int
}

// mostHints is how many different hints a run may give.
const mostHints = 4096

// hints are what the property reported about the run so far. A property without hints
// costs only a check of the list's length.
type hints struct {
	list   []Hint
	index  hash.Table // by a hash of the hint: its place in the list
	walker value.Walker
	lost   bool // there were more than mostHints
}

// clear forgets the hints of the run before.
func (h *hints) clear() {
	if len(h.list) > 0 {
		h.list, h.lost = h.list[:0], false
		h.index.Reset()
	}
}

// add notes a hint.
func (h *hints) add(n Hint) {
	key := hash.Fold(hash.String(n.Name)^uint64(n.Kind), n.Value)
	at, had := h.index.Get(key)
	switch {
	case had && n.Kind == HintMaximize && n.Height > h.list[at].Height:
		h.list[at] = n
	case had:
	case len(h.list) == mostHints:
		h.lost = true
	default:
		h.index.Put(key, int32(len(h.list)))
		h.list = append(h.list, n)
	}
}

// Feature tells a guided search which state this run has reached. The search keeps a
// run that shows a new value of this name, and derives other runs from it. Good
// values are few and stand for a state that is hard to reach, such as the phase of a
// protocol:
//
//	t.Feature("phase", node.phase)
//
// Values are compared by their contents, whatever methods they have: numbers, texts,
// structs of them, and what pointers lead to. A function or a channel cannot be
// compared and fails the run. So does a pulse.Ref, which leads to all of its system:
// give its String. For each name a search keeps the first 256 values, and reports
// when there are more. Feature may be called at any time of a run, also in handlers.
// It changes nothing that they see, and no verdict.
func (t *T) Feature(name string, value any) {
	if !t.allowed("Feature") {
		return
	}
	h := &t.runner.hints
	h.walker.Role = roleOf
	sum, ok := h.walker.Contents(value)
	if !ok {
		t.misuse("Feature %q cannot be compared with other values: it %s; give it a number, a text or a struct of them, and for an actor its name", name, h.walker.Why())
	}
	h.add(Hint{Kind: HintFeature, Name: name, Value: sum, Steps: t.begun()})
}

// Maximize tells a guided search how close this run is to a goal. The search keeps
// the runs with the highest values, and derives other runs from them. Of several
// values in one run the highest counts. To minimize, give the negated value. The
// value must be a finite number. Maximize may be called at any time of a run, also in
// handlers. It changes nothing that they see, and no verdict.
func (t *T) Maximize(label string, value float64) {
	if !t.allowed("Maximize") {
		return
	}
	if math.IsNaN(value) || math.IsInf(value, 0) {
		t.misuse("Maximize %q is given %v: give it a finite number", label, value)
	}
	t.runner.hints.add(Hint{Kind: HintMaximize, Name: label, Height: value, Steps: t.begun()})
}

// begun returns how many steps of the run have begun.
func (t *T) begun() int {
	if s := t.state.sys; s != nil {
		return s.Host().Progress()
	}
	return 0
}

// roleOf excludes what belongs to the test from the value of a feature.
func roleOf(t reflect.Type) value.Role {
	if isTool(t) {
		return value.RoleTool
	}
	return value.RoleData
}
