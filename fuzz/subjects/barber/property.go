package barber

import (
	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/props"
)

// Property returns the program as a property: every customer leaves in the end.
func Property(mended bool) func(*props.T) {
	return func(t *props.T) {
		c := Config{
			Customers: props.Draw(t, rapid.IntRange(1, 5), "customers"),
			Chairs:    props.Draw(t, rapid.IntRange(1, 3), "chairs"),
			Mended:    mended,
		}
		sys := t.System()
		s := c.open(sys)
		t.Eventually("every customer leaves", func() bool { return s.waiting() == 0 })
		sys.Run()
	}
}
