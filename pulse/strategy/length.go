package strategy

// defaultLength is the assumed length of the first run.
const defaultLength = 100

// A length is the length of a run, in the unit that a strategy counts.
// Strategies that draw points of a run in advance need it before the run.
type length struct {
	fixed   int // the length from the options; 0 means to learn it
	counted int // the count in this run: the assumed length of the next
}

// begin starts a run and returns its assumed length: from the options, or else
// from the run before, or else defaultLength.
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
