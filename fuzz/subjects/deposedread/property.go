package deposedread

import (
	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/props"
)

// Property returns the program as a property: a read returns the last value written before, or a newer one.
func Property(mended bool) func(*props.T) {
	return func(t *props.T) {
		c := Config{
			Reads:  props.Draw(t, rapid.IntRange(2, 3), "reads"),
			Mended: mended,
		}
		sys := t.System()
		check := c.Build(sys)
		sys.Run()
		if err := check(); err != nil {
			t.Error(err)
		}
	}
}
