package threadring

import (
	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/props"
)

// Property returns the program as a property: the token is passed on the given number of times.
func Property(mended bool) func(*props.T) {
	return func(t *props.T) {
		c := Config{
			Passers: props.Draw(t, rapid.IntRange(2, 5), "passers"),
			Hops:    props.Draw(t, rapid.IntRange(1, 12), "hops"),
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
