package cachefill

import (
	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/props"
)

// Property returns the program as a property: in the end the cache has no old value.
func Property(mended bool) func(*props.T) {
	return func(t *props.T) {
		c := Config{
			Readers: props.Draw(t, rapid.IntRange(2, 4), "readers"),
			Writes:  props.Draw(t, rapid.IntRange(3, 4), "writes"),
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
