package choice

import "fmt"

// A Reader reads the deliveries and choices of a record in order. The zero Reader is at the
// end of an empty record.
type Reader struct {
	record   Record // shares its slices with the record given to Reset
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

// Delivery reads the next delivery. ok is false at the end of the record.
func (r *Reader) Delivery() (id uint64, ok bool) {
	id, ok = r.Peek()
	if ok {
		r.delivery++
	}
	return id, ok
}

// Choice reads the next answer, which must be to a question of the given kind with n
// possible answers. If it is not, or if there is none, Choice returns an error and reads
// nothing.
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

// Skip reads the next answer if it is zero and of the given kind. It reports whether it
// read an answer.
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

// A mismatch is the error for a question that the record does not answer.
type mismatch struct {
	Number int    // the index of the choice in Record.Choices
	Ended  bool   // the record has no more choices, so Stored is empty
	Stored Choice // the answer in the record
	Kind   Kind   // the kind of the run's question
	N      int    // the number of possible answers to the run's question
}

func (m mismatch) Error() string {
	has := "ended,"
	if !m.Ended {
		has = fmt.Sprintf("%v of %d,", m.Stored.Kind, m.Stored.N)
	}
	return fmt.Sprintf("choice %d: the record has %s the run asks %v of %d", m.Number, has, m.Kind, m.N)
}
