package choice

import (
	"encoding/binary"
	"fmt"
)

// The stored form of a record is the version, the number of deliveries, 8 bytes
// (little-endian) for each delivery, the number of choices, and for each choice its kind
// (one byte), N and Value. Numbers are unsigned varints.
//
// The form is canonical: two records are equal if and only if their stored forms are equal.
const version = 1

// AppendBinary appends the stored form of r to b. It returns an error only if a choice
// violates the invariant of Choice.
func (r *Record) AppendBinary(b []byte) ([]byte, error) {
	b = append(b, version)
	b = binary.AppendUvarint(b, uint64(len(r.Deliveries)))
	for _, id := range r.Deliveries {
		b = binary.LittleEndian.AppendUint64(b, id)
	}
	b = binary.AppendUvarint(b, uint64(len(r.Choices)))
	for i, c := range r.Choices {
		if err := c.Check(); err != nil {
			return nil, fmt.Errorf("choice: cannot store choice %d: %w", i, err)
		}
		b = append(b, byte(c.Kind))
		b = binary.AppendUvarint(b, uint64(c.N))
		b = binary.AppendUvarint(b, uint64(c.Value))
	}
	return b, nil
}
