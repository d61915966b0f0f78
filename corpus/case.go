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

// A Case holds what is needed to replay a run of a property, how the run ended, and a
// comment for people.
type Case struct {
	// Property is the name of the property. It is that of a declared function or,
	// for a function literal, that of the test that ran it. Test is the test that
	// found the case. Cases of version 1 have no Property.
	Property, Test string
	// Strategy is the name of the strategy that made the decisions, and Seed is its
	// seed. They only say where the decisions come from; a replay reads them from
	// Record.
	Strategy string
	Seed     uint64
	// Inputs are the draws, in their order.
	Inputs []choice.Input
	// Record has the decisions. A run that asks for more than it holds continues in
	// plain order.
	Record choice.Record
	// Schedule has the decisions of a case without a record, which was made from
	// another case or by hand and not run yet.
	Schedule choice.Schedule
	// Settings are the settings of the run: how messages are delivered, how many
	// steps it may take, which faults it may have. They come from the property, and
	// are saved to notice when it has changed them.
	Settings []Setting

	// EarlyTimers is how many timers the search let fire early, if the property left
	// that to it.
	EarlyTimers int

	// Signature identifies the failure; "" when the case does not fail.
	Signature string
	// Condition describes what holds in all orders of messages in which the case
	// fails; "" if that is not known. Alike compares it.
	Condition string
	// Explanation is what is known about why the case fails; nil if it was not
	// explained.
	Explanation *Explanation
	// Doubtful reports that the case did not repeat when it was saved.
	Doubtful bool
	// Faces are the signatures of other failures with the same cause, of which no
	// case is saved.
	Faces []string
	// Comment has lines for people: what failed, and the messages. White space at
	// the ends of lines and unprintable characters are not saved.
	Comment []string
	// Hash is the hash of the run's trace. It is zero if there was none, or if the
	// run ended its process.
	Hash uint64
	// Path is the file, "" if there is none yet.
	Path string
}

// A Setting is one setting of a run, as text.
type Setting struct{ Name, Value string }

// Planned reports whether the case has a schedule instead of a record.
func (c *Case) Planned() bool {
	s := &c.Schedule
	return len(c.Record.Deliveries) == 0 && (s.Seed != 0 || len(s.Priorities)+len(s.Before)+len(s.Choices) > 0)
}

// Of returns an error if the case belongs to another property. A case of version 1
// names only its test, which must have the name of the property.
func (c *Case) Of(property string) error {
	if c.Property == property || c.Property == "" && c.Test == property {
		return nil
	}
	is := c.of()
	return fmt.Errorf("%s: the case is of %q, expected %q: move the file to the folder %s, or correct its property line if the property was renamed",
		c.Path, is, property, folderName(is))
}

// OfLiteral reports whether the property has the name of its test, as function
// literals do. All literals of a test share a folder.
func (c *Case) OfLiteral() bool { return c.Property == c.Test }

// Same reports whether two cases hold the same run: it compares their properties,
// signatures, inputs, records and schedules. A folder keeps one of them.
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

// of returns the property of the case, for one of version 1 the test.
func (c *Case) of() string { return cmp.Or(c.Property, c.Test) }

// key returns a hash of all that Same compares. The case must be one that Encode
// accepts.
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
		panic(err) // Encode accepted it
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
