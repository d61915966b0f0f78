package strategy

// defaultLength is how long a run is taken to be when nothing is known.
const defaultLength = 100

// A length is how much happens in a run, in whatever a strategy counts. Those
// that place something in a run at random must know it before the run.
type length struct {
	fixed   int // what the options say; 0: learn it
	counted int // so far in this run; at its end, what the next run is taken to be
}

// begin returns how long the run that begins is taken to be: as the options
// say, else as long as the run before, else defaultLength.
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
