package props

import (
	"fmt"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A Monitor is a small state machine that observes who receives what. It is
// told after each step; an error fails the run. One that has a String method
// is called by what that returns.
type Monitor interface {
	Received(m Message) error
}

// A HotMonitor has states in which something is still to come. A run that is
// at rest while its monitor is hot has failed.
type HotMonitor interface {
	Monitor
	// Hot says what is still to come, "" when nothing is.
	Hot() string
}

// A Message is a message that was received.
type Message struct {
	From, To string // names as the trace shows them
	Body     any
	Step     int
}

// Monitor adds a monitor of the messages received from now on.
func (t *T) Monitor(m Monitor) {
	if t.observe("Monitor", fmt.Sprintf("%T", m), m == nil) {
		t.state.monitors = append(t.state.monitors, m)
	}
}

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
				Text: fmt.Sprintf("%s: %v", title(m), err)}, placeOfMethod(m, "Received"))
			t.abort()
		}
	}
}

// isMessage says whether what was received is something that the program
// sent: not the start of a process, its end, or a wait of its that ended.
func isMessage(d *trace.Send) bool {
	return d.Kind != trace.Start && d.Kind != trace.Kill && (d.Kind != trace.Timer || d.Ask == 0)
}

// coolMonitors fails a run that ended while a monitor was hot.
func (t *T) coolMonitors() {
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

func title(m Monitor) string {
	if s, ok := m.(fmt.Stringer); ok {
		return s.String()
	}
	return fmt.Sprintf("%T", m)
}
