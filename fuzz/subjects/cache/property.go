package cache

import (
	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/props"
)

// Property returns the program as a property: a get never returns another key's value.
func Property(mended bool) func(*props.T) {
	return func(t *props.T) {
		c := Config{
			Reader: props.Draw(t, rapid.IntRange(1, 200), "reader"),
			Writer: props.Draw(t, rapid.IntRange(1, 200), "writer"),
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
