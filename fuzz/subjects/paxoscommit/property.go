package paxoscommit

import (
	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/props"
)

// Property returns the program as a property: at most one of the updates succeeds.
func Property(mended bool) func(*props.T) {
	return func(t *props.T) {
		c := Config{
			Coordinators: props.Draw(t, rapid.IntRange(2, 3), "coordinators"),
			Mended:       mended,
		}
		sys := t.SystemWith(Options())
		check := c.Build(sys)
		sys.Run()
		if err := check(); err != nil {
			t.Error(err)
		}
	}
}
