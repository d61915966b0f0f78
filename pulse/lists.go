package pulse

import "slices"

// Code that runs during steps uses these functions in place of those of package
// slices. The compiler instantiates a generic function once for a program,
// perhaps in a package that the race detector instruments. The detector would
// then report accesses to the system's own memory. See threads_on.go.

func indexFunc[E any](list []E, is func(E) bool) int {
	for i := range list {
		if is(list[i]) {
			return i
		}
	}
	return -1
}

func indexOf(list []int32, x int32) int {
	for i := range list {
		if list[i] == x {
			return i
		}
	}
	return -1
}

func deleteFunc(list []int32, gone func(int32) bool) []int32 {
	kept := list[:0]
	for _, x := range list {
		if !gone(x) {
			kept = append(kept, x)
		}
	}
	return kept
}

func sortFunc(list []int32, compare func(x, y int32) int) {
	if !threaded {
		slices.SortFunc(list, compare)
		return
	}
	for i := range list {
		for j := i; j > 0 && compare(list[j], list[j-1]) < 0; j-- {
			list[j], list[j-1] = list[j-1], list[j]
		}
	}
}
