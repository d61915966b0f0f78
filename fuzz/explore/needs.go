package explore

import "github.com/jostle-go/jostle/pulse"

// needs are what the strategy of a search needs of a system.
type needs struct {
	record bool // runs are recorded
	single bool // it is asked also when only one message can be delivered
	states bool // states can be compared
}

// with returns a strategy that tells the system what it needs. Package pulse
// reads that off its methods.
func (n needs) with(s pulse.Judge) pulse.Strategy {
	switch {
	case n.single && n.states:
		return stating{holding{recording{s}}}
	case n.states:
		return comparing{recording{s}}
	case n.single:
		return holding{recording{s}}
	case n.record:
		return recording{s}
	}
	return s
}

type (
	recording struct{ pulse.Judge }
	holding   struct{ recording }
	comparing struct{ recording }
	stating   struct{ holding }
)

func (recording) Records() {}
func (holding) Holds()     {}
func (comparing) States()  {}
func (stating) States()    {}

// The strategies of which every one needs the same have these methods themselves.

// Records says that identities are read.
func (*frameFollower) Records() {}

// Holds has every step asked for.
func (*frameFollower) Holds() {}

// Records says that the trace is read.
func (*descent) Records() {}
