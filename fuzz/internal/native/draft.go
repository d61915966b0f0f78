package native

import (
	"encoding/binary"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A Draft is a case as bytes, for engines that edit only bytes, such as go test -fuzz.
// Every byte string is a draft, and Play runs every draft. The seed decides whatever the
// draft leaves open. The empty draft is the run in plain order with all questions
// answered by zero.
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
// Missing bytes at the end are zero. Words, answers and priorities that would begin after
// the end do not exist. All byte strings of one draft have one canonical form, which
// Bytes returns.
//
// The form suits engines. Both counts have fixed places, so insertions and deletions
// behind them do not change the counts. A priority belongs to a message by the order of
// sending, so a change of one byte moves one message. Priorities come last and have no
// count: an engine may append or cut them freely, without effect on anything before.
type Draft struct {
	// Seed decides what the rest leaves open: draws after Words, answers after Answers,
	// priorities after Priorities. Zero is not random: it means plain order and answers
	// of zero.
	Seed uint64
	// Words are the first random numbers of the draws, props.WordsPerDraw for each draw
	// in turn. The bytes hold at most maxWords of them.
	Words []uint64
	// Answers is input for answerReader. The bytes hold at most maxAnswers of them.
	Answers []byte
	// Priorities has one byte for each message in the order of sending, including timers
	// and starts of processes. The deliverable message with the highest priority comes
	// first; among equals the oldest.
	Priorities []byte
}

// Limits of the bytes of a draft.
const (
	maxWords   = 63
	maxAnswers = 255
)

const (
	wordSize    = 8
	draftHeader = wordSize + 2 // the seed and two counts
)

// draftOf returns the draft that replays a case, given the trace of its run. A case
// orders messages by identities, and only its trace has the order of sending. The replay
// takes the same steps as far as prioritiesOf can express them.
//
// Parts that do not fit are left out: numbers of a draw after props.WordsPerDraw, draws
// after maxWords numbers, choices after maxAnswers bytes.
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

// FromBytes sets d to the draft that data encodes. It reuses d's memory and does not keep
// data.
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

// Bytes returns the canonical bytes of d. FromBytes returns the same draft, except for
// words and answers beyond the limits.
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
