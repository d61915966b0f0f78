package shardtwice

import (
	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/props"
)

// Property returns the program as a property: no write to a shard is lost.
func Property(mended bool) func(*props.T) {
	return func(t *props.T) {
		c := Config{
			Writes: props.Draw(t, rapid.IntRange(3, 5), "writes"),
			Mended: mended,
		}
		sys := t.SystemWith(Options())
		check := c.Build(sys)
		sys.Run()
		if err := check(); err != nil {
			t.Error(err)
		}
	}
}
