// Package load holds programs without a bug, for measuring: how fast steps
// are, how many orders there are, whether runs repeat.
//
// A load makes its actors once. Build can add them to a system any number of times,
// and allocates nothing after the first time. So benchmarks can reset and build. Use
// a load in one system at a time.
package load

import (
	"fmt"

	"github.com/jostle-go/jostle/pulse"
)

// A Load is a program that takes the same number of steps whatever their order.
type Load struct {
	Name  string
	Steps int // how many steps every run takes
	// Build adds the program to a system that has just been made or reset. After the
	// run, check returns an error if the program did not do all its work.
	Build func(sys *pulse.System) (check func() error)
}

// All returns the loads at the sizes at which they are measured: 1000 steps where
// the size can be chosen.
func All() []Load {
	return []Load{
		Ring(10, 1, 100),
		Ring(10, 10, 10),
		PingPong(999),
		Senders(10, 100),
		Senders(8, 1),
		AllToAll(10, 11),
		Processes(10, 9, 11),
		Pi(5),
	}
}

// Small returns the same loads, so small that a run takes microseconds.
func Small() []Load {
	return []Load{
		Ring(3, 1, 3),
		Ring(3, 3, 3),
		PingPong(8),
		Senders(3, 3),
		Senders(4, 1),
		AllToAll(3, 2),
		Processes(3, 2, 2),
		Pi(3),
	}
}

// A hop is a message. Its value is how many more times it may be sent on.
type hop int

// hops returns the messages hop(0) to hop(n-1), made once: an interface made
// from a large number in each step would allocate.
func hops(n int) []any {
	list := make([]any, n)
	for i := range list {
		list[i] = hop(i)
	}
	return list
}

// A start is the message that sets an actor going.
type start struct{}

// A tally counts the messages that one actor has received.
type tally struct{ received int }

// expect returns an error if a count is not what it should be.
func expect(got, want int) error {
	if got != want {
		return fmt.Errorf("received %d of %d messages", got, want)
	}
	return nil
}
