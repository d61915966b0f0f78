package trace

// groups holds what each step did (its sends, its notes, …) as indices, in
// the order in which it was done.
type groups struct {
	// Step s did items[start[s+1]:start[s+2]]; the test, None, comes first.
	start []int32
	items []int32
}

// groupByStep groups n things by the step that did each, one of steps or None.
func groupByStep(steps, n int, step func(i int) int32) groups {
	g := groups{start: make([]int32, steps+2), items: make([]int32, n)}
	for i := range n {
		g.start[step(i)+2]++
	}
	for s := range steps + 1 {
		g.start[s+1] += g.start[s]
	}
	next := append([]int32(nil), g.start...)
	for i := range n {
		group := step(i) + 1
		g.items[next[group]] = int32(i)
		next[group]++
	}
	return g
}

// of returns the indices of what step did.
func (g groups) of(step int32) []int32 {
	return g.items[g.start[step+1]:g.start[step+2]]
}
