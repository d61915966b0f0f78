package props

import (
	"fmt"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A Monitor is a small state machine that observes all received messages. A failure
// names the monitor by its String method, or by its type if it has no such method.
type Monitor interface {
	// Received is called after each step in which an actor receives a message. If it
	// returns an error, the run fails.
	Received(m Message) error
}

// A HotMonitor is a Monitor that can be hot, which means that something must still
// happen. A run that ends while a monitor is hot fails.
type HotMonitor interface {
	Monitor
	// Hot says what must still happen. It returns "" if the monitor is not hot.
	Hot() string
}

// A Message is one message that an actor received.
type Message struct {
	From, To string // the names of sender and receiver, as in the trace
	Body     any
	Step     int
}

// Monitor adds a monitor, which observes all messages received from now on.
func (t *T) Monitor(m Monitor) {
	if t.observe("Monitor", fmt.Sprintf("%T", m), m == nil) {
		t.state.monitors = append(t.state.monitors, m)
	}
}

// tellMonitors passes the message received in a step to all monitors. It does nothing
// if the step received no message.
func (t *T) tellMonitors(step int) {
	if len(t.state.monitors) == 0 {
		return
	}
	tr := t.state.sys.Trace()
	st := &tr.Steps[step]
	if st.Kind != trace.Receive || !isMessage(&tr.Sends[st.Send]) {
		return
	}
	send := &tr.Sends[st.Send]
	msg := Message{From: tr.Name(send.From), To: tr.Name(send.To), Body: send.Body, Step: step}
	for _, m := range t.state.monitors {
		if err := m.Received(msg); err != nil {
			t.failAt(&pulse.Failure{Kind: pulse.KindProperty, Site: fmt.Sprintf("%T", m), Step: step,
				Text: title(m) + ": " + trace.Thrown(err)}, placeOfMethod(m, "Received"))
			t.abort()
		}
	}
}

// isMessage reports whether d is a message of the program. The start or end of a
// process and the timeout of an Ask or Receive are no messages.
func isMessage(d *trace.Send) bool {
	return d.Kind != trace.Start && d.Kind != trace.Kill && (d.Kind != trace.Timer || d.Ask == 0)
}

// checkHotMonitors fails the run if a monitor is hot when the run ends.
func (t *T) checkHotMonitors() {
	for _, m := range t.state.monitors {
		h, ok := m.(HotMonitor)
		if !ok {
			continue
		}
		if hot := h.Hot(); hot != "" {
			t.failAt(&pulse.Failure{Kind: pulse.KindEventuality, Site: fmt.Sprintf("%T", m), Step: -1,
				Text: fmt.Sprintf("%s: %s is still to come, and nothing more can happen", title(m), hot)}, placeOfMethod(m, "Hot"))
			return
		}
	}
}

// title returns the name under which messages refer to a monitor.
func title(m Monitor) string {
	if s, ok := m.(fmt.Stringer); ok {
		if text, fault := trace.Said(m, "String", s.String); fault == "" {
			return text
		}
	}
	return fmt.Sprintf("%T", m)
}
