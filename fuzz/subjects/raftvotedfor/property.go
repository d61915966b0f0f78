package raftvotedfor

import (
	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/props"
)

// Property returns the program as a property: no term has two leaders.
func Property(mended bool) func(*props.T) {
	return func(t *props.T) {
		c := Config{
			Nodes:      props.Draw(t, rapid.IntRange(4, 6), "nodes"),
			Candidates: props.Draw(t, rapid.IntRange(2, 3), "candidates"),
			Mended:     mended,
		}
		sys := t.System()
		check := c.Build(sys)
		sys.Run()
		if err := check(); err != nil {
			t.Error(err)
		}
	}
}
