package choice

import (
	"reflect"
	"testing"
)

func TestScheduleClone(t *testing.T) {
	make := func() *Schedule {
		return &Schedule{1, []Priority{{2, 3}}, []Constraint{{4, 5}}, []Choice{{Kind: Drop, N: 2, Value: 1}}}
	}
	s := make()
	c := s.Clone()
	s.Priorities[0].P, s.Before[0], s.Choices[0].Value = 9, s.Before[0].Turned(), 0
	if !reflect.DeepEqual(c, make()) {
		t.Errorf("the clone changed to %+v", c)
	}
	if s.Before[0] != (Constraint{5, 4}) {
		t.Errorf("turned around it is %v", s.Before[0])
	}
}
