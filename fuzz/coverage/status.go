package coverage

import "github.com/jostle-go/jostle/pulse/trace"

// judge looks which orders that a run has shown could have been the other way.
func (o *Orders) judge(t *trace.Trace) {}
