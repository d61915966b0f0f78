package choice

import "fmt"

// A Reader reads the answers of a record in order. The zero Reader is at the end of an
// empty record.
type Reader struct {
	record   Record // shares the slices of the record that is read
	delivery int    // the next delivery to read
	choice   int    // the next choice to read
}

// Reset moves r to the start of a record, which must not change while r reads it.
func (r *Reader) Reset(record *Record) {
	*r = Reader{record: *record}
}

// Peek returns the next delivery without reading it; ok is false at the end.
func (r *Reader) Peek() (id uint64, ok bool) {
	if r.delivery == len(r.record.Deliveries) {
		return 0, false
	}
	return r.record.Deliveries[r.delivery], true
}

// Delivery reads the next delivery; ok is false at the end.
func (r *Reader) Delivery() (id uint64, ok bool) {
	id, ok = r.Peek()
	if ok {
		r.delivery++
	}
	return id, ok
}

// Choice reads the next answer, to a question of the given kind with n possible answers.
// It returns an error and reads nothing if the next answer is to another question, or if
// there is none.
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

// Skip reads the next answer if it is of the given kind and zero, and reports whether it
// did.
func (r *Reader) Skip(kind Kind) bool {
	if r.choice == len(r.record.Choices) || r.record.Choices[r.choice].Kind != kind || r.record.Choices[r.choice].Value != 0 {
		return false
	}
	r.choice++
	return true
}

// Rest returns how many deliveries and choices are left to read.
func (r *Reader) Rest() (deliveries, choices int) {
	return len(r.record.Deliveries) - r.delivery, len(r.record.Choices) - r.choice
}

// A mismatch is the error for a question that the record does not answer.
type mismatch struct {
	Number int    // the index of the choice in Record.Choices
	Ended  bool   // the record has no more choices; Stored is then empty
	Stored Choice // the answer in the record
	Kind   Kind   // the kind of the run's question
	N      int    // the number of its possible answers
}

func (m mismatch) Error() string {
	has := "ended,"
	if !m.Ended {
		has = fmt.Sprintf("%v of %d,", m.Stored.Kind, m.Stored.N)
	}
	return fmt.Sprintf("choice %d: the record has %s the run asks %v of %d", m.Number, has, m.Kind, m.N)
}
