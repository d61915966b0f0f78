package bank

import (
	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/props"
)

// Property returns the program as a property: no account is overdrawn, and the client knows its balance.
func Property(mended bool) func(*props.T) {
	return func(t *props.T) {
		c := Config{
			Requests: props.Draw(t, rapid.SliceOfN(rapid.IntRange(-200, 200), 1, 5), "requests"),
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
