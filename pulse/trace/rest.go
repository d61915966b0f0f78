package trace

// restLine stands between the steps before a rest and those after it.
const restLine = "at rest"

// pass drops the rests that came before more than taken steps were taken, and
// says whether any came between two steps: renderings show rests that have no
// step between them as one, and none before the first step.
func pass(rests []int32, taken int) (came bool, after []int32) {
	for len(rests) > 0 && int(rests[0]) <= taken {
		came, rests = rests[0] > 0, rests[1:]
	}
	return came, rests
}
