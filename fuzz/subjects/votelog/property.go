package votelog

import (
	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/props"
)

// Property returns the program as a property: no transaction both commits and aborts.
func Property(mended bool) func(*props.T) {
	return func(t *props.T) {
		c := Config{
			Participants: props.Draw(t, rapid.IntRange(2, 4), "participants"),
			Transactions: props.Draw(t, rapid.IntRange(2, 3), "transactions"),
			Mended:       mended,
		}
		sys := t.SystemWith(Options())
		check := c.Build(sys)
		sys.Run()
		if err := check(); err != nil {
			t.Error(err)
		}
	}
}
