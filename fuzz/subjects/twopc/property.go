package twopc

import (
	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/props"
)

// EarlyProperty returns the program as a property: no participant commits what another aborts.
func EarlyProperty(mended bool) func(*props.T) {
	return func(t *props.T) {
		c := Config{Votes: votes(t), Mended: mended}
		sys := t.System()
		tr := c.start(sys)
		t.Always("the transaction is atomic", tr.atomic)
		sys.Run()
	}
}

// StuckProperty returns the program as a property: the transaction is decided.
func StuckProperty(mended bool) func(*props.T) {
	return func(t *props.T) {
		c := Config{Votes: votes(t), Stuck: true, Mended: mended}
		sys := t.System()
		tr := c.start(sys)
		t.Eventually("the transaction is decided", tr.decided)
		sys.Run()
	}
}

func votes(t *props.T) []bool {
	return props.Draw(t, rapid.SliceOfN(rapid.Bool(), 2, 5), "votes")
}
