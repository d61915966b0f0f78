package trace

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
)

// shivizPattern is the first line of the log. It tells ShiViz how to parse the
// log.
const shivizPattern = `(?<host>\S*) (?<clock>{.*})\n(?<event>.*)`

// ShiViz returns t as a log for ShiViz
// (https://bestchai.bitbucket.io/shiviz), which opens the file without settings.
// The first line is the parse pattern. The empty second line means that the log
// contains one run. props.T.Attach can save the log with a failing case.
//
// Every step is an event of its actor. The test is a host with an event for its
// start, for each quiescent point ("at rest") and for each fault that the test
// causes with a pulse.Nemesis. The clocks order events exactly as HappensBefore
// does.
func (t *Trace) ShiViz() string {
	l := newShivizLog(t)
	l.event(Test, l.fresh(), "start")
	rests, came := t.Rests, false
	for i := range t.Steps {
		if came, rests = skipRests(rests, i); came {
			l.rest(i)
		}
		l.testStrikes(i)
		l.step(i)
	}
	if len(rests) > 0 {
		l.rest(len(t.Steps))
	}
	l.testStrikes(len(t.Steps))
	return l.text.String()
}

// A shivizLog is a log being written. Element i of a vector clock is the number
// of known events of actor i.
type shivizLog struct {
	*reading
	hosts  []string // unique names of the actors in the log
	clocks [][]int32
	test   []int32 // the clock of the test's last event
	rested int     // the number of steps before the last quiescent point
	left   []Strike
	text   strings.Builder
}

func newShivizLog(t *Trace) *shivizLog {
	l := &shivizLog{reading: newReading(t), clocks: make([][]int32, len(t.Steps))}
	l.hosts, l.left = shivizHosts(l.names), t.Strikes
	fmt.Fprintf(&l.text, "%s\n\n", shivizPattern)
	return l
}

func (l *shivizLog) fresh() []int32 { return make([]int32, max(len(l.Actors), 1)) }

// step writes step i. Its clock is the join of the clocks of its predecessors and
// of the test's clock at the last quiescent point.
func (l *shivizLog) step(i int) {
	step := &l.Steps[i]
	clock := l.fresh()
	join(clock, l.test)
	if step.Prev != None {
		join(clock, l.clocks[step.Prev])
	}
	if cause := l.cause(i); cause != None {
		join(clock, l.clocks[cause])
	}
	text := l.reading.step(i)
	for _, x := range l.strikes(int32(i), i) {
		text += "; " + l.strike(&x)
	}
	l.event(step.Actor, clock, text)
	l.clocks[i] = clock
}

// strikes removes from l.left the faults that step caused with a pulse.Nemesis,
// and returns these faults. If step is None, the faults are those that the test
// caused before step number limit.
func (l *shivizLog) strikes(step int32, limit int) (these []Strike) {
	these, l.left = strikesOf(l.left, step, limit)
	return these
}

// testStrikes writes an event for each fault that the test caused before step
// number limit.
func (l *shivizLog) testStrikes(limit int) {
	for _, x := range l.strikes(None, limit) {
		clock := l.fresh()
		join(clock, l.test)
		l.event(Test, clock, l.strike(&x))
	}
}

// rest writes an "at rest" event of the test, which happens after the first n
// steps. It writes nothing if no step was taken since the last quiescent point.
func (l *shivizLog) rest(n int) {
	if n == l.rested {
		return
	}
	clock := l.fresh()
	join(clock, l.test)
	for _, known := range l.clocks[l.rested:n] {
		join(clock, known)
	}
	l.rested = n
	l.event(Test, clock, restLine)
}

// event increments the actor's element of its clock and writes the event.
func (l *shivizLog) event(actor int32, clock []int32, text string) {
	clock[actor]++
	if actor == Test {
		l.test = clock
	}
	fmt.Fprintf(&l.text, "%s %s\n%s\n", l.host(actor), l.clock(clock), text)
}

func (l *shivizLog) host(actor int32) string {
	if int(actor) < len(l.hosts) {
		return l.hosts[actor]
	}
	return testName
}

// clock returns a vector clock as JSON. The elements are in the order of the
// actors.
func (l *shivizLog) clock(clock []int32) string {
	var b strings.Builder
	before := "{"
	for actor, n := range clock {
		if n == 0 {
			continue
		}
		host, _ := json.Marshal(l.host(int32(actor))) // never fails for a string
		fmt.Fprintf(&b, "%s%s:%d", before, host, n)
		before = ", "
	}
	return b.String() + "}"
}

// shivizHosts returns unique names without spaces for the actors.
func shivizHosts(names Names) []string {
	hosts := make([]string, len(names))
	taken := map[string]bool{}
	for i, name := range names {
		host := strings.Map(noSpace, name)
		for taken[host] {
			host += "'"
		}
		taken[host] = true
		hosts[i] = host
	}
	return hosts
}

func noSpace(r rune) rune {
	if unicode.IsSpace(r) {
		return '_'
	}
	return r
}
