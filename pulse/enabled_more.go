package pulse

import "github.com/jostle-go/jostle/pulse/trace"

// IDOf returns the identity that the step would have in which a message of
// the trace is received. Zero when the run is not recorded.
func (e *Enabled) IDOf(d *trace.Send) uint64 { return stepID(d.ID, e.sys.trace.Actors[d.To].ID) }

// Later says whether anything is due at a later time, so that time can pass
// when all messages are held back.
func (e *Enabled) Later() bool { return len(e.sys.timers.heap) > 0 }
