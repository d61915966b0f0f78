package native

import (
	"encoding/binary"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A Draft is a case as bytes, for engines that edit bytes and know nothing else,
// such as go test -fuzz. Every byte string is a draft, and Play makes a run of
// every draft; what the draft leaves open follows from its seed. The empty draft
// is the run in plain order in which every question is answered by zero.
//
// The bytes:
//
//	8 bytes   Seed, little-endian
//	1 byte    how many Words there are, modulo 64
//	1 byte    how many Answers there are
//	8 each    Words, little-endian
//	1 each    Answers
//	the rest  Priorities
//
// What lies beyond the end of the bytes is zero. There are no more words, answers
// and priorities than begin before the end. All bytes that mean the same draft
// have one canonical form, which Bytes returns.
//
// The form suits what engines do. Both counts have fixed places, so that bytes
// that are inserted or deleted behind them do not become counts. A priority
// belongs to a message by the order of sending, not by what was waiting at some
// point, so that an engine that changes one byte moves one message. Priorities
// come last and have no count: an engine may append and cut them freely, and
// what it appends changes nothing that came before.
type Draft struct {
	// Seed is what all the rest follows from: numbers for draws after Words,
	// answers after Answers, priorities after Priorities. Zero stands for
	// plain order and answers of zero, not for randomness.
	Seed uint64
	// Words are the first numbers of the draws, props.WordsPerDraw for each draw in
	// turn. The bytes hold maxWords of them.
	Words []uint64
	// Answers are what answerReader reads. The bytes hold maxAnswers of them.
	Answers []byte
	// Priorities has one for each message, in the order of sending, timers
	// and starts of processes included. The highest of those that can be
	// delivered comes first, the oldest of those with the same priority.
	Priorities []byte
}

// What the bytes of a draft have room for.
const (
	maxWords   = 63
	maxAnswers = 255
)

const (
	wordSize    = 8
	draftHeader = wordSize + 2 // the seed and two counts
)

// draftOf returns the draft that takes the steps of a case again, whose run
// left the trace. A case says in which order messages came by identities, and
// only its trace says which was sent when. The steps are the same as far as
// prioritiesOf says that they keep what there was.
//
// What a draft has no room for is left out: of a draw, the numbers after
// props.WordsPerDraw; draws after maxWords numbers; choices after maxAnswers bytes.
func draftOf(c *corpus.Case, t *trace.Trace) *Draft {
	d := &Draft{Seed: c.Seed, Answers: appendAnswers(nil, c.Record.Choices), Priorities: prioritiesOf(t)}
	for i := range c.Inputs {
		for n := range props.WordsPerDraw {
			if len(d.Words) < maxWords {
				d.Words = append(d.Words, c.Inputs[i].Word(n))
			}
		}
	}
	return d
}

// FromBytes makes d the draft that the bytes mean. It keeps d's memory and
// nothing of data.
func (d *Draft) FromBytes(data []byte) {
	var header [draftHeader]byte
	data = data[copy(header[:], data):]
	d.Seed = binary.LittleEndian.Uint64(header[:])
	words := int(header[wordSize]) % (maxWords + 1)
	d.Words = d.Words[:0]
	for len(d.Words) < words && len(data) > 0 {
		var word [wordSize]byte
		data = data[copy(word[:], data):]
		d.Words = append(d.Words, binary.LittleEndian.Uint64(word[:]))
	}
	answers := min(int(header[wordSize+1]), len(data))
	d.Answers = append(d.Answers[:0], data[:answers]...)
	d.Priorities = append(d.Priorities[:0], data[answers:]...)
}

// Bytes returns the canonical bytes of d, which FromBytes makes the same draft
// of, except for words and answers that there is no room for.
func (d *Draft) Bytes() []byte {
	words, answers := d.Words[:min(len(d.Words), maxWords)], d.Answers[:min(len(d.Answers), maxAnswers)]
	b := make([]byte, 0, draftHeader+wordSize*len(words)+len(answers)+len(d.Priorities))
	b = binary.LittleEndian.AppendUint64(b, d.Seed)
	b = append(b, byte(len(words)), byte(len(answers)))
	for _, w := range words {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	b = append(b, answers...)
	return append(b, d.Priorities...)
}
