package raftoldterm

import (
	"slices"

	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/props"
)

// Property returns the program as a property: no two nodes apply different commands at one index.
func Property(mended bool) func(*props.T) {
	return func(t *props.T) {
		c := Config{
			Timeouts: slices.Concat(
				slices.Repeat([]int{0}, props.Draw(t, rapid.IntRange(1, 2), "timeouts of node 1")),
				slices.Repeat([]int{2}, props.Draw(t, rapid.IntRange(2, 3), "timeouts of node 3")),
			),
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
