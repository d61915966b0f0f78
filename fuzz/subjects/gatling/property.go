package gatling

import (
	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/props"
)

// Property returns the program as a property: every writer that has registered is flushed.
func Property(mended bool) func(*props.T) {
	return func(t *props.T) {
		c := Config{
			Writers: props.Draw(t, rapid.IntRange(1, 3), "writers"),
			Actions: props.Draw(t, rapid.IntRange(1, 3), "actions"),
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

// RecordsProperty returns the program as a property: every user starts before it ends.
func RecordsProperty(mended bool) func(*props.T) {
	return func(t *props.T) {
		c := Records{
			Users:    props.Draw(t, rapid.IntRange(1, 3), "users"),
			Requests: props.Draw(t, rapid.IntRange(1, 3), "requests"),
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
