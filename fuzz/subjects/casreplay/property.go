package casreplay

import (
	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/props"
)

// Property returns the program as a property: no update comes back after another.
func Property(mended bool) func(*props.T) {
	return func(t *props.T) {
		c := Config{
			Replicas:     2*props.Draw(t, rapid.IntRange(1, 2), "tolerated") + 1,
			Coordinators: props.Draw(t, rapid.IntRange(2, 4), "coordinators"),
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
