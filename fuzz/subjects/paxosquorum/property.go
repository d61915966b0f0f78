package paxosquorum

import (
	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/props"
)

// Property returns the program as a property: one value is chosen.
func Property(mended bool) func(*props.T) {
	return func(t *props.T) {
		c := Config{
			Acceptors: props.Draw(t, rapid.IntRange(3, 5), "acceptors"),
			Values:    props.Draw(t, rapid.SliceOfN(rapid.IntRange(1, 3), 1, 3), "values"),
			Mended:    mended,
		}
		sys := t.System()
		list := c.start(sys)
		t.Always("one value is chosen", list.agree)
		sys.Run()
		t.Sometimes("a value is chosen", list.chosen())
	}
}
