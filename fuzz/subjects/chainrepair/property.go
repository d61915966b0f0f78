package chainrepair

import (
	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/props"
)

// Property returns the program as a property: no reader reads an older value after a newer one.
func Property(mended bool) func(*props.T) {
	return func(t *props.T) {
		c := Config{
			Nodes:   props.Draw(t, rapid.IntRange(2, 4), "nodes"),
			Repairs: props.Draw(t, rapid.IntRange(1, 2), "repairs"),
			Writes:  props.Draw(t, rapid.IntRange(1, 3), "writes"),
			Readers: props.Draw(t, rapid.IntRange(1, 2), "readers"),
			Mended:  mended,
		}
		sys := t.System()
		check := c.Build(sys)
		sys.Run()
		if err := check(); err != nil {
			t.Error(err)
		}
	}
}
