package strategy

// defaultLength is the assumed length of the first run.
const defaultLength = 100

// A length is the length of a run, in whatever a strategy counts. Strategies that
// draw points of a run in advance must know it before the run.
type length struct {
	fixed   int // the length from the options; 0 means to learn it
	counted int // what was counted in this run: the assumed length of the next
	assumed int // the length of this run, if it was learned; 0 before the first
	seed    uint64
}

// begin starts a run and returns its assumed length: that from the options, else
// that of the run before, else defaultLength. A run with the seed of the one before is
// that run made again: it has the same length.
func (l *length) begin(seed uint64) int {
	n := l.counted
	l.counted = 0
	switch {
	case l.fixed > 0:
		return l.fixed
	case l.assumed > 0 && l.seed == seed:
		return l.assumed
	case n == 0:
		n = defaultLength
	}
	l.assumed, l.seed = n, seed
	return n
}
