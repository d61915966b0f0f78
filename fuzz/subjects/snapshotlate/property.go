package snapshotlate

import (
	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/props"
)

// Property returns the program as a property: the next leader's log has all committed entries.
func Property(mended bool) func(*props.T) {
	return func(t *props.T) {
		c := Config{
			Followers: 2 * props.Draw(t, rapid.IntRange(1, 2), "tolerated"),
			Entries:   props.Draw(t, rapid.IntRange(1, 3), "entries"),
			Mended:    mended,
		}
		sys := t.System()
		check := c.Build(sys)
		sys.Run()
		if err := check(); err != nil {
			t.Error(err)
		}
	}
}
