package orders

import (
	"fmt"

	"github.com/jostle-go/jostle/pulse"
)

// A Program is one program of a certain size.
type Program struct {
	Name string
	// Options are the options of the program's system. The caller adds strategy,
	// seed and recording.
	Options pulse.Options
	// Build adds the program to a system that has just been made or reset. Its
	// actors share nothing with the actors of earlier calls. After the run, check
	// returns an error if the result is wrong, which must not happen in any order.
	Build func(sys *pulse.System) (check func() error)
}

// All returns programs with at most 20,000 orders, so that all orders can be
// run.
func All() []Program {
	return []Program{
		Fib(3), Fib(4),
		Quicksort(3), Quicksort(4),
		Mergesort(3),
		Spinsort(3), Spinsort(4),
		Pipesort(2), Pipesort(3),
		Leader(2), Leader(3),
		Shortpath(GraphA()),
		Chameneos(2, 2), Chameneos(2, 3), Chameneos(3, 1),
		Philosophers(2),
		Store(1, 1, 1, 3), Store(1, 1, 2, 2), Store(2, 1, 1, 3), Store(1, 1, 2, 3),
		Phils(2, 1), Phils(2, 2), Phils(2, 3),
		Pairs(2, 4), Pairs(3, 3),
		PingPong(4), PingPong(8),
	}
}

// Large returns programs of about the size with which the reductions of Basset and
// Eta were measured. Nearly all have too many orders to run all of them. Basset's pi
// is in package load.
func Large() []Program {
	return []Program{
		Chameneos(3, 2),
		Fib(5),
		Leader(4),
		Pipesort(4),
		Quicksort(6), Mergesort(6),
		Shortpath(GraphB()),
		Philosophers(3),
		Spinsort(5),
		Store(1, 2, 2, 3), Store(2, 2, 2, 3),
		Phils(3, 1),
		Pairs(4, 6),
		PingPong(10), PingPong(15),
	}
}

// A start is the message that makes an actor begin its work.
type start struct{}

// expect returns an error unless got equals want.
func expect[T comparable](what string, got, want T) error {
	if got != want {
		return fmt.Errorf("%s is %v, want %v", what, got, want)
	}
	return nil
}
