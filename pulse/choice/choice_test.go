package choice

import (
	"reflect"
	"testing"
)

func TestKindNames(t *testing.T) {
	tests := []struct {
		kind  Kind
		name  string
		fault bool
	}{
		{Program, "choose", false},
		{Clock, "clock", false},
		{Drop, "drop", true},
		{Duplicate, "duplicate", true},
		{Delay, "delay", true},
		{Fault, "fault", true},
		{Swarm, "swarm", false},
		{Crash, "crash", true},
		{Loss, "loss", false},
		{kinds, "choice.Kind(9)", false},
	}
	for number, test := range tests {
		if int(test.kind) != number {
			t.Errorf("%v has number %d, stored records need %d", test.kind, test.kind, number)
		}
		if test.kind.String() != test.name || test.kind.IsFault() != test.fault {
			t.Errorf("%q, fault %v, expected %q, %v", test.kind, test.kind.IsFault(), test.name, test.fault)
		}
		if k, ok := KindOf(test.name); ok != (test.kind < kinds) || ok && k != test.kind {
			t.Errorf("%q is the name of %v, %v", test.name, k, ok)
		}
	}
}

// TestReceived: received messages count, Holds do not.
func TestReceived(t *testing.T) {
	for want, list := range [][]uint64{{}, {Hold, 7}, {7, Hold, Hold, 7, Hold}} {
		if n := (&Record{Deliveries: list}).Received(); n != want {
			t.Errorf("%x: %d messages were received, expected %d", list, n, want)
		}
	}
}

func TestResetAndClone(t *testing.T) {
	record := sample()
	clone := record.Clone()
	record.Reset()
	if len(record.Deliveries) != 0 || len(record.Choices) != 0 || cap(record.Choices) == 0 {
		t.Errorf("after Reset: %+v", record)
	}
	record.Deliveries = append(record.Deliveries, 99)
	record.Choices = append(record.Choices, Choice{Swarm, 9, 8})
	if !reflect.DeepEqual(clone, sample()) {
		t.Errorf("the clone changed to %+v", clone)
	}
}
