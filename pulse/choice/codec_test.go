package choice

import (
	"bytes"
	"math"
	"testing"
)

// sample has choices of all kinds, values at both ends of their ranges, and varints of each length.
func sample() *Record {
	return &Record{
		Deliveries: []uint64{0, 1, math.MaxUint64, 0x0102030405060708},
		Choices: []Choice{
			{Program, 1, 0},
			{Clock, 2, 1},
			{Drop, 2, 0},
			{Duplicate, 128, 127},
			{Delay, 300, 299},
			{Fault, math.MaxUint32, math.MaxUint32 - 1},
			{Swarm, 1 << 20, 1 << 14},
			{Crash, 2, 1},
			{Loss, 4, 3},
		},
	}
}

func encode(t *testing.T, r *Record) []byte {
	t.Helper()
	b, err := r.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestStoredForm(t *testing.T) {
	record := &Record{Deliveries: []uint64{0x0102}, Choices: []Choice{{Drop, 300, 1}}}
	want := []byte{
		1,                         // version
		1,                         // one delivery
		2, 1, 0, 0, 0, 0, 0, 0, 1, // and one choice:
		2, 0xac, 0x02, 1, // a choice of kind drop, with 300 alternatives and the answer 1
	}
	if got := encode(t, record); !bytes.Equal(got, want) {
		t.Errorf("stored form\n% x, expected\n% x", got, want)
	}
	if got := encode(t, &Record{}); !bytes.Equal(got, []byte{1, 0, 0}) {
		t.Errorf("the empty record is stored as % x", got)
	}
	got, err := record.AppendBinary([]byte("head"))
	if err != nil || !bytes.Equal(got, append([]byte("head"), want...)) {
		t.Errorf("AppendBinary does not append: % x, %v", got, err)
	}
}

func TestEncodeErrors(t *testing.T) {
	tests := []struct {
		choice Choice
		want   string
	}{
		{Choice{kinds, 1, 0}, "choice: cannot store choice 1: kind 9, expected less than 9"},
		{Choice{Program, 0, 0}, "choice: cannot store choice 1: 0 answers, expected at least 1"},
		{Choice{Program, 3, 5}, "choice: cannot store choice 1: value 5 of 3 answers, expected less than 3"},
	}
	for _, test := range tests {
		record := &Record{Choices: []Choice{{Program, 1, 0}, test.choice}}
		b, err := record.AppendBinary(nil)
		if err == nil || err.Error() != test.want || b != nil {
			t.Errorf("%+v: got % x and %v, expected %s", test.choice, b, err, test.want)
		}
	}
}
