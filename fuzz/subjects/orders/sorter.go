package orders

import (
	"slices"

	"github.com/jostle-go/jostle/pulse"
)

// sorting returns a program in which an actor sorts a list by quicksort or mergesort.
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

// A sorter cuts its list in two, lets two new sorters sort the parts, and joins
// the sorted parts. Quicksort and mergesort differ in how they cut and join.
type sorter struct {
	quick bool
	child bool // set if another sorter has asked this sorter
	side  int  // the part of the asking sorter's list that this sorter sorts, 0 or 1
	asker pulse.Ref
	due   int // the number of answers that the sorter still waits for
	parts [2][]int
	list  []int // the sorted list
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

// done stores the sorted list at the first sorter. Every other sorter sends its
// list to the sorter that asked.
func (s *sorter) done(ctx *pulse.Ctx, list []int) {
	if !s.child {
		s.list = list
		return
	}
	ctx.Send(s.asker, sorted{s.side, list})
}
