package strategy

// defaultLength is the assumed length of the first run.
const defaultLength = 100

// A length estimates the length of the next run, in steps or messages. A strategy
// that draws points of a run in advance needs the estimate.
type length struct {
	fixed   int // the length from the options; 0 means that the length of the previous run is used
	counted int // the length of this run so far
}

// begin starts a run and returns the estimated length of the run. The estimate is
// the length from the options if they give one, else the length of the previous
// run, else defaultLength.
func (l *length) begin() int {
	n := l.counted
	l.counted = 0
	switch {
	case l.fixed > 0:
		return l.fixed
	case n > 0:
		return n
	}
	return defaultLength
}
