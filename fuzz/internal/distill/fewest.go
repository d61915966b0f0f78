package distill

import (
	"cmp"
	"container/heap"
)

// Fewest returns the indices of a few sets that together have all elements of all sets.
// It first takes the set with the most elements, and then repeatedly the set with the
// most missing elements. If several sets have the most, Fewest takes the first of them.
// Finally it drops each set whose elements are all in other taken sets.
//
// Finding the minimum is NP-hard (set cover, Karp 1972). The number of taken sets is at
// most H(n) = 1 + 1/2 + … + 1/n times the minimum, where n is the size of the largest set
// (Johnson 1974). Usually it is the minimum.
func Fewest[E comparable](sets [][]E) (taken []int) {
	numbered, n := number(sets)
	q := make(queue, 0, len(sets))
	for i, set := range numbered {
		if len(set) > 0 {
			q = append(q, entry{i, len(set)})
		}
	}
	heap.Init(&q)
	covers := make([]int, n) // has an entry for each element: the number of taken sets that have the element
	for len(q) > 0 {
		// The gain of a set (entry.adds) never grows. So if the gain of the top
		// set is current, no other set has a larger gain.
		top := &q[0]
		if now := adds(numbered[top.set], covers); now == 0 {
			heap.Pop(&q)
			continue
		} else if now < top.adds {
			top.adds = now
			heap.Fix(&q, 0)
			continue
		}
		for _, e := range numbered[top.set] {
			covers[e]++
		}
		taken = append(taken, top.set)
		heap.Pop(&q)
	}
	return needed(taken, numbered, covers)
}

// number returns the sets with each element replaced by a number, without repeated
// elements. It also returns the number of different elements.
func number[E comparable](sets [][]E) (numbered [][]int32, n int) {
	numbers := map[E]int32{}
	seen := []int{} // has an entry for each element: the number, from 1, of the last set with the element
	for i, set := range sets {
		var list []int32
		for _, e := range set {
			k, ok := numbers[e]
			if !ok {
				k = int32(len(numbers))
				numbers[e] = k
				seen = append(seen, 0)
			}
			if seen[k] != i+1 {
				seen[k] = i + 1
				list = append(list, k)
			}
		}
		numbered = append(numbered, list)
	}
	return numbered, len(numbers)
}

// adds returns the number of elements of set that no taken set has.
func adds(set []int32, covers []int) (n int) {
	for _, e := range set {
		if covers[e] == 0 {
			n++
		}
	}
	return n
}

// needed returns the taken sets without the sets that are not needed. A set is not
// needed if each of its elements is also in a different taken set.
func needed(taken []int, sets [][]int32, covers []int) (list []int) {
	for _, i := range taken {
		spare := true
		for _, e := range sets[i] {
			spare = spare && covers[e] > 1
		}
		if !spare {
			list = append(list, i)
			continue
		}
		for _, e := range sets[i] {
			covers[e]--
		}
	}
	return list
}

// An entry is a set (its index) with its gain. The gain, in adds, is the number of
// elements that no taken set had when the gain was last computed.
type entry struct{ set, adds int }

// A queue is a heap.Interface of entries with the largest gain on top.
type queue []entry

func (q queue) Len() int      { return len(q) }
func (q queue) Swap(i, k int) { q[i], q[k] = q[k], q[i] }
func (q queue) Less(i, k int) bool {
	return cmp.Or(cmp.Compare(q[k].adds, q[i].adds), cmp.Compare(q[i].set, q[k].set)) < 0
}

// Push adds an entry.
func (q *queue) Push(x any) { *q = append(*q, x.(entry)) }

// Pop removes the last entry.
func (q *queue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}
