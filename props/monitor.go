package props

import (
	"fmt"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A Monitor is a small state machine that observes who receives what. Failures name
// it by its String method if it has one, else by its type.
type Monitor interface {
	// Received is called after each step in which a message was received. An
	// error fails the run.
	Received(m Message) error
}

// A HotMonitor is a monitor with states in which something must still happen. A run
// that ends in such a state fails.
type HotMonitor interface {
	Monitor
	// Hot returns what must still happen, "" if nothing.
	Hot() string
}

// A Message is one message that an actor received.
type Message struct {
	From, To string // names as the trace shows them
	Body     any
	Step     int
}

// Monitor adds a monitor. It observes the messages received from now on.
func (t *T) Monitor(m Monitor) {
	if t.observe("Monitor", fmt.Sprintf("%T", m), m == nil) {
		t.state.monitors = append(t.state.monitors, m)
	}
}

// tellMonitors passes the message received in a step to the monitors, if there was
// one.
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

// isMessage reports whether the program sent what was received. It did not send the
// start or the end of a process, or the timeout of an Ask or Receive.
func isMessage(d *trace.Send) bool {
	return d.Kind != trace.Start && d.Kind != trace.Kill && (d.Kind != trace.Timer || d.Ask == 0)
}

// checkHotMonitors fails a run that ended while a monitor was hot.
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

// title returns the name of a monitor in messages.
func title(m Monitor) string {
	if s, ok := m.(fmt.Stringer); ok {
		if text, fault := trace.Said(m, "String", s.String); fault == "" {
			return text
		}
	}
	return fmt.Sprintf("%T", m)
}
