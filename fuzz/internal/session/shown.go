package session

import (
	"github.com/jostle-go/jostle/fuzz/internal/coverage"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A shown collects the receive pairs of runs that do not belong to a random search. The zero
// value collects none.
type shown struct {
	wanted bool
	orders *coverage.Orders // nil if no run was added
}

// add adds the receive pairs of a run, if it had a system.
func (s *shown) add(t *trace.Trace) {
	if s.wanted && t != nil {
		s.all().Add(t, coverage.Run{})
	}
}

// addAll adds the receive pairs of several runs.
func (s *shown) addAll(o *coverage.Orders) {
	if s.wanted && o != nil {
		s.all().AddSeen(o)
	}
}

func (s *shown) all() *coverage.Orders {
	if s.orders == nil {
		s.orders = &coverage.Orders{Bytes: orderBytes}
	}
	return s.orders
}

// file returns the receive pairs in file format, nil if no run was added.
func (s *shown) file() ([]byte, error) {
	if s.orders == nil {
		return nil, nil
	}
	return s.orders.MarshalBinary()
}
