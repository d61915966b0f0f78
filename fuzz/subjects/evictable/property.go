package evictable

import (
	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/props"
)

// Property returns the program as a property: an invalidated value is not read again.
func Property(mended bool) func(*props.T) {
	return func(t *props.T) {
		c := Config{
			Readers:      props.Draw(t, rapid.IntRange(1, 2), "readers"),
			Invalidators: props.Draw(t, rapid.IntRange(1, 2), "invalidators"),
			Mended:       mended,
		}
		sys := t.System()
		check := c.Build(sys)
		sys.Run()
		if err := check(); err != nil {
			t.Error(err)
		}
	}
}
