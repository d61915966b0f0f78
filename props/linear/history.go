package linear

import (
	"fmt"

	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A History records the calls of one run and their returns, in order.
type History[S, In, Out any] struct {
	t       *props.T
	model   Model[S, In, Out]
	ops     []*operation[In, Out]
	events  int // the number of calls and returns so far
	checked bool
}

// An operation is a call together with its return, if it has returned.
type operation[In, Out any] struct {
	client   pulse.Ref
	in       In
	out      Out
	returned bool
	call     moment
	ret      moment
	lane     int // the row of the call in the picture; a client has several rows if its calls overlap
}

// A moment is the time of an event, which is a call or a return. event is its number
// in the history. step is the number of the running step, or -1 outside of steps.
type moment struct{ event, step int }

func (m moment) String() string {
	if m.step < 0 {
		return fmt.Sprintf("%d, before the run", m.event)
	}
	return fmt.Sprintf("%d in step %d", m.event, m.step)
}

// A Call is a call that History.Call has recorded. Its method Return records the
// result.
type Call[S, In, Out any] struct {
	h  *History[S, In, Out]
	op *operation[In, Out]
}

// NewHistory returns an empty history of the run. Its method Check compares the
// history with the model m.
func NewHistory[S, In, Out any](t *props.T, m Model[S, In, Out]) *History[S, In, Out] {
	h := &History[S, In, Out]{t: t, model: m}
	switch {
	case m.Init == nil || m.Step == nil:
		h.misuse("NewHistory: a Model needs Init and Step")
	case m.Steps < 0:
		h.misuse("NewHistory: Model.Steps is %d: use a number of at least 1, or zero for %d", m.Steps, defaultSteps)
	}
	t.Event()
	t.Cleanup(func() {
		if !h.checked && !t.Failed() && !t.Skipped() {
			h.misuse("the history%s was never checked: call Check after Run", h.model.of(""))
		}
	})
	return h
}

// Call records that a client now makes a call with the input in. A client may make
// overlapping calls.
func (h *History[S, In, Out]) Call(client pulse.Ref, in In) Call[S, In, Out] {
	h.mustBeMade("Call")
	if h.checked {
		h.misuse("Call %s after Check: call Check after Run", h.model.describe(in))
	}
	op := &operation[In, Out]{client: client, in: in, call: h.now()}
	h.ops = append(h.ops, op)
	return Call[S, In, Out]{h, op}
}

// Return records that the call returns now, with the result out. A call without a
// Return is pending. It may have taken effect at any time after the call, or never.
func (c Call[S, In, Out]) Return(out Out) {
	switch {
	case c.h == nil:
		panic(&pulse.Failure{Kind: pulse.KindMisuse, Step: -1, Text: "Return of the zero Call: use the one that History.Call returned"})
	case c.op.returned:
		c.h.misuse("%s returns twice", c.h.model.describe(c.op.in))
	case c.h.checked:
		c.h.misuse("%s returns after Check: call Check after Run", c.h.model.describe(c.op.in))
	}
	c.op.out, c.op.returned, c.op.ret = out, true, c.h.now()
}

// now counts one more event (a call or a return) and returns the event's moment.
func (h *History[S, In, Out]) now() moment {
	h.events++
	return moment{h.events, h.t.Event()}
}

// mustBeMade panics unless h was made by NewHistory.
func (h *History[S, In, Out]) mustBeMade(what string) {
	if h == nil || h.t == nil {
		panic(&pulse.Failure{Kind: pulse.KindMisuse, Step: -1, Text: what + " of the zero History: use the one that NewHistory returned"})
	}
}

func (h *History[S, In, Out]) misuse(format string, args ...any) {
	h.t.Report(&pulse.Failure{Kind: pulse.KindMisuse, Step: -1, Text: "linear: " + fmt.Sprintf(format, args...)})
}

// Check ends the run with a failure unless the history is linearizable. Call it after
// Run. The failure report lists the calls of the smallest partition that is not
// linearizable. Porcupine's picture of that partition, history.html, is saved with
// the case. The run also fails if the history is too large to check, or is never
// checked. A test fails if none of its histories contains a call.
func (h *History[S, In, Out]) Check() {
	h.mustBeMade("Check")
	h.t.Event()
	h.checked = true
	h.t.Sometimes("the history"+h.model.of("")+" has a call", len(h.ops) > 0)
	if f, v := h.judge(); f != nil {
		if v.picture != nil {
			h.t.Attach("history.html", v.picture)
		}
		h.t.Report(f)
	}
}

// judge returns the failure of the history, or nil if the history is linearizable.
func (h *History[S, In, Out]) judge() (*pulse.Failure, verdict[In, Out]) {
	v := h.model.judge(h.ops)
	switch {
	case v.panicked != nil:
		return &pulse.Failure{Kind: pulse.KindPanic, Step: -1, Value: v.panicked,
			Text: "panic in the model" + h.model.of("") + ": " + trace.Thrown(v.panicked)}, v
	case v.large:
		return &pulse.Failure{Kind: pulse.KindBudget, Step: -1, Site: "linear", Text: fmt.Sprintf(
			"the history%s is too large to judge: its %d calls took the model more than %d steps; "+
				"make fewer calls, give the model a Partition, or allow more by Steps", h.model.of(v.part), len(v.ops), h.model.steps())}, v
	case !v.linearizable:
		return &pulse.Failure{Kind: pulse.KindProperty, Step: -1, Detail: h.model.table(v), Text: fmt.Sprintf(
			"the history%s is not linearizable: no order of its %d calls explains what they returned", h.model.of(v.part), len(v.ops)+v.without)}, v
	}
	return nil, v
}
