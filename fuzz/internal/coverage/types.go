package coverage

import (
	"cmp"
	"maps"
	"slices"
)

// A TypePair is the Count of the receive pairs with one label of the receiver and two
// types of messages. If both messages have one type, First and Second are equal.
type TypePair struct {
	Actor         string
	First, Second string // First sorts first
	// Count is of the receive pairs.
	Count
	// Forth and Back count the pairs seen with First first and with Second first.
	Forth, Back int
}

// Types returns a Count for each label of receivers and pair of message types.
func (o *Orders) Types() []TypePair {
	type key struct{ actor, first, second string }
	cells := map[key]*TypePair{}
	for i := range o.receivers {
		a := &o.receivers[i]
		for j, k := range a.pairs() {
			x, y := o.words.texts[a.steps[j].msg], o.words.texts[a.steps[k].msg]
			at := key{o.words.texts[a.label], min(x, y), max(x, y)}
			c := cells[at]
			if c == nil {
				c = &TypePair{Actor: at.actor, First: at.first, Second: at.second}
				cells[at] = c
			}
			s := o.status(a, j, k)
			c.add(s)
			if x <= y || s == isCovered {
				c.Forth++
			}
			if x >= y || s == isCovered {
				c.Back++
			}
		}
	}
	var list []TypePair
	for _, c := range cells {
		list = append(list, *c)
	}
	slices.SortFunc(list, func(x, y TypePair) int {
		return cmp.Or(cmp.Compare(x.Actor, y.Actor), cmp.Compare(x.First, y.First), cmp.Compare(x.Second, y.Second))
	})
	return list
}

// Runs returns how many runs of all sources were added.
func (o *Orders) Runs() (n int) {
	for _, s := range o.past.sources {
		n += s.runs
	}
	return n
}

// A Point of a curve is the number of orders known after a number of runs.
type Point struct{ Runs, Orders int }

// Curves returns for each source the orders known after a number of its runs, with at
// most four points for each doubling. A source's orders include those merged into it by
// then.
func (o *Orders) Curves() (list [][]Point) {
	for _, id := range slices.Sorted(maps.Keys(o.past.sources)) {
		if s := o.past.sources[id]; len(s.marks) > 0 {
			curve := slices.Clone(s.marks)
			if last := curve[len(curve)-1]; last.Runs < s.runs {
				curve = append(curve, Point{s.runs, last.Orders})
			}
			list = append(list, curve)
		}
	}
	return list
}
