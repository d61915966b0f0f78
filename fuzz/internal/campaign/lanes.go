package campaign

import (
	"math"
	"slices"
)

// A lane schedules the turns of one property at the workers. The cost of a property is charged
// to its lane, so a slow or stuck property delays only itself. Lanes know no clocks and no
// processes: the caller reports the costs.
type lane struct {
	// urgent reports that other work than the search waits: saved cases, or a failure to
	// shrink. ready reports that a share of the search can begin.
	urgent, ready bool
	// flying is the number of its jobs at workers. overdue reports that one of them is idle, or
	// has taken much longer than a turn.
	flying  int
	overdue bool
	// paused is the number of its jobs that wait for their next turn.
	paused int
	// weight is the lane's part of the time, 1 on average. time is the charged seconds divided
	// by weight.
	weight, time float64
}

func (l *lane) wants() bool { return l.urgent || l.ready || l.paused > 0 }

// lanes are those of all properties.
type lanes struct {
	list []lane
	now  float64 // the most time of a lane when one of its shares began
}

func newLanes(n int) *lanes {
	l := &lanes{list: make([]lane, n)}
	for i := range l.list {
		l.list[i].weight = 1
	}
	return l
}

// want sets what waits in a lane. A lane that was idle gets no credit for the time that others
// used meanwhile.
func (l *lanes) want(i int, urgent, ready bool) {
	a := &l.list[i]
	idle := !a.wants() && a.flying == 0
	if a.urgent, a.ready = urgent, ready; idle && a.wants() {
		a.time = max(a.time, l.now)
	}
}

// advance is by how many seconds a lane may be ahead of the others and still do its urgent work
// first.
const advance = 10

// next returns the lane of the next turn, -1 if there is none: the one that has used the least of
// its part. Lanes with an overdue job come last. A spare turn, possible while another job is
// idle, is not for a lane with an overdue job.
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

// yields reports whether a lane with a worker is ahead of the lane of the next turn by at least
// so many seconds.
func (l *lanes) yields(i int, seconds float64) bool {
	next := l.next(true)
	return next >= 0 && next != i && l.list[i].time >= l.list[next].time+seconds
}

// begin starts a job of a lane, with its expected cost in seconds.
func (l *lanes) begin(i int, share bool, seconds float64) {
	a := &l.list[i]
	if share {
		l.now = max(l.now, a.time)
	}
	a.flying++
	l.charge(i, seconds)
}

// charge charges a lane. Negative seconds give back what was charged too much.
func (l *lanes) charge(i int, seconds float64) { l.list[i].time += seconds / l.list[i].weight }

// end ends a job of a lane.
func (l *lanes) end(i int) { l.list[i].flying-- }

// A pace is the cost and the yield of the last shares of a property.
type pace struct {
	open           bool    // the search continues
	seconds        float64 // zero if unknown
	steps, batches int
	fresh          int // new receive pairs
}

// How lanes are weighed: a lane whose steps take slow times as long as usual gets half of the part
// of the fastest, and at least leastPart. The yield of a lane is its new receive pairs per
// second, plus little.
const (
	slow      = 8
	leastPart = 1.0 / 8
	little    = 1.0
)

// weigh divides the time. One half is divided by the speed of steps, within limits, so that slow
// properties take little from the others. The other half is divided by yield, so that a
// property with nothing new gets less time.
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

// each returns the seconds of a batch, zero if unknown.
func (p *pace) each() float64 { return p.seconds / float64(max(1, p.batches)) }

// perStep returns the seconds of a step.
func (p *pace) perStep() float64 { return p.seconds / float64(max(1, p.steps)) }

// usualStep returns the (lower) median of the seconds of a step.
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
