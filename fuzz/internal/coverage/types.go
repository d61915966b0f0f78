package coverage

import (
	"cmp"
	"maps"
	"slices"
)

// A TypePair is what is counted of pairs of receives by what can be read in the program:
// the label of the receiver and the types of the two messages. Of two receives with
// messages of one type, First and Second are the same.
type TypePair struct {
	Actor         string
	First, Second string // First comes first in the alphabet
	// Count is of the pairs of receives.
	Count
	// Forth and Back are how many of them were seen with First first, and with
	// Second first.
	Forth, Back int
}

// Types counts as Count does, for each label of receivers and pair of types.
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

// Runs returns how many runs were added, of all sources.
func (o *Orders) Runs() (n int) {
	for _, s := range o.past.sources {
		n += s.runs
	}
	return n
}

// A Point of a curve says how many orders were known after so many runs.
type Point struct{ Runs, Orders int }

// Curves returns for each source how many orders were known after how many of its
// runs, four points for each doubling of the runs at most. What a source knew was what
// it had seen, and what had been merged into it by then.
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
