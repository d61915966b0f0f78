package coverage

import (
	"cmp"
	"maps"
	"slices"
)

// A TypePair counts the receive pairs of the actors with one label that have two given
// message types.
type TypePair struct {
	Actor  string `json:"actor"`
	First  string `json:"first"`  // the type that comes first in alphabetical order
	Second string `json:"second"` // the other type, or the same
	Count
	Forth int `json:"forth"` // the number of pairs seen with First before Second
	Back  int `json:"back"`  // the number of pairs seen with Second before First
	// Unseen names the open orders: "flush from client before write from action.2 at writer".
	Unseen []string `json:"unseen"`
}

// Types returns a TypePair for each label of receivers and each two message types that
// have a receive pair.
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
				c = &TypePair{Actor: at.actor, First: at.first, Second: at.second, Unseen: []string{}}
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
	for _, n := range o.OpenNames() {
		c := cells[key{n.actor, min(n.first, n.second), max(n.first, n.second)}]
		c.Unseen = append(c.Unseen, n.Name)
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

// Runs returns the number of added runs, of all sources.
func (o *Orders) Runs() (n int) {
	for _, s := range o.past.sources {
		n += s.runs
	}
	return n
}

// A Point of a curve says how many orders were known after a number of runs.
type Point struct {
	Runs   int `json:"runs"`
	Orders int `json:"orders"`
}

// Curves returns a curve for each source: the number of known orders as a function of the
// source's runs. A curve has at most four points for each doubling of the runs. Orders
// that were merged into o are included from then on.
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
