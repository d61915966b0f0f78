package corpus

import (
	"cmp"
	"slices"

	"github.com/jostle-go/jostle/pulse/choice"
)

// Alike reports whether two cases show the same failure, as far as can be told from
// them: they are of the same property and have the same signature, condition, settings
// and answers other than zero. Their draws may differ. Cases of which one has no
// signature or no condition are not alike.
func (c *Case) Alike(o *Case) bool {
	return c.Property == o.Property && c.Signature != "" && c.Signature == o.Signature &&
		c.Condition != "" && c.Condition == o.Condition &&
		slices.Equal(c.Settings, o.Settings) && slices.Equal(c.deeds(), o.deeds())
}

// OneCause reports whether two cases of a property show two failures with one cause, as far
// as can be told from them: other signatures, and the same kinds of messages that come before
// others of the same kinds. Their settings and the kinds of their answers are the same, too.
func (c *Case) OneCause(o *Case) bool {
	cause := c.Cause()
	return c.Property == o.Property && c.Signature != "" && o.Signature != "" && c.Signature != o.Signature &&
		cause != "" && cause == o.Cause() && slices.Equal(c.Settings, o.Settings)
}

// Cause returns what two explained cases of one property have in common if they have one
// cause; "" if that is not known.
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

// AddFaces notes that a case stands for another with the same failure or the same cause.
func (c *Case) AddFaces(o *Case) {
	for _, face := range append([]string{o.Signature}, o.Faces...) {
		if face != c.Signature && !slices.Contains(c.Faces, face) {
			c.Faces = append(slices.Clip(c.Faces), face)
		}
	}
	slices.Sort(c.Faces)
}

// deeds returns the answers other than zero: faults, early timers and what the program
// has chosen.
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
// and 0 if neither. The smaller case has fewer steps, then fewer draws, then fewer
// numbers that its draws have read, then smaller ones, then fewer answers other than
// zero.
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
