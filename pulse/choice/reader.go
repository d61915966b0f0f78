package choice

import "fmt"

// A Reader reads the deliveries and choices of a record in order. The zero Reader is at the
// end of an empty record.
type Reader struct {
	record   Record // a copy of the record given to Reset, with the same slices
	delivery int    // the index of the next delivery
	choice   int    // the index of the next choice
}

// Reset moves r to the start of a record, which must not change while r reads it.
func (r *Reader) Reset(record *Record) {
	*r = Reader{record: *record}
}

// Peek returns the next delivery without reading it. ok is false at the end of the record.
func (r *Reader) Peek() (id uint64, ok bool) {
	if r.delivery == len(r.record.Deliveries) {
		return 0, false
	}
	return r.record.Deliveries[r.delivery], true
}

// Delivery returns the next delivery and moves past it. ok is false at the end of the
// record.
func (r *Reader) Delivery() (id uint64, ok bool) {
	id, ok = r.Peek()
	if ok {
		r.delivery++
	}
	return id, ok
}

// Choice reads the next choice, which must be of the given kind and have n alternatives. If
// the next choice differs, or if there is none, Choice returns an error and reads nothing.
func (r *Reader) Choice(kind Kind, n int) (value int, err error) {
	if r.choice == len(r.record.Choices) {
		return 0, mismatch{Number: r.choice, Ended: true, Kind: kind, N: n}
	}
	stored := r.record.Choices[r.choice]
	if stored.Kind != kind || int64(stored.N) != int64(n) {
		return 0, mismatch{Number: r.choice, Stored: stored, Kind: kind, N: n}
	}
	r.choice++
	return int(stored.Value), nil
}

// Skip reads the next choice if it is zero and of the given kind. It reports whether it
// read a choice.
func (r *Reader) Skip(kind Kind) bool {
	if r.choice == len(r.record.Choices) || r.record.Choices[r.choice].Kind != kind || r.record.Choices[r.choice].Value != 0 {
		return false
	}
	r.choice++
	return true
}

// Rest returns the numbers of deliveries and choices left to read.
func (r *Reader) Rest() (deliveries, choices int) {
	return len(r.record.Deliveries) - r.delivery, len(r.record.Choices) - r.choice
}

// A mismatch is the error if the run asks for a choice that the record does not contain.
type mismatch struct {
	Number int    // the index of the choice in Record.Choices
	Ended  bool   // set if the record has no more choices, so that Stored is empty
	Stored Choice // the next choice in the record
	Kind   Kind   // the kind of the choice that the run asks for
	N      int    // the number of alternatives of the choice that the run asks for
}

func (m mismatch) Error() string {
	has := "ended,"
	if !m.Ended {
		has = fmt.Sprintf("%v with %d answers,", m.Stored.Kind, m.Stored.N)
	}
	return fmt.Sprintf("choice %d: the record has %s the run asks for %v with %d answers", m.Number, has, m.Kind, m.N)
}
