package pingreg

import (
	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/props"
)

// Property returns the program as a property: every child is registered and its pings arrive.
func Property(mended bool) func(*props.T) {
	return func(t *props.T) {
		c := Config{
			Children: props.Draw(t, rapid.IntRange(1, 3), "children"),
			Pings:    props.Draw(t, rapid.IntRange(1, 3), "pings"),
			Mended:   mended,
		}
		sys := t.System()
		check := c.Build(sys)
		sys.Run()
		if err := check(); err != nil {
			t.Error(err)
		}
	}
}
