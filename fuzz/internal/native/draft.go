package native

import (
	"encoding/binary"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A Draft is a case encoded as bytes, for engines that mutate only bytes, such as go test
// -fuzz. Every byte string is a draft, and Play runs every draft. Where the draft is too
// short for the run, its Seed makes the decisions. The empty draft gives the run that
// delivers the oldest message first and makes all other choices zero.
//
// The bytes:
//
//	8 bytes   Seed, little-endian
//	1 byte    the number of Words, modulo 64
//	1 byte    the number of Answers
//	8 each    Words, little-endian
//	1 each    Answers
//	the rest  Priorities
//
// Missing bytes at the end of the header or of a word are zero. Words, answers and
// priorities that would begin after the end are left out. Several byte strings may encode
// one draft; Bytes returns the canonical one.
//
// The encoding is suited to mutation. Both counts have fixed positions, so an insertion or
// deletion behind the counts does not change them. The priorities are in the order in
// which messages are sent, so a change of one byte moves one message. The priorities come
// last and have no count, so an engine may append or remove some without effect on the
// other parts.
type Draft struct {
	// Seed determines the draws when Words are used up, the choices when Answers are used
	// up, and the priorities of messages beyond Priorities. With seed zero there is no
	// randomness: the oldest message comes first, and all choices are zero.
	Seed uint64
	// Words are the first random numbers that the draws read. Each draw in turn has
	// props.WordsPerDraw of them. The encoding has at most maxWords words.
	Words []uint64
	// Answers are the bytes that answerReader reads. The encoding has at most maxAnswers
	// bytes.
	Answers []byte
	// Priorities has one byte for each message in the order of sending, including timers
	// and starts of processes. The deliverable message with the highest priority comes
	// first; the oldest one if several messages have this priority.
	Priorities []byte
}

// Limits of the encoding of a draft.
const (
	maxWords   = 63
	maxAnswers = 255
)

const (
	wordSize    = 8
	draftHeader = wordSize + 2 // the size of the seed and the two counts
)

// draftOf returns a draft that replays a case. It needs the trace of a run of the case,
// because a case orders messages by identity and a draft by the order of sending. The
// replay takes the same steps, as far as prioritiesOf can express their order.
//
// draftOf omits parts that do not fit: the numbers of a draw beyond props.WordsPerDraw,
// draws beyond maxWords numbers, and choices beyond maxAnswers bytes.
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

// FromBytes sets d to the draft that data encodes. It reuses the memory of d and does not
// retain data.
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

// Bytes returns the canonical encoding of d. FromBytes decodes it to a draft equal to d,
// without words and answers beyond the limits.
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
