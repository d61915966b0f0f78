package raftmember

import (
	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/props"
)

// Property returns the program as a property: each leader's log has what was committed before.
func Property(mended bool) func(*props.T) {
	return func(t *props.T) {
		c := Config{
			Timeouts: props.Draw(t, rapid.Permutation([]int{0, 1, 2}), "timeouts"),
			Mended:   mended,
		}
		sys := t.System()
		check := c.Build(sys)
		sys.Run()
		if err := check(); err != nil {
			t.Error(err)
		}
	}
}
