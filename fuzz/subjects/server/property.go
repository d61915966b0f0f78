package server

import (
	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/props"
)

// Property returns the program as a property: the client reads the same value each time.
func Property(mended bool) func(*props.T) {
	return func(t *props.T) {
		c := Config{
			Gets:   props.Draw(t, rapid.IntRange(1, 4), "gets"),
			Mended: mended,
		}
		sys := t.SystemWith(Options())
		check := c.Build(sys)
		sys.Run()
		if err := check(); err != nil {
			t.Error(err)
		}
	}
}
