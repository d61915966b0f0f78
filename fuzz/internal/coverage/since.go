package coverage

import (
	"cmp"
	"fmt"
	"slices"
)

// A TypeOrder is an order of two message types: at an actor with the label Actor, a message
// of type First came before one of type Second.
type TypeOrder struct{ Actor, First, Second string }

// String returns "First before Second at Actor".
func (t TypeOrder) String() string {
	return fmt.Sprintf("%s before %s at %s", shown(t.First, mostNamed), shown(t.Second, mostNamed), shown(t.Actor, mostNamed))
}

// Since compares the orders seen in o with the orders seen in earlier, by message types.
// By identity they could not be compared, because earlier may be from a different version
// of the program. fresh has the orders that only o has, gone has the orders that only
// earlier has, and both is the number of orders that both have.
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

// typeOrders returns the orders that were seen, by type.
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
