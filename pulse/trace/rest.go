package trace

// restLine marks a point in the run at which the system was quiescent: no message
// was deliverable.
const restLine = "at rest"

// skipRests removes the quiescent points after at most n steps from rests. It
// returns the remaining points. came is set if the last removed point was not
// before the first step. Renderings print one line for all removed points.
func skipRests(rests []int32, n int) (came bool, after []int32) {
	for len(rests) > 0 && int(rests[0]) <= n {
		came, rests = rests[0] > 0, rests[1:]
	}
	return came, rests
}
