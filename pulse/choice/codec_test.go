package choice

import (
	"bytes"
	"encoding/binary"
	"math"
	"reflect"
	"runtime"
	"testing"
)

// sample uses every kind, both ends of every range and varints of each length.
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
		2, 0xac, 0x02, 1, // drop, of 300, value 1
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

func TestRoundTrip(t *testing.T) {
	for _, want := range []*Record{{}, sample(), {Deliveries: []uint64{7}}, {Choices: []Choice{{Swarm, 8, 3}}}} {
		got, err := Decode(encode(t, want))
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("decoded %+v, expected %+v", got, want)
		}
	}
}

func TestDecodeErrors(t *testing.T) {
	delivery := []byte{1, 2, 3, 4, 5, 6, 7, 8}
	tests := []struct {
		name  string
		bytes []byte
		want  string
	}{
		{"nothing", nil, "choice: byte 0: the record ends, expected the version"},
		{"version 0", []byte{0, 0, 0}, "choice: byte 0: version 0, expected 1"},
		{"version 2", []byte{2, 0, 0}, "choice: byte 0: version 2, expected 1"},
		{"only a version", []byte{1}, "choice: byte 1: the record ends, expected the number of deliveries"},
		{"half a count", []byte{1, 0x80}, "choice: byte 2: the record ends, expected the number of deliveries"},
		{"two deliveries, bytes for one", append([]byte{1, 2}, delivery...),
			"choice: byte 1: 2 deliveries, expected at most 1 in the 8 bytes that follow"},
		{"no number of choices", append([]byte{1, 1}, delivery...),
			"choice: byte 10: the record ends, expected the number of choices"},
		{"huge number of deliveries", []byte{1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01},
			"choice: byte 1: 18446744073709551615 deliveries, expected at most 0 in the 0 bytes that follow"},
		{"more than 64 bits", []byte{1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02},
			"choice: byte 1: a number of more than 64 bits, expected the number of deliveries"},
		{"long zero", []byte{1, 0x80, 0, 0},
			"choice: byte 1: 0 in 2 bytes, expected the number of deliveries in its shortest form"},
		{"huge number of choices", []byte{1, 0, 0xff, 0x7f, 0, 1, 0},
			"choice: byte 2: 16383 choices, expected at most 1 in the 3 bytes that follow"},
		{"unknown kind", []byte{1, 0, 1, 7, 1, 0}, "choice: byte 3: kind 7, expected less than 7"},
		{"no answers", []byte{1, 0, 1, 0, 0, 0}, "choice: byte 4: 0 answers, expected at least 1"},
		{"value too large", []byte{1, 0, 1, 0, 3, 5}, "choice: byte 5: value 5 of 3, expected less than 3"},
		{"value equal to N", []byte{1, 0, 2, 0, 3, 2, 0, 3, 3}, "choice: byte 8: value 3 of 3, expected less than 3"},
		{"long N", []byte{1, 0, 1, 0, 0x83, 0, 2},
			"choice: byte 4: 3 in 2 bytes, expected the number of answers in its shortest form"},
		{"long value", []byte{1, 0, 1, 0, 3, 0x82, 0},
			"choice: byte 5: 2 in 2 bytes, expected a value in its shortest form"},
		{"N of 33 bits", []byte{1, 0, 1, 0, 0x80, 0x80, 0x80, 0x80, 0x10, 0},
			"choice: byte 4: 4294967296, expected the number of answers of at most 4294967295"},
		{"ends before a kind", []byte{1, 0, 2, 0, 0x80, 0x80, 0x80, 0x01, 0},
			"choice: byte 9: the record ends, expected a kind"},
		{"ends before N", []byte{1, 0, 2, 0, 0x80, 0x80, 0x01, 0, 2},
			"choice: byte 9: the record ends, expected the number of answers"},
		{"ends before a value", []byte{1, 0, 2, 0, 0x80, 0x01, 0, 2, 9},
			"choice: byte 9: the record ends, expected a value"},
		{"left over", []byte{1, 0, 0, 0, 0}, "choice: byte 3: 2 bytes left over, expected the end"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			record, err := Decode(test.bytes)
			if err == nil {
				t.Fatalf("decoded %+v, expected the error %q", record, test.want)
			}
			if record != nil || err.Error() != test.want {
				t.Errorf("got record %v and error\n%q, expected\n%q", record, err, test.want)
			}
		})
	}
}

func TestEncodeErrors(t *testing.T) {
	tests := []struct {
		choice Choice
		want   string
	}{
		{Choice{kinds, 1, 0}, "choice: cannot store choice 1: kind 7, expected less than 7"},
		{Choice{Program, 0, 0}, "choice: cannot store choice 1: 0 answers, expected at least 1"},
		{Choice{Program, 3, 5}, "choice: cannot store choice 1: value 5 of 3, expected less than 3"},
	}
	for _, test := range tests {
		record := &Record{Choices: []Choice{{Program, 1, 0}, test.choice}}
		b, err := record.AppendBinary(nil)
		if err == nil || err.Error() != test.want || b != nil {
			t.Errorf("%+v: got % x and %v, expected %s", test.choice, b, err, test.want)
		}
	}
}

// TestEveryPrefixFails holds that no stored record is the start of another,
// nor survives a byte more.
func TestEveryPrefixFails(t *testing.T) {
	whole := encode(t, sample())
	for n := range whole {
		if record, err := Decode(whole[:n]); err == nil {
			t.Errorf("the first %d of %d bytes decode to %+v", n, len(whole), record)
		}
	}
	if _, err := Decode(append(whole, 0)); err == nil {
		t.Error("one byte more decodes")
	}
}

// TestDecodeMemory holds that memory is proportional to the input, whatever
// the input says of itself.
func TestDecodeMemory(t *testing.T) {
	huge := binary.AppendUvarint([]byte{version, 0}, 1<<40)
	huge = append(huge, make([]byte, 3000)...)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := Decode(huge); err == nil {
		t.Fatal("a count of 2^40 was accepted")
	}
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 1<<16 {
		t.Errorf("decoding %d bytes allocated %d", len(huge), grown)
	}
}

func FuzzDecode(f *testing.F) {
	whole, err := sample().AppendBinary(nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add([]byte{1, 0, 0})
	f.Add([]byte{1, 0, 1, 0, 3, 5})
	f.Add([]byte{1, 0x80, 0, 0})
	f.Add(append([]byte{1, 1}, whole...))
	f.Fuzz(func(t *testing.T, b []byte) {
		record, err := Decode(b)
		if err != nil {
			return
		}
		again, err := record.AppendBinary(nil)
		if err != nil {
			t.Fatalf("% x decodes to %+v, which cannot be stored: %v", b, record, err)
		}
		if !bytes.Equal(again, b) {
			t.Fatalf("% x decodes, but is stored as % x", b, again)
		}
	})
}
