package campaign

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// A worked is a lane in a simulation: the processor time of each of its jobs, and how long each takes.
type worked struct {
	cost, takes float64
	got         int // finished jobs
}

// simulate lets workers carry out for some seconds what lanes plan. Each worker has a processor. A job
// that takes more than ten times its processor time counts as idle: the first one of its lane after a
// second, later ones at once. An idle job is overdue, and so is any job after four seconds.
func simulate(l *lanes, list []worked, workers int, seconds float64) {
	type job struct {
		lane        int
		begun, ends float64
	}
	for i := range list {
		list[i].takes = max(list[i].takes, list[i].cost)
		l.want(i, false, true)
	}
	var flying []job
	for now := 0.0; now < seconds; {
		next, idle := math.Inf(1), 0
		for i := range l.list {
			l.list[i].overdue = false
		}
		for _, j := range flying {
			next = min(next, j.ends)
			for _, event := range []float64{1, 4} {
				if at := j.begun + event; at > now {
					next = min(next, at)
				}
			}
			waits := list[j.lane].cost < list[j.lane].takes/10 && (now-j.begun >= 1 || list[j.lane].got > 0)
			if waits {
				idle++
			}
			l.list[j.lane].overdue = l.list[j.lane].overdue || waits || now-j.begun >= 4
		}
		if len(flying)-idle < workers {
			if i := l.next(len(flying) >= workers); i >= 0 {
				l.begin(i, true, 0)
				flying = append(flying, job{i, now, now + list[i].takes})
				continue
			}
		}
		now = next
		var left []job
		for _, j := range flying {
			if j.ends > now {
				left = append(left, j)
				continue
			}
			l.charge(j.lane, list[j.lane].cost)
			l.end(j.lane)
			list[j.lane].got++
		}
		flying = left
	}
}

// TestLanes: each property gets its share of the processor
// time, whatever the others use. A waiting process uses none.
func TestLanes(t *testing.T) {
	ten := []worked{{cost: 1}, {cost: 1}, {cost: 1}, {cost: 1}, {cost: 1}, {cost: 1}}
	for _, c := range []struct {
		name    string
		list    []worked
		workers int
		seconds float64
		want    string
	}{
		{"alike", []worked{{cost: 1}, {cost: 1}, {cost: 1}, {cost: 1}}, 2, 100, "50 50 50 50"},
		{"a slow one", []worked{{cost: 1}, {cost: 10}, {cost: 1}, {cost: 1}}, 1, 1000, "250 25 250 250"},
		{"chunks of other sizes", []worked{{cost: 0.1}, {cost: 0.5}, {cost: 2}}, 1, 300, "1000 200 50"},
		{"one that waits, and two workers", []worked{{cost: 0.01, takes: 60}, {cost: 1}, {cost: 1}}, 2, 601, "10 600 600"},
		{"one that waits, and one worker", []worked{{cost: 0.01, takes: 60}, {cost: 1}}, 1, 601, "10 591"},
		{"two that wait", append([]worked{{cost: 0.01, takes: 10}, {cost: 0.01, takes: 60}}, ten...), 2, 606, "60 10 200 200 200 200 200 200"},
		{"all wait", []worked{{cost: 0.01, takes: 10}}, 2, 100, "20"},
	} {
		l := newLanes(len(c.list))
		simulate(l, c.list, c.workers, c.seconds)
		var got []string
		for i, w := range c.list {
			var want int
			fmt.Sscan(strings.Fields(c.want)[i], &want)
			got = append(got, fmt.Sprint(w.got))
			if math.Abs(float64(w.got-want)) > max(2, float64(want)/50) {
				t.Errorf("%s: property %d had %d jobs, want %d", c.name, i, w.got, want)
			}
		}
		t.Logf("%s: %s", c.name, strings.Join(got, " "))
	}
}

// TestTroubledLanes: six normal properties run together with four troubled ones. These hang, take a
// second for each run, take two seconds as if they used much memory, or print much. Each normal
// property has at least four fifths of the chunks that it has alone. TestSlowPropertiesCostThemselves
// tests the same with real processes.
func TestTroubledLanes(t *testing.T) {
	six := []worked{{cost: 0.5}, {cost: 0.5}, {cost: 0.5}, {cost: 0.5}, {cost: 0.5}, {cost: 0.5}}
	four := []worked{{cost: 0.01, takes: 10}, {cost: 1}, {cost: 2}, {cost: 0.25}}
	weighed := func(list []worked, slow int) *lanes {
		l, paces := newLanes(len(list)), make([]pace, len(list))
		for i := range paces {
			paces[i] = pace{open: true, seconds: 4, steps: 4 << 20}
			if i >= len(list)-slow {
				paces[i].steps >>= 10
			}
		}
		l.weigh(paces)
		return l
	}
	for _, workers := range []int{1, 2, 3, 4} {
		alone, with := slices.Clone(six), append(slices.Clone(six), four...)
		simulate(weighed(alone, 0), alone, workers, 600)
		simulate(weighed(with, len(four)), with, workers, 600)
		t.Logf("%d workers: %v, without the slow ones %v", workers, with, alone)
		for i := range alone {
			if 10*with[i].got < 8*alone[i].got {
				t.Errorf("%d workers: property %d has %d chunks, and without the slow ones %d", workers, i, with[i].got, alone[i].got)
			}
		}
		for i, w := range with[len(six):] {
			if w.got < 5 {
				t.Errorf("%d workers: slow property %d has %d chunks", workers, i, w.got)
			}
		}
	}
}

// TestLaneOrder: which of two lanes gets the next turn.
func TestLaneOrder(t *testing.T) {
	for _, c := range []struct {
		name string
		a, b lane
		want int
	}{
		{"the one with less time", lane{ready: true, time: 2}, lane{ready: true, time: 1}, 1},
		{"the first of equals", lane{ready: true}, lane{ready: true}, 0},
		{"the one with work", lane{time: 0}, lane{ready: true, time: 9}, 1},
		{"none", lane{}, lane{}, -1},
		{"saved cases and shrinking first", lane{ready: true}, lane{urgent: true, time: 5}, 1},
		{"unless they had much more", lane{ready: true}, lane{urgent: true, time: 50}, 0},
		{"an overdue one last", lane{urgent: true, overdue: true}, lane{ready: true, time: 9}, 1},
		{"an overdue one alone", lane{ready: true, overdue: true}, lane{}, 0},
	} {
		l := &lanes{list: []lane{c.a, c.b}}
		if got := l.next(false); got != c.want {
			t.Errorf("%s: the turn is that of %d, want %d", c.name, got, c.want)
		}
	}
	l := &lanes{list: []lane{{ready: true, overdue: true}}}
	if got := l.next(true); got != -1 {
		t.Errorf("a spare turn is that of %d, which has an overdue job", got)
	}
}

// TestLateLane: a lane that had no jobs for a while does not get
// that time later. A lane with a job in progress keeps its claim.
func TestLateLane(t *testing.T) {
	l := newLanes(3)
	l.want(0, false, true)
	l.begin(2, false, 1)
	for range 50 {
		l.begin(0, true, 0)
		l.charge(0, 1)
		l.end(0)
	}
	l.want(1, false, true)
	l.want(2, false, true)
	if got := fmt.Sprint(l.list[0].time, l.list[1].time, l.list[2].time); got != "50 49 1" {
		t.Errorf("the lanes have the times %s, want 50 49 1", got)
	}
	l.charge(0, -7.5) // charged too much
	if got := l.list[0].time; got != 42.5 {
		t.Errorf("it has the time %v, want 42.5", got)
	}
}

// TestWeights: half of the time is distributed by the speed of steps, the other half by newly covered
// orders. Properties whose search has ended get no time.
func TestWeights(t *testing.T) {
	alike := pace{open: true, seconds: 8, steps: 8e6}
	shows := alike
	shows.fresh = 80
	heavy := pace{open: true, seconds: 8, steps: 8e3} // a step takes 1,000 times as long
	double := pace{open: true, seconds: 16, steps: 8e6}
	for _, c := range []struct {
		name  string
		paces []pace
		want  string
	}{
		{"alike", []pace{alike, alike}, "1.00 1.00"},
		{"unknown", []pace{{open: true}, {open: true}}, "1.00 1.00"},
		{"one closed", []pace{alike, {}, alike}, "1.00 x 1.00"},
		{"one shows more", []pace{alike, shows}, "0.58 1.42"},
		{"one takes twice as long", []pace{alike, double}, "1.05 0.95"},
		{"one is slow", []pace{alike, alike, heavy}, "1.40 1.40 0.20"},
	} {
		l := newLanes(len(c.paces))
		for i := range l.list {
			l.list[i].weight = math.NaN()
		}
		l.weigh(c.paces)
		var got []string
		for _, a := range l.list {
			text := fmt.Sprintf("%.2f", a.weight)
			got = append(got, strings.Replace(text, "NaN", "x", 1))
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%s: the weights are %s, want %s", c.name, text, c.want)
		}
	}
}
