package closing

import (
	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/props"
)

// Property returns the program as a property: the balance is the deposits minus the withdrawals.
func Property(mended bool) func(*props.T) {
	return func(t *props.T) {
		c := Config{
			Held:   props.Draw(t, rapid.IntRange(1, 50), "held"),
			In:     props.Draw(t, rapid.IntRange(1, 50), "in"),
			Out:    props.Draw(t, rapid.IntRange(1, 50), "out"),
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
