package strategy

import "math/bits"

// A sums is a list of weights that provides the sum of any prefix.
//
// Invariants: nodes is empty or a binary tree of 2·leaves nodes. Node j is the sum
// of its children 2j and 2j+1. Weight i is node leaves+i. All weights from index
// count are zero.
type sums struct {
	nodes  []int64
	leaves int
	count  int
}

// total returns the sum of all weights.
func (s *sums) total() int64 {
	if s.leaves == 0 {
		return 0
	}
	return s.nodes[1]
}

// set changes weight i. i must be less than count.
func (s *sums) set(i int, weight int64) {
	j := s.leaves + i
	by := weight - s.nodes[j]
	for ; j > 0; j /= 2 {
		s.nodes[j] += by
	}
}

// find returns the first index i such that the sum of weights 0 to i exceeds
// number. It returns 0 if there is none.
func (s *sums) find(number int64) int {
	j := 1
	for j < s.leaves {
		j *= 2
		right := (s.nodes[j] - 1 - number) >> 63 // -1 if the index is in the right subtree; computed without a branch, which the processor could not predict
		number -= s.nodes[j] & right
		j -= int(right)
	}
	if i := j - s.leaves; i < s.count {
		return i
	}
	return 0
}

// resize sets count to n. The weights from index n become zero.
func (s *sums) resize(n int) {
	for ; s.count > n; s.count-- {
		s.set(s.count-1, 0)
	}
	s.count = n
	if n <= s.leaves {
		return
	}
	old := s.nodes[s.leaves:]
	s.leaves = max(16, 1<<bits.Len(uint(n-1)))
	s.nodes = make([]int64, 2*s.leaves)
	copy(s.nodes[s.leaves:], old)
	for j := s.leaves - 1; j > 0; j-- {
		s.nodes[j] = s.nodes[2*j] + s.nodes[2*j+1]
	}
}
