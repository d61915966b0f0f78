package ackcompact

import (
	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/props"
)

// Property returns the program as a property: no message comes again after its
// acknowledgment was confirmed.
func Property(mended bool) func(*props.T) {
	return func(t *props.T) {
		c := Config{
			Messages: props.Draw(t, rapid.IntRange(4, 5), "messages"),
			Every:    props.Draw(t, rapid.IntRange(3, 5), "every"),
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
