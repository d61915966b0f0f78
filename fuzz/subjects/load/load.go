// Package load holds programs without a bug, for measurements: the speed of steps,
// the number of orders, and whether runs repeat.
//
// A load makes its actors once. Build can add them to a system any number of times,
// and allocates nothing after the first time. So a benchmark can reset a system and
// build the load again in each iteration. Use a load in one system at a time.
package load

import (
	"fmt"

	"github.com/jostle-go/jostle/pulse"
)

// A Load is a program that takes the same number of steps in every order.
type Load struct {
	Name  string
	Steps int // the number of steps of every run
	// Build adds the program to a system that has just been made or reset. After the
	// run, check returns an error if the program did not do all its work.
	Build func(sys *pulse.System) (check func() error)
}

// All returns the loads in the sizes used for measurements. They take 1000 steps if
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

// Small returns the loads of All in sizes so small that a run takes microseconds.
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

// A hop is a message. Its value is the number of times that the message may still be sent on.
type hop int

// hops returns the messages hop(0) to hop(n-1). They are made once, because
// converting a large number to an interface in each step would allocate.
func hops(n int) []any {
	list := make([]any, n)
	for i := range list {
		list[i] = hop(i)
	}
	return list
}

// A start is the message that makes an actor begin its work.
type start struct{}

// A tally counts the messages that one actor has received.
type tally struct{ received int }

// expect returns an error unless the two counts are equal.
func expect(got, want int) error {
	if got != want {
		return fmt.Errorf("received %d of %d messages", got, want)
	}
	return nil
}
