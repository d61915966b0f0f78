package corpus

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/jostle-go/jostle/pulse/choice"
)

// A Case holds the data needed to replay a run of a property, the result of the run, and a
// comment for human readers.
type Case struct {
	// Property is the name of the property's function. If the property is a function literal,
	// Property is the name of the test. It is "" in cases of version 1 of the file format.
	Property string
	// Test is the name of the test that found the case.
	Test string
	// Strategy is the name of the strategy that made the decisions of the run, for
	// information only. A replay takes the decisions from Record.
	Strategy string
	// Seed is the seed of Strategy.
	Seed uint64
	// Inputs are the draws, in their order.
	Inputs []choice.Input
	// Record has the decisions of the run. A replay that needs further decisions delivers the
	// oldest message first and makes every choice zero.
	Record choice.Record
	// Schedule replaces Record in a planned case, which was derived from another case or
	// written by hand, and has not been run yet.
	Schedule choice.Schedule
	// Settings are the settings that the property made for the run, such as the kind of delivery,
	// the limit of steps and the possible faults. They are saved so that a replay notices if the
	// property has changed its settings.
	Settings []Setting

	// EarlyTimers is the number of timers that the search allowed to fire while messages were
	// deliverable. It is zero if the property sets this number itself.
	EarlyTimers int

	// Signature identifies the failure; "" if the case does not fail.
	Signature string
	// Condition describes the message orders in which the case fails; "" if unknown. The method
	// Alike compares conditions.
	Condition string
	// Explanation says why the case fails, as far as known; nil if the case was not
	// explained.
	Explanation *Explanation
	// Doubtful is set if a replay of the case took a different course when the case was saved.
	Doubtful bool
	// Faces are the signatures of further failures with the same cause. No cases are saved for
	// these failures.
	Faces []string
	// Comment has lines for human readers: the failure and the messages. White space at
	// the ends of lines and unprintable characters are not saved.
	Comment []string
	// Hash is the hash of the run's trace. It is zero if the run has no trace, for example
	// because it ended its process.
	Hash uint64
	// Path is the path of the case's file, or "" if there is no file yet.
	Path string
}

// A Setting is the name and the value of one setting of a run.
type Setting struct{ Name, Value string }

// Planned reports whether the case has a Schedule but no Record, because the case was not run
// yet.
func (c *Case) Planned() bool {
	s := &c.Schedule
	return len(c.Record.Deliveries) == 0 && (s.Seed != 0 || len(s.Priorities)+len(s.Before)+len(s.Choices) > 0)
}

// Of returns an error unless the case belongs to the property. A case of version 1 has no
// property; it belongs to the property that has the name of its test.
func (c *Case) Of(property string) error {
	if c.Property == property || c.Property == "" && c.Test == property {
		return nil
	}
	is := c.of()
	return fmt.Errorf("%s: the case is of the property %q, expected %q: move the file to the folder %s, or correct its property line if the property was renamed",
		c.Path, is, property, folderName(is))
}

// OfLiteral reports whether the case's property has the name of its test. Function literals have
// the name of their test, so all function literals of a test use the same folder.
func (c *Case) OfLiteral() bool { return c.Property == c.Test }

// Same reports whether two cases describe the same run. It compares the properties, signatures,
// inputs, records and schedules of the cases. Folder.Save does not save a case if the folder
// already has a case that is the Same.
func (c *Case) Same(o *Case) bool {
	s, p := &c.Schedule, &o.Schedule
	return c.of() == o.of() && c.Signature == o.Signature &&
		slices.EqualFunc(c.Inputs, o.Inputs, func(a, b choice.Input) bool {
			return a.Label == b.Label && a.Seed == b.Seed && slices.Equal(a.Words, b.Words)
		}) &&
		slices.Equal(c.Record.Choices, o.Record.Choices) && slices.Equal(c.Record.Deliveries, o.Record.Deliveries) &&
		c.Record.Plain == o.Record.Plain &&
		s.Seed == p.Seed && slices.Equal(s.Priorities, p.Priorities) && slices.Equal(s.Before, p.Before) && slices.Equal(s.Choices, p.Choices)
}

// of returns the name of the case's property. For a case of version 1, it returns the name of the
// test.
func (c *Case) of() string { return cmp.Or(c.Property, c.Test) }

// key returns a hash of the data that Same compares. The case must be one that Encode accepts.
func (c *Case) key() string {
	b := appendString(nil, c.of())
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
	if c.Record.Plain {
		b = append(b, 1)
	}
	record, err := c.Record.AppendBinary(nil)
	if err != nil {
		panic(err) // unreachable: Encode accepted the case
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
