package campaign

import (
	"math"
	"slices"
)

// A lane is the turns of one property at the workers. What a property costs is charged to
// it alone, and its next turn comes when each other one has had its part: a slow property
// or one that stands still delays itself. Nothing here knows clocks or processes: whoever
// carries out what the lanes plan says what it has cost.
type lane struct {
	// urgent reports that work waits that is no part of the search: saved cases, or a
	// failure to be shrunk. ready reports that a share of the search can be begun.
	urgent, ready bool
	// flying is how many of its jobs workers are at, and overdue reports that one of them is
	// idle, or has gone on for much longer than a turn.
	flying  int
	overdue bool
	// paused is how many of its jobs wait for their next turn.
	paused int
	// weight is the lane's part of the time, 1 on average; time is what it was charged, in
	// seconds, divided by that.
	weight, time float64
}

func (l *lane) wants() bool { return l.urgent || l.ready || l.paused > 0 }

// lanes are those of all properties.
type lanes struct {
	list []lane
	now  float64 // the most time that a lane had when its share was begun
}

func newLanes(n int) *lanes {
	l := &lanes{list: make([]lane, n)}
	for i := range l.list {
		l.list[i].weight = 1
	}
	return l
}

// want says what waits for turns in a lane. One that had nothing to do before has no claim
// on the time that others had meanwhile.
func (l *lanes) want(i int, urgent, ready bool) {
	a := &l.list[i]
	idle := !a.wants() && a.flying == 0
	if a.urgent, a.ready = urgent, ready; idle && a.wants() {
		a.time = max(a.time, l.now)
	}
}

// advance is by how many seconds a lane may be ahead of the others and still have its
// urgent work done before their turns.
const advance = 10

// next returns the lane that has the next turn, -1 if there is none: the one that has had
// the least of its part. One with an overdue job waits for the others. A spare turn, which
// there is beside an idle job, is for another lane than that of an overdue one.
func (l *lanes) next(spare bool) int {
	least := -1
	for i := range l.list {
		a := &l.list[i]
		if a.wants() && !(spare && a.overdue) && (least < 0 || l.before(a, &l.list[least])) {
			least = i
		}
	}
	return least
}

// before reports whether a has its turn before b.
func (l *lanes) before(a, b *lane) bool {
	if a.overdue != b.overdue {
		return b.overdue
	}
	if x, y := l.hurries(a), l.hurries(b); x != y {
		return x
	}
	return a.time < b.time
}

func (l *lanes) hurries(a *lane) bool { return a.urgent && a.time <= l.now+advance }

// yields reports whether a lane that has a worker is ahead of the one that has the next turn by
// so many seconds or more.
func (l *lanes) yields(i int, seconds float64) bool {
	next := l.next(true)
	return next >= 0 && next != i && l.list[i].time >= l.list[next].time+seconds
}

// begin begins a job of a lane, which is expected to cost so many seconds.
func (l *lanes) begin(i int, share bool, seconds float64) {
	a := &l.list[i]
	if share {
		l.now = max(l.now, a.time)
	}
	a.flying++
	l.charge(i, seconds)
}

// charge charges a lane. What was charged too much is given back by less than zero.
func (l *lanes) charge(i int, seconds float64) { l.list[i].time += seconds / l.list[i].weight }

// end ends a job of a lane.
func (l *lanes) end(i int) { l.list[i].flying-- }

// A pace is what the last shares of a property have cost and shown.
type pace struct {
	open           bool    // there is more to search for
	seconds        float64 // zero: nothing is known yet
	steps, batches int
	fresh          int // orders of two receives that no run before has shown
}

// How lanes are weighed: one whose steps take slow times as long as usual ones has half of
// the part of the quickest, and however slow it is it has the part leastPart. The yield of
// a lane is how many new orders it shows in a second, and little more.
const (
	slow      = 8
	leastPart = 1.0 / 8
	little    = 1.0
)

// weigh divides the time. One half is divided by how quick steps are, within bounds: so
// that a property of which each run takes long takes little from the others. The other half
// is divided by yield too, so that a property of which all is seen does not get as much
// time as one with more to see.
func (l *lanes) weigh(paces []pace) {
	usual := usualStep(paces)
	parts, yields := make([]float64, len(paces)), make([]float64, len(paces))
	part, yield, open := 0.0, 0.0, 0.0
	for i, p := range paces {
		if !p.open {
			continue
		}
		parts[i] = 1
		if p.seconds > 0 {
			parts[i] = max(leastPart, 1/(1+p.perStep()/usual/slow))
		}
		yields[i] = little*parts[i] + float64(p.fresh)/(1+p.seconds)
		part, yield, open = part+parts[i], yield+yields[i], open+1
	}
	for i, p := range paces {
		if p.open {
			l.list[i].weight = open * (parts[i]/part + yields[i]/yield) / 2
		}
	}
}

// each returns how many seconds a batch takes, zero if that is not known.
func (p *pace) each() float64 { return p.seconds / float64(max(1, p.batches)) }

// perStep returns how many seconds a step takes.
func (p *pace) perStep() float64 { return p.seconds / float64(max(1, p.steps)) }

// usualStep returns the median of how many seconds a step takes, the smaller one of two.
func usualStep(paces []pace) float64 {
	var list []float64
	for _, p := range paces {
		if p.open && p.seconds > 0 {
			list = append(list, p.perStep())
		}
	}
	if len(list) == 0 {
		return math.SmallestNonzeroFloat64
	}
	slices.Sort(list)
	return list[(len(list)-1)/2]
}
