package orders

import (
	"slices"

	"github.com/jostle-go/jostle/pulse"
)

// sorting makes a program of an actor that sorts, and of the list to sort.
func sorting(name string, quick bool, list []int) Program {
	return Program{
		Name: name,
		Build: func(sys *pulse.System) func() error {
			root := &sorter{quick: quick}
			sys.Send(sys.Spawn("sorter", root), unsorted{slices.Clone(list)})
			return func() error { return expectSorted(root.list, list) }
		},
	}
}

type (
	unsorted struct{ list []int }
	sorted   struct {
		side int
		list []int
	}
)

// A sorter cuts its list in two, has two new sorters sort the parts, and puts
// them together. Quicksort and mergesort differ in how they cut and join.
type sorter struct {
	quick bool
	child bool // somebody asked
	side  int  // which part of the asker's list it has
	asker pulse.Ref
	due   int // answers that it waits for
	parts [2][]int
	list  []int // sorted
}

func (s *sorter) Receive(ctx *pulse.Ctx, msg any) {
	switch msg := msg.(type) {
	case unsorted:
		s.asker = ctx.Sender()
		s.divide(ctx, msg.list)
	case sorted:
		s.parts[msg.side] = msg.list
		if s.due--; s.due == 0 {
			s.done(ctx, s.join())
		}
	}
}

func (s *sorter) divide(ctx *pulse.Ctx, list []int) {
	if len(list) == 1 {
		s.done(ctx, list)
		return
	}
	for side, part := range s.cut(list) {
		child := ctx.Spawn("sorter", &sorter{quick: s.quick, child: true, side: side})
		ctx.Send(child, unsorted{part})
		s.due++
	}
}

func (s *sorter) cut(list []int) [2][]int {
	if s.quick {
		return partition(list)
	}
	return halves(list)
}

func (s *sorter) join() []int {
	if s.quick {
		return slices.Concat(s.parts[0], s.parts[1])
	}
	return merge(s.parts[0], s.parts[1])
}

// done keeps what the first sorter has sorted; others give it to their askers.
func (s *sorter) done(ctx *pulse.Ctx, list []int) {
	if !s.child {
		s.list = list
		return
	}
	ctx.Send(s.asker, sorted{s.side, list})
}
