package attach

import (
	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/props"
)

// Property returns the program as a property: the limit holds, and no client is refused.
func Property(mended bool) func(*props.T) {
	return func(t *props.T) {
		c := Config{
			Limit:   props.Draw(t, rapid.IntRange(1, 3), "limit"),
			Clients: props.Draw(t, rapid.IntRange(1, 6), "clients"),
			Mended:  mended,
		}
		sys := t.System()
		s := c.start(sys)
		t.Always("the limit holds", s.withinLimit)
		sys.Run()
		if err := s.noneRefused(); err != nil {
			t.Error(err)
		}
	}
}
