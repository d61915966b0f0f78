package raftvotecount

import (
	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/props"
)

// Property returns the program as a property: no term has two leaders.
func Property(mended bool) func(*props.T) {
	return func(t *props.T) {
		c := Config{
			Nodes: props.Draw(t, rapid.IntRange(5, 7), "nodes"),
			Timeouts: []int{
				props.Draw(t, rapid.IntRange(1, 2), "timeouts of node 1"),
				props.Draw(t, rapid.IntRange(1, 2), "timeouts of node 2"),
			},
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
