package coverage

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/jostle-go/jostle/pulse/hash"
)

// An Orders is written to a file as a header line, numbers, and a hash of all preceding
// bytes. Everything is sorted, so two Orders with the same runs have the same file, even if
// the runs were added in a different order. Numbers are varints; identities take eight
// bytes.
//
//	header, 0
//	texts
//	sources: id, runs, unguided, lost, folded, points of the curve
//	0
//	receivers: id, type, label, steps, and a row of bits for each step and matrix
//	orders that only one or two runs have: receiver, step, earlier step, runs
//	hash
const (
	magic   = "jostle orders "
	version = "1"
	header  = magic + version + "\n"
)

// nothing is the number that a file has in place of counts that only older versions had.
const nothing = 0

// UnmarshalBinary refuses a file that exceeds these limits.
const (
	mostFileSteps = 1 << 16 // the maximum number of steps of one actor
	mostFileBytes = 1 << 30 // the maximum memory of all rows, in bytes
)

// MarshalBinary returns o in the form that UnmarshalBinary reads. The error is always nil.
func (o *Orders) MarshalBinary() ([]byte, error) {
	w := &fileWriter{Orders: o, data: []byte(header)}
	w.number(nothing)
	w.writeTexts()
	w.writePast()
	w.number(nothing)
	places := w.order()
	w.number(len(places))
	for _, place := range places {
		w.writeReceiver(place)
	}
	w.writeRare()
	return binary.LittleEndian.AppendUint64(w.data, hash.String(string(w.data))), nil
}

// A fileWriter writes an Orders.
type fileWriter struct {
	*Orders
	data  []byte
	texts []int32   // maps a text's index in memory to its index in the file
	at    []int32   // maps a receiver's index in memory to its index in the file
	steps [][]int32 // maps a receiver's index and a step's number to the step's index in the file
}

func (w *fileWriter) number(n int) { w.data = binary.AppendUvarint(w.data, uint64(n)) }
func (w *fileWriter) id(id uint64) { w.data = binary.LittleEndian.AppendUint64(w.data, id) }

// writeTexts writes the texts of o.words that are in use. After a Merge some texts may be
// unused.
func (w *fileWriter) writeTexts() {
	used := map[int32]bool{}
	for i := range w.receivers {
		a := &w.receivers[i]
		used[a.name], used[a.label] = true, true
		for _, s := range a.steps {
			used[s.msg], used[s.from] = true, true
		}
	}
	list := slices.SortedFunc(maps.Keys(used), func(x, y int32) int {
		return strings.Compare(w.words.texts[x], w.words.texts[y])
	})
	w.texts = make([]int32, len(w.words.texts))
	w.number(len(list))
	for i, t := range list {
		w.texts[t] = int32(i)
		w.number(len(w.words.texts[t]))
		w.data = append(w.data, w.words.texts[t]...)
	}
}

func (w *fileWriter) writePast() {
	ids := slices.Sorted(maps.Keys(w.past.sources))
	w.number(len(ids))
	for _, id := range ids {
		s := w.past.sources[id]
		w.id(id)
		for _, n := range [...]int{s.runs, s.unguided, s.lost, s.folded, len(s.marks)} {
			w.number(n)
		}
		for _, p := range s.marks {
			w.number(p.Runs)
			w.number(p.Orders)
		}
	}
}

// order returns the indices of the receivers in the order in which the file has them. It also fills
// w.at and w.steps, which map receivers and steps to their indices in the file.
func (w *fileWriter) order() []int32 {
	list := make([]int32, len(w.receivers))
	for i := range list {
		list[i] = int32(i)
	}
	slices.SortFunc(list, func(i, j int32) int { return cmp.Compare(w.receivers[i].id, w.receivers[j].id) })
	w.at, w.steps = make([]int32, len(list)), make([][]int32, len(list))
	for i, place := range list {
		w.at[place] = int32(i)
		a := &w.receivers[place]
		w.steps[place] = make([]int32, len(a.steps))
		for n, k := range a.sorted() {
			w.steps[place][k] = int32(n)
		}
	}
	return list
}

func (w *fileWriter) writeReceiver(place int32) {
	a := &w.receivers[place]
	w.id(a.id)
	w.number(int(w.texts[a.name]))
	w.number(int(w.texts[a.label]))
	w.number(len(a.steps))
	order := a.sorted()
	for _, k := range order {
		s := &a.steps[k]
		w.id(s.id)
		w.number(int(w.texts[s.msg]))
		w.number(2*int(w.texts[s.from]) + count(s.folded))
	}
	row := make([]uint64, (len(a.steps)+63)/64)
	for m := range a.rows {
		for _, k := range order {
			clear(row)
			for j := range a.before(m, k) {
				if m == many && j == k {
					continue
				}
				at := w.steps[place][j]
				row[at>>6] |= 1 << (at & 63)
			}
			w.writeRow(row, len(a.steps))
		}
	}
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

// writeRow writes the first n bits of row. It writes the number of ones, and then either
// the positions of the ones, if they are few, or the bits themselves.
func (w *fileWriter) writeRow(row []uint64, n int) {
	ones := 0
	for _, word := range row {
		ones += bits.OnesCount64(word)
	}
	w.number(ones)
	if !isSparse(ones, n) {
		for i := 0; i < n; i += 8 {
			w.data = append(w.data, byte(row[i>>6]>>(i&63)))
		}
		return
	}
	last := 0
	for i, word := range row {
		for ; word != 0; word &= word - 1 {
			at := 64*i + bits.TrailingZeros64(word)
			w.number(at - last)
			last = at
		}
	}
}

func isSparse(ones, n int) bool { return ones <= n/8 }

func (w *fileWriter) writeRare() {
	type placed struct {
		receiver, k, j int32
		runs
	}
	var list []placed
	for at, s := range w.past.rare.all() {
		for orders := s.orders; orders != 0; orders &= orders - 1 {
			j := 64*at.word + int32(bits.TrailingZeros64(orders))
			list = append(list, placed{w.at[at.place], w.steps[at.place][at.k], w.steps[at.place][j], s.runs})
		}
	}
	slices.SortFunc(list, func(x, y placed) int {
		return cmp.Or(cmp.Compare(x.receiver, y.receiver), cmp.Compare(x.k, y.k), cmp.Compare(x.j, y.j))
	})
	w.number(len(list))
	for _, p := range list {
		w.number(int(p.receiver))
		w.number(int(p.k))
		w.number(int(p.j))
		w.id(p.first)
		w.id(p.second)
	}
}

var errDamaged = errors.New("coverage: the file is damaged: get it from a backup, or delete it and count anew")

// UnmarshalBinary replaces the runs and orders of o with those of a file. The settings of o
// stay as they are. On error o does not change.
func (o *Orders) UnmarshalBinary(data []byte) error {
	text, ok := strings.CutPrefix(string(data[:min(len(data), 64)]), magic)
	if !ok {
		return errors.New("coverage: this is no file of receive orders: its first line is not \"" + strings.TrimSpace(header) + "\"")
	}
	if line, _, ended := strings.Cut(text, "\n"); ended && line != version {
		return fmt.Errorf("coverage: the file is of version %.20q, and this jostle reads version %s: use the jostle that wrote it, or a later one", line, version)
	}
	end := len(data) - 8
	if end < len(header) || binary.LittleEndian.Uint64(data[end:]) != hash.String(string(data[:end])) {
		return errDamaged
	}
	r := &fileReader{data: data[len(header):end], o: &Orders{
		Source: o.Source, Steps: o.Steps, Bytes: o.Bytes, Unjudged: o.Unjudged,
	}}
	r.read()
	if r.bad || len(r.data) > 0 {
		return errDamaged
	}
	*o = *r.o
	return nil
}

// A fileReader reads a file. Once bad is set, every read returns zero.
type fileReader struct {
	data  []byte
	bad   bool
	o     *Orders
	texts []int32
}

func (r *fileReader) fail() int {
	r.bad, r.data = true, nil
	return 0
}

func (r *fileReader) number() int {
	n, size := binary.Uvarint(r.data)
	if size <= 0 || n > math.MaxInt/4 {
		return r.fail()
	}
	r.data = r.data[size:]
	return int(n)
}

// below reads a number. It fails if the number is not less than bound.
func (r *fileReader) below(bound int) int32 {
	n := r.number()
	if n >= bound {
		return int32(r.fail())
	}
	return int32(n)
}

// length reads the number of elements that follow. The parameter each is the minimum size
// of an element, in bytes. length fails if the file is too short for the elements.
func (r *fileReader) length(each int) int {
	n := r.number()
	if n > len(r.data)/each {
		return r.fail()
	}
	return n
}

func (r *fileReader) bytes(n int) []byte {
	if n > len(r.data) {
		r.fail()
		return nil
	}
	b := r.data[:n]
	r.data = r.data[n:]
	return b
}

func (r *fileReader) id() uint64 {
	if b := r.bytes(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

func (r *fileReader) read() {
	r.below(nothing + 1)
	for range r.length(1) {
		r.texts = append(r.texts, r.o.words.of(string(r.bytes(r.number()))))
	}
	r.readPast()
	r.below(nothing + 1)
	receivers := r.length(8)
	for range receivers {
		if r.readReceiver(); r.bad {
			return
		}
	}
	for range r.length(19) {
		r.readRare()
	}
}

func (r *fileReader) readPast() {
	for range r.length(13) {
		s := r.o.past.of(r.id())
		s.runs, s.unguided, s.lost, s.folded = r.number(), r.number(), r.number(), r.number()
		for range r.length(2) {
			s.marks = append(s.marks, Point{r.number(), r.number()})
		}
	}
}

func (r *fileReader) text() int32 {
	if at := r.below(len(r.texts)); !r.bad {
		return r.texts[at]
	}
	return 0
}

func (r *fileReader) readReceiver() {
	o := r.o
	a := receiver{id: r.id(), name: r.text(), label: r.text()}
	if _, twice := o.places.Get(a.id); twice {
		r.fail()
	}
	n := r.length(10)
	if r.bad || n > mostFileSteps {
		r.fail()
		return
	}
	place := o.addReceiver(a)
	for range n {
		id, msg, from := r.id(), r.text(), r.number()
		if _, twice := o.numbers.Get(id); twice || r.bad || from/2 >= len(r.texts) || o.bytes > mostFileBytes {
			r.fail()
			return
		}
		o.addStep(place, told{id: id, msg: msg, from: r.texts[from/2], folded: from&1 == 1})
	}
	for m := range matrices {
		for k := range n {
			r.readRow(&o.receivers[place], m, int32(k), n)
		}
	}
	for i, word := range o.receivers[place].rows[many] {
		if a := &o.receivers[place]; bits.OnesCount64(word&^a.rows[pr][i]) != count(i%a.width == i/a.width>>6) {
			r.fail() // except on the diagonal, a bit of the matrix many must also be set in the matrix pr
			return
		}
	}
	o.seen += o.receivers[place].orders()
}

// readRow reads the n bits of row k of a matrix.
func (r *fileReader) readRow(a *receiver, matrix int, k int32, n int) {
	ones := r.number()
	if ones > 0 {
		r.o.addRows(a, matrix)
	}
	if ones > n || r.o.bytes > mostFileBytes {
		r.fail()
		return
	}
	if ones == 0 {
		return
	}
	if !isSparse(ones, n) {
		for i, b := range r.bytes((n + 7) / 8) {
			a.rows[matrix][int(k)*a.width+i>>3] |= uint64(b) << (8 * (i & 7))
		}
	} else {
		for at := 0; ones > 0; ones-- {
			if at += r.number(); at >= n {
				r.fail()
				return
			}
			a.put(matrix, int32(at), k)
		}
	}
	row := a.rows[matrix][int(k)*a.width : (int(k)+1)*a.width]
	if n&63 != 0 && row[n>>6]>>(n&63) != 0 || matrix != many && a.bit(matrix, k, k) {
		r.fail()
	}
}

func (r *fileReader) readRare() {
	place := r.below(len(r.o.receivers))
	if r.bad {
		return
	}
	a := &r.o.receivers[place]
	k, j := r.below(len(a.steps)), r.below(len(a.steps))
	by := runs{r.id(), r.id()}
	at, order := spotOf(place, j, k)
	twice := r.o.past.rare.of(at, order) != runs{}
	if r.bad || twice || !a.bit(pr, j, k) || a.bit(many, j, k) || by.first == 0 || by.second != 0 && by.second <= by.first {
		r.fail()
		return
	}
	r.o.past.add(at, order, by)
}
