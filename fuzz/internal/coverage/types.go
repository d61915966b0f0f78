package coverage

import (
	"cmp"
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
