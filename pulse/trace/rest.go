package trace

// restLine marks a point in the run at which the system was quiescent: no message
// was deliverable.
const restLine = "at rest"

// skipRests removes from rests the quiescent points after at most taken steps. It
// returns the remaining points, and whether it removed any point other than one
// before the first step. Renderings print one line for all removed points.
func skipRests(rests []int32, taken int) (came bool, after []int32) {
	for len(rests) > 0 && int(rests[0]) <= taken {
		came, rests = rests[0] > 0, rests[1:]
	}
	return came, rests
}
