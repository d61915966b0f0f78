package worker

import (
	"github.com/jostle-go/jostle/fuzz/coverage"
	"github.com/jostle-go/jostle/pulse/trace"
)

// shows notes what a run has shown.
func (r *Reply) shows(t *trace.Trace) { r.allShown().Add(t, coverage.Run{}) }

// allShown returns what runs besides those of the search have shown so far.
func (r *Reply) allShown() *coverage.Orders {
	if r.shown == nil {
		r.shown = &coverage.Orders{Bytes: orderBytes}
	}
	return r.shown
}

// writeShown writes what runs besides those of the search have shown, those of the findings
// among them.
func (r *Reply) writeShown() (err error) {
	for i := range r.Findings {
		if t := r.Findings[i].trace; t != nil {
			r.shows(t)
		}
	}
	if r.shown != nil {
		r.Shown, err = r.shown.MarshalBinary()
	}
	return err
}
