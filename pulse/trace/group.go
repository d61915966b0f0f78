package trace

// A groups divides a list of items, such as the messages of a trace, by the step
// that made them. Items are represented by their indices.
type groups struct {
	// The items of step s are items[start[s+1]:start[s+2]]. For items of the test, s
	// is None.
	start []int32
	items []int32
}

// groupByStep groups n items by step. step(i) returns the step of item i. If
// that step was not recorded, the item belongs to the test.
func groupByStep(steps, n int, step func(i int) int32) groups {
	g := groups{start: make([]int32, steps+2), items: make([]int32, n)}
	group := func(i int) int32 {
		if s := step(i); int(s) < steps {
			return s + 1
		}
		return 0
	}
	for i := range n {
		g.start[group(i)+1]++
	}
	for s := range steps + 1 {
		g.start[s+1] += g.start[s]
	}
	next := append([]int32(nil), g.start...)
	for i := range n {
		g.items[next[group(i)]] = int32(i)
		next[group(i)]++
	}
	return g
}

// of returns the indices of the items of a step.
func (g groups) of(step int32) []int32 {
	return g.items[g.start[step+1]:g.start[step+2]]
}
