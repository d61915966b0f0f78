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

// A Hint is what a property has said of a run for a guided search.
type Hint struct {
	Kind HintKind
	Name string
	// Value is a hash of the value of a feature. It is the same in every process.
	Value uint64
	// Height is the highest value that Maximize was given in the run.
	Height float64
	// Steps is how many steps had begun when the hint was given. Of several that are
	// alike the first counts, and of those by Maximize the highest.
	Steps int
}

// mostHints is how many different hints a run may give.
const mostHints = 4096

// hints are what a property has said of the run so far. A property that says nothing
// costs a test of the list's length.
type hints struct {
	list   []Hint
	index  hash.Table // by what a hint says: its place in the list
	walker value.Walker
	lost   bool // there were more
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

// Feature tells a guided search what this run has come to: a run that shows a value
// of this name that none before has shown is kept, and other runs are made from it.
// Good values are few and stand for a state that is hard to get to, such as how
// far a protocol has come:
//
//	t.Feature("phase", node.phase)
//
// A value is what it holds, whatever methods it has: numbers, texts, structs of them.
// Pointers count by where they lead. A function or a channel cannot be told from
// another, and fails the run; so does a pulse.Ref, which leads to all of its system:
// give its String. Of each name a search keeps the first 256 values, and
// says so when there are more. Feature may be called at any time of a run, also in
// handlers. It changes nothing that they see, and no verdict.
func (t *T) Feature(name string, value any) {
	if !t.allowed("Feature") {
		return
	}
	h := &t.runner.hints
	h.walker.Role = roleOf
	sum, ok := h.walker.Contents(value)
	if !ok {
		t.misuse("Feature %q cannot be told from other values: it %s; give it a number, a text or a struct of them, and of an actor its name", name, h.walker.Why())
	}
	h.add(Hint{Kind: HintFeature, Name: name, Value: sum, Steps: t.begun()})
}

// Maximize tells a guided search how near this run has come to something: the
// runs with the highest values are kept, and other runs are made from them. Of
// several values in one run the highest counts. What should be small is given with
// a minus. The value must be a finite number. Maximize may be called at any time
// of a run, also in handlers. It changes nothing that they see, and no verdict.
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

// roleOf has what belongs to the test count for nothing in the value of a feature.
func roleOf(t reflect.Type) value.Role {
	if isTool(t) {
		return value.RoleTool
	}
	return value.RoleData
}
