package corpus

import (
	"cmp"
	"slices"

	"github.com/jostle-go/jostle/pulse/choice"
)

// Alike reports whether two cases seem to show the same failure: their property,
// signature, condition, settings and nonzero answers are the same. Their draws may
// differ. A case without a signature or a condition is like no other.
func (c *Case) Alike(o *Case) bool {
	return c.Property == o.Property && c.Signature != "" && c.Signature == o.Signature &&
		c.Condition != "" && c.Condition == o.Condition &&
		slices.Equal(c.Settings, o.Settings) && slices.Equal(c.deeds(), o.deeds())
}

// OneCause reports whether two cases of a property seem to show two failures with one
// cause. Their signatures differ, and in both the same kinds of messages come before
// the same other kinds. Their settings and the kinds of their nonzero answers are the
// same, too.
func (c *Case) OneCause(o *Case) bool {
	cause := c.Cause()
	return c.Property == o.Property && c.Signature != "" && o.Signature != "" && c.Signature != o.Signature &&
		cause != "" && cause == o.Cause() && slices.Equal(c.Settings, o.Settings)
}

// Cause returns the cause of an explained case in a form for comparing, "" if it is
// not known. Cases of one property with one cause return the same.
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

// AddFaces records that c stands for o, which shows the same failure or has the same
// cause.
func (c *Case) AddFaces(o *Case) {
	for _, face := range append([]string{o.Signature}, o.Faces...) {
		if face != c.Signature && !slices.Contains(c.Faces, face) {
			c.Faces = append(slices.Clip(c.Faces), face)
		}
	}
	slices.Sort(c.Faces)
}

// deeds returns the nonzero answers: faults, early timers and the program's own
// choices.
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

// Compare returns a negative number if c is smaller than o, a positive one if o is,
// and 0 if neither. It compares, in this order, the number of steps, of draws, and of
// the numbers that these have read, then those numbers, then the number of nonzero
// answers.
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
