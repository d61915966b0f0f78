package session

import (
	"github.com/jostle-go/jostle/fuzz/internal/coverage"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A shown is what runs besides those of the search have shown. The zero value notes nothing.
type shown struct {
	wanted bool
	orders *coverage.Orders // nil if there was no such run
}

// add notes what a run has shown, if it had a system.
func (s *shown) add(t *trace.Trace) {
	if s.wanted && t != nil {
		s.all().Add(t, coverage.Run{})
	}
}

// addAll notes what several runs have shown.
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

// file returns it as a file, nil if there was no such run.
func (s *shown) file() ([]byte, error) {
	if s.orders == nil {
		return nil, nil
	}
	return s.orders.MarshalBinary()
}
