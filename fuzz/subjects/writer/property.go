package writer

import (
	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/props"
)

// Property returns the program as a property: every result is stored.
func Property(mended bool) func(*props.T) {
	return func(t *props.T) {
		c := Config{
			Actions: props.Draw(t, rapid.IntRange(1, 4), "actions"),
			Mended:  mended,
		}
		sys := t.System()
		check := c.Build(sys)
		sys.Run()
		if err := check(); err != nil {
			t.Error(err)
		}
	}
}

// ErrorProperty returns the program as a property: the terminator, when asked, knows no lost result.
func ErrorProperty(mended bool) func(*props.T) {
	return func(t *props.T) {
		c := Config{
			Actions: props.Draw(t, rapid.IntRange(1, 4), "actions"),
			Check:   true,
			Mended:  mended,
		}
		sys := t.System()
		check := c.Build(sys)
		sys.Run()
		if err := check(); err != nil {
			t.Error(err)
		}
	}
}
