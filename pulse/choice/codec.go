package choice

import (
	"encoding/binary"
	"fmt"
	"math"
)

// The stored form of a record: the version, the number of deliveries and 8
// bytes (little-endian) for each, then the number of choices and for each its
// kind (one byte), N and Value. Numbers are unsigned varints.
//
// The form is canonical: one record has one form, so that two stored records
// are equal exactly when their bytes are, and a fuzzer meets no synonyms.
const version = 1

const (
	deliverySize  = 8 // bytes of one delivery
	minChoiceSize = 3 // bytes of the shortest choice: kind, N and Value
)

// AppendBinary appends the stored form of r to b. It fails only on a record
// that breaks the invariant of Choice.
func (r *Record) AppendBinary(b []byte) ([]byte, error) {
	b = append(b, version)
	b = binary.AppendUvarint(b, uint64(len(r.Deliveries)))
	for _, id := range r.Deliveries {
		b = binary.LittleEndian.AppendUint64(b, id)
	}
	b = binary.AppendUvarint(b, uint64(len(r.Choices)))
	for i, c := range r.Choices {
		if err := c.check(); err != nil {
			return nil, fmt.Errorf("choice: cannot store choice %d: %w", i, err)
		}
		b = append(b, byte(c.Kind))
		b = binary.AppendUvarint(b, uint64(c.N))
		b = binary.AppendUvarint(b, uint64(c.Value))
	}
	return b, nil
}

// check says how c breaks the invariant of Choice.
func (c Choice) check() error {
	switch {
	case c.Kind >= kinds:
		return fmt.Errorf("kind %d, expected less than %d", c.Kind, kinds)
	case c.N == 0:
		return fmt.Errorf("0 answers, expected at least 1")
	case c.Value >= c.N:
		return fmt.Errorf("value %d of %d, expected less than %d", c.Value, c.N, c.N)
	}
	return nil
}

// Decode reads the stored form of a record. It accepts exactly what
// AppendBinary writes, and allocates no more than a few times len(b).
func Decode(b []byte) (*Record, error) {
	d := decoder{bytes: b}
	record := &Record{}
	d.version()
	d.deliveries(record)
	d.choices(record)
	d.end()
	if d.err != nil {
		return nil, d.err
	}
	return record, nil
}

// A decoder is a place in stored bytes. After the first error it reads
// nothing more: every method then returns zero.
type decoder struct {
	bytes []byte
	at    int // the next byte to read
	err   error
}

// failf keeps the first error, which is about the byte at offset at.
func (d *decoder) failf(at int, format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf("choice: byte %d: %s", at, fmt.Sprintf(format, args...))
	}
}

func (d *decoder) left() int { return len(d.bytes) - d.at }

func (d *decoder) version() {
	if v := d.byte("the version"); d.err == nil && v != version {
		d.failf(0, "version %d, expected %d", v, version)
	}
}

func (d *decoder) deliveries(record *Record) {
	count := d.count("deliveries", deliverySize)
	if count == 0 {
		return
	}
	record.Deliveries = make([]uint64, count)
	for i := range record.Deliveries {
		record.Deliveries[i] = binary.LittleEndian.Uint64(d.bytes[d.at:])
		d.at += deliverySize
	}
}

func (d *decoder) choices(record *Record) {
	count := d.count("choices", minChoiceSize)
	if count == 0 {
		return
	}
	record.Choices = make([]Choice, count)
	for i := range record.Choices {
		record.Choices[i] = d.choice()
	}
}

// choice reads one choice. The error of a bad one names its first byte that
// could have been another.
func (d *decoder) choice() Choice {
	at := d.at
	kind := Kind(d.byte("a kind"))
	if d.err == nil && kind >= kinds {
		d.failf(at, "kind %d, expected less than %d", kind, kinds)
	}
	at = d.at
	n := d.uint32("the number of answers")
	if d.err == nil && n == 0 {
		d.failf(at, "0 answers, expected at least 1")
	}
	at = d.at
	value := d.uint32("a value")
	if d.err == nil && value >= n {
		d.failf(at, "value %d of %d, expected less than %d", value, n, n)
	}
	return Choice{Kind: kind, N: n, Value: value}
}

// count reads how many items follow. An item takes at least size bytes, so a
// count that the bytes left cannot hold is refused before memory is asked for.
func (d *decoder) count(items string, size int) int {
	at := d.at
	n := d.uvarint("the number of " + items)
	if d.err != nil {
		return 0
	}
	if most := d.left() / size; n > uint64(most) {
		d.failf(at, "%d %s, expected at most %d in the %d bytes that follow", n, items, most, d.left())
		return 0
	}
	return int(n)
}

func (d *decoder) byte(what string) byte {
	if d.err != nil {
		return 0
	}
	if d.left() == 0 {
		d.failf(d.at, "the record ends, expected %s", what)
		return 0
	}
	d.at++
	return d.bytes[d.at-1]
}

func (d *decoder) uint32(what string) uint32 {
	at := d.at
	n := d.uvarint(what)
	if n > math.MaxUint32 {
		d.failf(at, "%d, expected %s of at most %d", n, what, uint32(math.MaxUint32))
		return 0
	}
	return uint32(n)
}

func (d *decoder) uvarint(what string) uint64 {
	if d.err != nil {
		return 0
	}
	n, size := binary.Uvarint(d.bytes[d.at:])
	switch {
	case size == 0:
		d.failf(len(d.bytes), "the record ends, expected %s", what)
		return 0
	case size < 0:
		d.failf(d.at, "a number of more than 64 bits, expected %s", what)
		return 0
	case size > 1 && d.bytes[d.at+size-1] == 0:
		d.failf(d.at, "%d in %d bytes, expected %s in its shortest form", n, size, what)
		return 0
	}
	d.at += size
	return n
}

func (d *decoder) end() {
	if d.err == nil && d.left() > 0 {
		d.failf(d.at, "%d bytes left over, expected the end", d.left())
	}
}
