package gossipghost

import (
	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/props"
)

// Property returns the program as a property: no node gets a member back that it
// had removed.
func Property(mended bool) func(*props.T) {
	return func(t *props.T) {
		c := Config{
			Nodes:  props.Draw(t, rapid.IntRange(6, 8), "nodes"),
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
