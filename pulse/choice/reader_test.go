package choice

import (
	"errors"
	"testing"
)

func readerOf(record *Record) *Reader {
	r := &Reader{}
	r.Reset(record)
	return r
}

func TestReaderDeliveries(t *testing.T) {
	r := readerOf(&Record{Deliveries: []uint64{7, 9}})
	for _, want := range []uint64{7, 9} {
		if id, ok := r.Peek(); id != want || !ok {
			t.Fatalf("peeked %d, %v, expected %d", id, ok, want)
		}
		if id, ok := r.Delivery(); id != want || !ok {
			t.Fatalf("delivery %d, %v, expected %d", id, ok, want)
		}
	}
	for range 2 {
		if id, ok := r.Peek(); id != 0 || ok {
			t.Fatalf("peeked %d, %v after the last", id, ok)
		}
		if id, ok := r.Delivery(); id != 0 || ok {
			t.Fatalf("delivery %d, %v after the last", id, ok)
		}
	}
}

func TestReaderChoices(t *testing.T) {
	record := &Record{Choices: []Choice{{Program, 4, 3}, {Clock, 2, 1}, {Swarm, 8, 5}, {Drop, 2, 1}}}
	type ask struct {
		kind Kind
		n    int
		want int
		err  string
	}
	tests := []struct {
		name string
		asks []ask
		rest int
	}{
		{"all as stored", []ask{{Program, 4, 3, ""}, {Clock, 2, 1, ""}, {Swarm, 8, 5, ""}, {Drop, 2, 1, ""}}, 0},
		{"another kind", []ask{
			{Program, 4, 3, ""}, {Clock, 2, 1, ""}, {Swarm, 8, 5, ""},
			{Program, 4, 0, "choice 3: the record has drop with 2 answers, the run asks for choose with 4 answers"},
		}, 1},
		{"another number of answers", []ask{
			{Program, 5, 0, "choice 0: the record has choose with 4 answers, the run asks for choose with 5 answers"},
		}, 4},
		{"no answers", []ask{{Program, 0, 0, "choice 0: the record has choose with 4 answers, the run asks for choose with 0 answers"}}, 4},
		{"negative", []ask{{Program, -1, 0, "choice 0: the record has choose with 4 answers, the run asks for choose with -1 answers"}}, 4},
		{"asks again", []ask{
			{Fault, 3, 0, "choice 0: the record has choose with 4 answers, the run asks for fault with 3 answers"},
			{Program, 4, 3, ""},
		}, 3},
		{"asks too much", []ask{
			{Program, 4, 3, ""}, {Clock, 2, 1, ""}, {Swarm, 8, 5, ""}, {Drop, 2, 1, ""},
			{Program, 4, 0, "choice 4: the record has ended, the run asks for choose with 4 answers"},
			{Program, 4, 0, "choice 4: the record has ended, the run asks for choose with 4 answers"},
		}, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := readerOf(record)
			for i, ask := range test.asks {
				value, err := r.Choice(ask.kind, ask.n)
				text := ""
				if err != nil {
					text = err.Error()
				}
				if value != ask.want || text != ask.err {
					t.Errorf("ask %d: got %d and %q, expected %d and %q", i, value, text, ask.want, ask.err)
				}
			}
			if _, choices := r.Rest(); choices != test.rest {
				t.Errorf("%d choices left, expected %d", choices, test.rest)
			}
		})
	}
}

func TestMismatchIsData(t *testing.T) {
	r := readerOf(&Record{Choices: []Choice{{Drop, 2, 1}}})
	_, err := r.Choice(Program, 4)
	var m mismatch
	if !errors.As(err, &m) || m != (mismatch{Number: 0, Stored: Choice{Drop, 2, 1}, Kind: Program, N: 4}) {
		t.Errorf("got %+v", m)
	}
}

func TestReaderRestAndReset(t *testing.T) {
	record := sample()
	r := readerOf(record)
	expect := func(deliveries, choices int) {
		t.Helper()
		if d, c := r.Rest(); d != deliveries || c != choices {
			t.Errorf("%d deliveries and %d choices left, expected %d and %d", d, c, deliveries, choices)
		}
	}
	expect(4, 9)
	r.Delivery()
	r.Delivery()
	if _, err := r.Choice(Program, 1); err != nil {
		t.Fatal(err)
	}
	expect(2, 8)
	r.Reset(record)
	expect(4, 9)
	r.Reset(&Record{})
	expect(0, 0)
	r = &Reader{}
	expect(0, 0)
	if _, ok := r.Delivery(); ok {
		t.Error("the zero Reader has a delivery")
	}
}

func TestReaderAllocatesNothing(t *testing.T) {
	record := sample()
	var r Reader
	read := func() {
		r.Reset(record)
		for range record.Deliveries {
			r.Peek()
			r.Delivery()
		}
		for _, c := range record.Choices {
			if _, err := r.Choice(c.Kind, int(c.N)); err != nil {
				t.Fatal(err)
			}
		}
		r.Rest()
	}
	if n := testing.AllocsPerRun(100, read); n != 0 {
		t.Errorf("a whole replay allocates %v times", n)
	}
}
