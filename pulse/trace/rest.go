package trace

// restLine is the line between the steps before a rest and those after it.
const restLine = "at rest"

// skipRests returns the rests that came after more than taken steps, and
// reports whether any of the others came after a step. Renderings show several
// rests without a step between them as one, and none before the first step.
func skipRests(rests []int32, taken int) (came bool, after []int32) {
	for len(rests) > 0 && int(rests[0]) <= taken {
		came, rests = rests[0] > 0, rests[1:]
	}
	return came, rests
}
