package messenger

import (
	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/props"
)

// Property returns the program as a property: messages reported as sent are shown.
func Property(mended bool) func(*props.T) {
	return func(t *props.T) {
		c := Config{
			Writes: props.Draw(t, rapid.SliceOfN(rapid.SliceOfN(rapid.IntRange(0, 1), 0, 3), 2, 3), "writes"),
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
