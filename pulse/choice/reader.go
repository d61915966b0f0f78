package choice

import "fmt"

// A Reader is a place in a record, from which a replay reads its next answer. The
// zero Reader is at the end of an empty record.
type Reader struct {
	record   Record // shares the slices of the record that is read
	delivery int    // the next delivery to read
	choice   int    // the next choice to read
}

// Reset moves r to the start of a record, which must not be changed while it is read.
func (r *Reader) Reset(record *Record) {
	*r = Reader{record: *record}
}

// Peek returns the next planned delivery without reading it; ok is false when
// there is none.
func (r *Reader) Peek() (id uint64, ok bool) {
	if r.delivery == len(r.record.Deliveries) {
		return 0, false
	}
	return r.record.Deliveries[r.delivery], true
}

// Delivery reads the next planned delivery; ok is false when there is none.
func (r *Reader) Delivery() (id uint64, ok bool) {
	id, ok = r.Peek()
	if ok {
		r.delivery++
	}
	return id, ok
}

// Choice reads the next answer, to a question of the given kind that has n
// answers. When the record has the answer to another question, or none, it
// returns an error and reads nothing.
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

// Skip reads the next answer if it is of the given kind and zero, and reports whether it was.
func (r *Reader) Skip(kind Kind) bool {
	if r.choice == len(r.record.Choices) || r.record.Choices[r.choice].Kind != kind || r.record.Choices[r.choice].Value != 0 {
		return false
	}
	r.choice++
	return true
}

// Rest returns how many deliveries and choices of the record were not read.
func (r *Reader) Rest() (deliveries, choices int) {
	return len(r.record.Deliveries) - r.delivery, len(r.record.Choices) - r.choice
}

// A mismatch is the error when a run asks something else than the record answers.
type mismatch struct {
	Number int    // the index of the choice in Record.Choices
	Ended  bool   // the record has no more choices; Stored is then empty
	Stored Choice // the answer in the record
	Kind   Kind   // the kind of the question that the run asks
	N      int    // how many answers that question has
}

func (m mismatch) Error() string {
	has := "ended,"
	if !m.Ended {
		has = fmt.Sprintf("%v of %d,", m.Stored.Kind, m.Stored.N)
	}
	return fmt.Sprintf("choice %d: the record has %s the run asks %v of %d", m.Number, has, m.Kind, m.N)
}
