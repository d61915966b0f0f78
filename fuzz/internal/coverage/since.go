package coverage

import (
	"cmp"
	"fmt"
	"slices"
)

// A TypeOrder is an order of two receives by what can be read in the program: at an actor
// with the label Actor, a message of type First came before one of type Second.
type TypeOrder struct{ Actor, First, Second string }

// String says which message comes before which other, at which actors.
func (t TypeOrder) String() string {
	return fmt.Sprintf("%s before %s at %s", shown(t.First, mostNamed), shown(t.Second, mostNamed), shown(t.Actor, mostNamed))
}

// Since compares what o has seen with what was seen earlier, of another version of the
// program, say, where receives have other identities: by the types of messages. It returns
// the orders that are new, those that are gone, and how many are in both.
func (o *Orders) Since(earlier *Orders) (fresh, gone []TypeOrder, both int) {
	now, then := o.typeOrders(), earlier.typeOrders()
	for t := range now {
		if then[t] {
			both++
		} else {
			fresh = append(fresh, t)
		}
	}
	for t := range then {
		if !now[t] {
			gone = append(gone, t)
		}
	}
	slices.SortFunc(fresh, TypeOrder.compare)
	slices.SortFunc(gone, TypeOrder.compare)
	return fresh, gone, both
}

func (t TypeOrder) compare(u TypeOrder) int {
	return cmp.Or(cmp.Compare(t.Actor, u.Actor), cmp.Compare(t.First, u.First), cmp.Compare(t.Second, u.Second))
}

// typeOrders returns the orders that were seen.
func (o *Orders) typeOrders() map[TypeOrder]bool {
	seen := map[TypeOrder]bool{}
	for _, p := range o.Types() {
		if p.Forth > 0 {
			seen[TypeOrder{p.Actor, p.First, p.Second}] = true
		}
		if p.Back > 0 {
			seen[TypeOrder{p.Actor, p.Second, p.First}] = true
		}
	}
	return seen
}
