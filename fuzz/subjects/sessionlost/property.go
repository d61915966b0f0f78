package sessionlost

import (
	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/props"
)

// Property returns the program as a property: each command is applied once.
func Property(mended bool) func(*props.T) {
	return func(t *props.T) {
		c := Config{
			Clients:  props.Draw(t, rapid.IntRange(2, 3), "clients"),
			Commands: props.Draw(t, rapid.IntRange(2, 3), "commands"),
			Mended:   mended,
		}
		sys := t.SystemWith(Options())
		check := c.Build(sys)
		sys.Run()
		if err := check(); err != nil {
			t.Error(err)
		}
	}
}
