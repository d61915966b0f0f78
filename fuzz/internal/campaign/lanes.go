package campaign

import (
	"math"
	"slices"
)

// A lane is the queue of one property for turns at the workers. The cost of the property's jobs is
// charged to its lane, so a slow or stuck property delays only itself. The lane itself measures no
// time: the campaign reports the costs.
type lane struct {
	urgent  bool    // set if saved cases wait to be run, or a failure waits to be shrunk
	ready   bool    // set if a chunk of the search can begin or continue
	flying  int     // the number of jobs at workers
	overdue bool    // set if a job at a worker is idle or takes much longer than a turn
	paused  int     // the number of jobs at workers that wait for their next turn
	weight  float64 // the relative amount of time for the lane, 1 on average
	time    float64 // the charged seconds divided by the field weight
	spent   float64 // the charged seconds
}

func (l *lane) wants() bool { return l.urgent || l.ready || l.paused > 0 }

// lanes holds the lane of each property (see lane), and chooses the lane that gets the next turn.
type lanes struct {
	list []lane
	now  float64 // the largest lane.time at which a chunk has begun
}

func newLanes(n int) *lanes {
	l := &lanes{list: make([]lane, n)}
	for i := range l.list {
		l.list[i].weight = 1
	}
	return l
}

// want sets the fields urgent and ready of lane i. A lane that was idle gets no credit for the time
// that other lanes used while it was idle.
func (l *lanes) want(i int, urgent, ready bool) {
	a := &l.list[i]
	idle := !a.wants() && a.flying == 0
	if a.urgent, a.ready = urgent, ready; idle && a.wants() {
		a.time = max(a.time, l.now)
	}
}

// advance is a number of seconds. A lane with urgent work gets the next turn unless it has used
// this much more time than the other lanes.
const advance = 10

// next returns the index of the lane that gets the next turn, -1 if no lane wants a turn. Lanes
// with urgent work come first, then the lane with the least time, and lanes with an overdue job
// come last. The parameter spare must be set for an additional turn, which is possible only while
// the process of another job is idle. Then lanes with an overdue job get no turn.
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

// before reports whether lane a gets a turn before lane b.
func (l *lanes) before(a, b *lane) bool {
	if a.overdue != b.overdue {
		return b.overdue
	}
	if x, y := l.hurries(a), l.hurries(b); x != y {
		return x
	}
	return a.time < b.time
}

// hurries reports whether lane a has urgent work for which it gets the next turn.
func (l *lanes) hurries(a *lane) bool { return a.urgent && a.time <= l.now+advance }

// yields reports whether another lane would get the next turn and has used less time than lane i,
// by at least the given number of seconds.
func (l *lanes) yields(i int, seconds float64) bool {
	next := l.next(true)
	return next >= 0 && next != i && l.list[i].time >= l.list[next].time+seconds
}

// begin records that a job of lane i starts, and charges the expected cost of the job in seconds.
// The parameter chunk is set if the job is a chunk of the search.
func (l *lanes) begin(i int, chunk bool, seconds float64) {
	a := &l.list[i]
	if chunk {
		l.now = max(l.now, a.time)
	}
	a.flying++
	l.charge(i, seconds)
}

// charge adds a cost to the time of lane i. Negative seconds correct an earlier charge.
func (l *lanes) charge(i int, seconds float64) {
	l.list[i].time += seconds / l.list[i].weight
	l.list[i].spent += seconds
}

func (l *lanes) end(i int) { l.list[i].flying-- }

// A pace is the total cost of the last chunks of the search in one property, and the number of
// receive pairs that they were the first to contain.
type pace struct {
	open           bool    // set if the search continues
	seconds        float64 // processor time of the chunks, in seconds; zero if unknown
	steps, batches int
	fresh          int // number of new receive pairs
}

// Constants of weigh.
const (
	slow      = 8       // a property whose steps take slow times the median gets half as much time
	leastPart = 1.0 / 8 // the minimum time of a lane, as a fraction of the time of a lane with very fast steps
	little    = 1.0     // added to the new receive pairs per second, so that every property gets some time
)

// weigh sets the weights of the lanes. One half of the time is distributed by the speed of steps,
// so that slow properties take little time from other properties. The other half is distributed in
// proportion to the new receive pairs per second.
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

// each returns the average time of a batch in seconds, zero if unknown.
func (p *pace) each() float64 { return p.seconds / float64(max(1, p.batches)) }

// perStep returns the average time of a step in seconds, zero if unknown.
func (p *pace) perStep() float64 { return p.seconds / float64(max(1, p.steps)) }

// usualStep returns the (lower) median of perStep of all properties in which the search continues.
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
