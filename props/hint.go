package props

import (
	"math"
	"reflect"

	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/value"
)

// A HintKind names the method of T that gave a hint.
type HintKind uint8

const (
	HintFeature  HintKind = iota // a call to T.Feature
	HintReached                  // a call to T.Sometimes with true
	HintMaximize                 // a call to T.Maximize
)

// A Hint is what a property reported about a run to a guided search.
type Hint struct {
	Kind HintKind
	Name string
	// Value is a hash of the value given to Feature. Equal values have the same hash in
	// every process.
	Value uint64
	// Height is the highest value given to Maximize in the run.
	Height float64
	// Steps is the number of steps that had begun when the hint was first given, or when
	// Maximize was given Height.
	Steps int
}

// mostHints is the maximum number of different hints in a run.
const mostHints = 4096

// hints collects the hints of the current run.
type hints struct {
	list   []Hint
	index  hash.Table // maps the hash of a hint to the hint's index in list
	walker value.Walker
	lost   bool // set if the run gave more than mostHints hints
}

// clear removes the hints of the previous run.
func (h *hints) clear() {
	if len(h.list) > 0 {
		h.list, h.lost = h.list[:0], false
		h.index.Reset()
	}
}

// add adds a hint. If the hint is in the list already, add only raises the Height of
// a HintMaximize.
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

// Feature tells a guided search which state this run has reached. The search saves a
// run with a new value for the name, and derives further runs from that run. A good
// feature has few values, and its states are hard to reach, such as the phases of a
// protocol:
//
//	t.Feature("phase", node.phase)
//
// Values are compared by their contents, following pointers; their methods are not
// called. A value that contains a function or a channel cannot be compared and fails
// the run. A pulse.Ref fails the run too, because it refers to its whole system; use
// its String method. For each name a search uses the first 256 values, and reports if
// there are more. Feature may be called at any time during a run, including in
// handlers. It changes neither what the program does nor whether the run fails.
func (t *T) Feature(name string, value any) {
	if !t.allowed("Feature") {
		return
	}
	h := &t.runner.hints
	h.walker.Role = roleOf
	sum, ok := h.walker.Contents(value)
	if !ok {
		t.misuse("Feature %q cannot be compared with other values because it %s: give it a number, a text or a struct of both, and for an actor its name", name, h.walker.Why())
	}
	h.add(Hint{Kind: HintFeature, Name: name, Value: sum, Steps: t.begun()})
}

// Maximize tells a guided search how close this run is to a goal. The search saves
// the runs with the highest values, and derives further runs from them. If a run
// gives several values with one label, the highest value counts. To minimize a value,
// negate it. The value must be a finite number. Maximize may be called at any time
// during a run, including in handlers. It changes neither what the program does nor
// whether the run fails.
func (t *T) Maximize(label string, value float64) {
	if !t.allowed("Maximize") {
		return
	}
	if math.IsNaN(value) || math.IsInf(value, 0) {
		t.misuse("Maximize %q is given %v: give it a finite number", label, value)
	}
	t.runner.hints.add(Hint{Kind: HintMaximize, Name: label, Height: value, Steps: t.begun()})
}

// roleOf returns the role of a type inside the value of a feature. Values of the test
// are tools, whose contents are ignored.
func roleOf(t reflect.Type) value.Role {
	if isTool(t) {
		return value.RoleTool
	}
	return value.RoleData
}
