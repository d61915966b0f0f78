package guard

import (
	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/props"
)

// Property returns the program as a property: free tokens are granted, and no others.
func Property(mended bool) func(*props.T) {
	return func(t *props.T) {
		c := Config{
			Tokens: props.Draw(t, rapid.IntRange(1, 10), "tokens"),
			Wants:  props.Draw(t, rapid.SliceOfN(rapid.IntRange(1, 10), 1, 4), "wants"),
			Mended: mended,
		}
		sys := t.System()
		s := c.start(sys)
		t.Always("no token is made or lost", s.withinBounds)
		sys.Run()
		if err := s.fair(); err != nil {
			t.Error(err)
		}
	}
}
