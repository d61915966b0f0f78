package corpus

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"

	"github.com/jostle-go/jostle/pulse/choice"
)

// An Entry is a case and what is kept with it.
type Entry struct {
	Case *choice.Case
	// Signature tells the failure from others; "" when the case does not fail.
	Signature string
	// Comment is lines for people: what failed, which messages came. White
	// space at their ends, and what has no place in a text, is not kept.
	Comment []string
	// Hash is that of the run's trace; zero when there was none.
	Hash uint64
	// Path is the file; "" when there is none yet.
	Path string
}

// CheckTest returns an error unless the case is of a test.
func (e *Entry) CheckTest(test string) error {
	if e.Case.Test == test {
		return nil
	}
	return fmt.Errorf("%s: the case is of the test %q, expected %q: move the file to the folder %s, or correct its test line if the test was renamed",
		e.Path, e.Case.Test, test, folderName(e.Case.Test))
}

// key is a hash of all that makes one case another: not of the seed that its
// decisions came from, nor of what is said of it. The entry must be one that
// Encode takes.
func (e *Entry) key() string {
	b := appendString(nil, e.Case.Test)
	b = appendString(b, e.Signature)
	b = binary.AppendUvarint(b, uint64(len(e.Case.Inputs)))
	for _, in := range e.Case.Inputs {
		b = appendString(b, in.Label)
		b = binary.LittleEndian.AppendUint64(b, in.Seed)
		b = binary.AppendUvarint(b, uint64(len(in.Words)))
		for _, w := range in.Words {
			b = binary.LittleEndian.AppendUint64(b, w)
		}
	}
	record, err := e.Case.Record.AppendBinary(nil)
	if err != nil {
		panic(err) // Encode took it
	}
	var w writer
	w.schedule(&e.Case.Schedule)
	sum := sha256.Sum256(append(append(b, record...), w.text...))
	return hex.EncodeToString(sum[:])
}

func appendString(b []byte, s string) []byte {
	b = binary.AppendUvarint(b, uint64(len(s)))
	return append(b, s...)
}
