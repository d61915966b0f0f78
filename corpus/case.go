package corpus

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"

	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/schedule"
)

// A Case is what reproduces a run, what came of it, and what is said of it to
// people. Everything that searches, shrinks and keeps runs edits cases.
type Case struct {
	// Property is what the case is of: the name of a declared function, or of
	// the test that a function literal was run by. Test is the test that found
	// it. Cases that were kept by version 1 have no Property.
	Property, Test string
	// Strategy is the name of what made the decisions, and Seed what it was
	// given. Together they say where the decisions come from; the decisions
	// themselves are in Record.
	Strategy string
	Seed     uint64
	// Inputs are the draws, in their order.
	Inputs []choice.Input
	// Record is the decisions. A run that asks for more than it holds is
	// answered in plain order.
	Record choice.Record
	// Schedule is the decisions of a case that has no record: one that was
	// not run yet, but made of another by an engine or by hand.
	Schedule schedule.Schedule
	// Settings are what the run was told beside: how messages are delivered,
	// how many steps it may take, which faults it may have. They come from the
	// property, and are kept to tell when that has changed them.
	Settings []Setting

	// EarlyTimers is how many timers the search let fire early in a run whose
	// property left that to it.
	EarlyTimers int

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

// A Setting is one thing that a run was told, in words.
type Setting struct{ Name, Value string }

// Planned reports whether the case's decisions are a schedule, not a record.
func (c *Case) Planned() bool {
	s := &c.Schedule
	return len(c.Record.Deliveries) == 0 && (s.Seed != 0 || len(s.Priorities)+len(s.Before)+len(s.Choices) > 0)
}

// Of returns an error unless the case is of a property. A case of version 1
// is of the property that its test has.
func (c *Case) Of(property string) error {
	if c.Property == property || c.Property == "" && c.Test == property {
		return nil
	}
	is := c.Property
	if is == "" {
		is = c.Test
	}
	return fmt.Errorf("%s: the case is of %q, expected %q: move the file to the folder %s, or correct its property line if the property was renamed",
		c.Path, is, property, folderName(is))
}

// key is a hash of all that makes one case another: not of the seed that its
// decisions came from, nor of what is said of it, nor of the test that found
// it. The case must be one that Encode takes.
func (c *Case) key() string {
	of := c.Property
	if of == "" {
		of = c.Test
	}
	b := appendString(nil, of)
	b = appendString(b, c.Signature)
	b = binary.AppendUvarint(b, uint64(len(c.Inputs)))
	for _, in := range c.Inputs {
		b = appendString(b, in.Label)
		b = binary.LittleEndian.AppendUint64(b, in.Seed)
		b = binary.AppendUvarint(b, uint64(len(in.Words)))
		for _, w := range in.Words {
			b = binary.LittleEndian.AppendUint64(b, w)
		}
	}
	record, err := c.Record.AppendBinary(nil)
	if err != nil {
		panic(err) // Encode took it
	}
	var w writer
	w.schedule(&c.Schedule)
	sum := sha256.Sum256(append(append(b, record...), w.text...))
	return hex.EncodeToString(sum[:])
}

func appendString(b []byte, s string) []byte {
	b = binary.AppendUvarint(b, uint64(len(s)))
	return append(b, s...)
}
