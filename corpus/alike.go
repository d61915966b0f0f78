package corpus

import (
	"cmp"
	"slices"
	"strings"

	"github.com/jostle-go/jostle/pulse/choice"
)

// Alike reports whether two cases seem to have the same failure. Their properties,
// signatures, conditions, settings and nonzero answers must be equal, but their draws may
// differ. Alike returns false if a case has no signature or no condition.
func (c *Case) Alike(o *Case) bool {
	return c.Property == o.Property && c.Signature != "" && c.Signature == o.Signature &&
		c.Condition != "" && c.Condition == o.Condition &&
		slices.Equal(c.Settings, o.Settings) && slices.Equal(c.deeds(), o.deeds())
}

// OneCause reports whether two cases seem to have different failures with the same cause.
// Their signatures must differ. Their properties, causes (see Cause) and settings must be
// equal.
func (c *Case) OneCause(o *Case) bool {
	cause := c.Cause()
	return c.Property == o.Property && c.Signature != "" && o.Signature != "" && c.Signature != o.Signature &&
		cause != "" && cause == o.Cause() && slices.Equal(c.Settings, o.Settings)
}

// Cause returns the cause of an explained case as a text, "" if it is unknown. The text
// consists of the orders of message kinds that the failure needs, and the kinds of the
// nonzero answers. Two cases of a property with the same text have the same cause.
func (c *Case) Cause() string {
	cause := c.Explanation.cause()
	if cause == "" {
		return ""
	}
	for _, x := range c.deeds() {
		cause += "\n" + x.Kind.String()
	}
	return cause
}

// AddFaces adds the signature of o and the Faces of o to c.Faces. It is called if o has the
// same failure or cause as c, and c replaces o.
func (c *Case) AddFaces(o *Case) {
	for _, face := range append([]string{o.Signature}, o.Faces...) {
		if face != c.Signature && !slices.Contains(c.Faces, face) {
			c.Faces = append(slices.Clip(c.Faces), face)
		}
	}
	slices.Sort(c.Faces)
}

// deeds returns the nonzero answers of the case. These are faults, early timers and choices of
// the program.
func (c *Case) deeds() (list []choice.Choice) {
	for _, choices := range [][]choice.Choice{c.Record.Choices, c.Schedule.Choices} {
		for _, x := range choices {
			if x.Value != 0 {
				list = append(list, x)
			}
		}
	}
	return list
}

// Compare returns a negative number if c is smaller than o, a positive number if c is larger,
// and 0 if their sizes are equal. It compares the number of steps, the number of draws, the
// count of random numbers that the draws have read, these numbers themselves, and finally the
// number of nonzero answers.
func (c *Case) Compare(o *Case) int {
	steps := func(c *Case) int { return c.Record.Received() }
	read := func(c *Case) (n int) {
		for i := range c.Inputs {
			n += len(c.Inputs[i].Words)
		}
		return n
	}
	by := cmp.Or(cmp.Compare(steps(c), steps(o)), cmp.Compare(len(c.Inputs), len(o.Inputs)), cmp.Compare(read(c), read(o)))
	if by != 0 {
		return by
	}
	for i := range c.Inputs {
		if by := slices.Compare(c.Inputs[i].Words, o.Inputs[i].Words); by != 0 {
			return by
		}
	}
	return cmp.Compare(len(c.deeds()), len(o.deeds()))
}

// cause returns a text with the constraints that Main returns, in which each message is replaced
// by its kind. It returns "" if there are no such constraints, if they have place InOwn, or if a
// kind is unknown.
func (e *Explanation) cause() string {
	if e == nil {
		return ""
	}
	var list []string
	for _, c := range e.Main() {
		if c.Place == InOwn { // orders that violate the constraint may fail too
			return ""
		}
		if c.First.Kind == "" || c.Second.Kind == "" {
			return ""
		}
		list = append(list, c.First.Kind+" before "+c.Second.Kind)
	}
	slices.Sort(list)
	return strings.Join(slices.Compact(list), "\n")
}
