package trace

import "testing"

const randomTraces = 4000

// An oracle has the happens-before relation of a trace as a matrix, computed by
// Warshall's algorithm. It is independent of the two implementations under
// test.
type oracle struct {
	*Trace
	before [][]bool
}

func newOracle(t *Trace) *oracle {
	n := len(t.Steps)
	o := &oracle{Trace: t, before: make([][]bool, n)}
	for i := range n {
		o.before[i] = make([]bool, n)
	}
	for i, step := range t.Steps {
		if step.Prev >= 0 {
			o.before[step.Prev][i] = true
		}
		if step.Kind == Receive && t.Sends[step.Send].Step >= 0 {
			o.before[t.Sends[step.Send].Step][i] = true
		}
	}
	for _, rest := range t.Rests {
		for i := range int(rest) {
			for j := int(rest); j < n; j++ {
				o.before[i][j] = true
			}
		}
	}
	for k := range n {
		for i := range n {
			for j := range n {
				o.before[i][j] = o.before[i][j] || o.before[i][k] && o.before[k][j]
			}
		}
	}
	return o
}

func (o *oracle) swappable(a, b int) bool {
	x, y := o.Steps[a], o.Steps[b]
	if a >= b || x.Kind != Receive || y.Kind != Receive || x.Actor != y.Actor {
		return false
	}
	for _, rest := range o.Rests {
		if a < int(rest) && int(rest) <= b {
			return false
		}
	}
	sent := o.Sends[y.Send].Step
	knew := sent == int32(a) || sent >= 0 && o.before[a][sent]
	return !knew && (o.Unordered || channelOf(o.Sends[x.Send]) != channelOf(o.Sends[y.Send]))
}

// channelOf returns the sender of a message's channel, or nobody for a timer.
func channelOf(s Send) int32 {
	if s.Kind == Timer || s.Kind == Periodic {
		return None
	}
	return s.From
}

// A relation is a predicate of two steps of a trace.
type relation func(t *Trace) func(a, b int) bool

func before(t *Trace) func(a, b int) bool    { return newOracle(t).at }
func swappable(t *Trace) func(a, b int) bool { return newOracle(t).swappable }

func (o *oracle) at(a, b int) bool { return o.before[a][b] }

// disagreement searches random traces for two steps for which got and
// want differ.
func disagreement(got, want relation) (seed uint64, a, b int, found bool) {
	for seed := range uint64(randomTraces) {
		trace := newRandomTrace(seed)
		g, w := got(trace), want(trace)
		for a := range trace.Steps {
			for b := range trace.Steps {
				if g(a, b) != w(a, b) {
					return seed, a, b, true
				}
			}
		}
	}
	return 0, 0, 0, false
}

func TestRelationsAgreeWithClosure(t *testing.T) {
	tests := []struct {
		name      string
		got, want relation
	}{
		{"HappensBefore", func(t *Trace) func(a, b int) bool { return t.HappensBefore }, before},
		{"Swappable", func(t *Trace) func(a, b int) bool { return t.Swappable }, swappable},
		{"Causality.Before", func(t *Trace) func(a, b int) bool { return NewCausality(t).Before }, before},
		{"Causality.Swappable", func(t *Trace) func(a, b int) bool { return NewCausality(t).Swappable }, swappable},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if seed, a, b, found := disagreement(test.got, test.want); found {
				t.Errorf("wrong about steps %d and %d of random trace %d:\n%s", a, b, seed, newRandomTrace(seed).Text())
			}
		})
	}
}

// TestWrongRelationsAreFound checks that the random traces are rich enough:
// for each likely mistake, some pair of steps shows it.
func TestWrongRelationsAreFound(t *testing.T) {
	// edited returns the relation of a trace from which edit has removed something.
	edited := func(want relation, edit func(*Trace)) relation {
		return func(t *Trace) func(a, b int) bool {
			c := t.Clone()
			edit(c)
			return want(c)
		}
	}
	noRests := func(t *Trace) { t.Rests = nil }
	noPrev := func(t *Trace) {
		for i := range t.Steps {
			t.Steps[i].Prev = None
		}
	}
	noCause := func(t *Trace) {
		for i := range t.Sends {
			t.Sends[i].Step = None
		}
	}
	otherOrder := func(t *Trace) { t.Unordered = !t.Unordered }
	// sentAtReceipt is wrong: it asks whether a happens before b, not before the sending of b.
	sentAtReceipt := func(t *Trace) func(a, b int) bool {
		return func(a, b int) bool { return t.Swappable(a, b) && !t.HappensBefore(a, b) }
	}
	// senderForgotten is wrong: it ignores that the sending step happens before the receipt.
	senderForgotten := func(t *Trace) func(a, b int) bool {
		return func(a, b int) bool { return t.contend(a, b) && !t.HappensBefore(a, int(t.cause(b))) }
	}
	// bySender is wrong: it treats a timer as a message that its actor sent to itself.
	bySender := func(t *Trace) {
		for i := range t.Sends {
			t.Sends[i].Kind = Message
		}
	}
	tests := []struct {
		name        string
		wrong, want relation
	}{
		{"before without rests", edited(before, noRests), before},
		{"before without the actor's previous step", edited(before, noPrev), before},
		{"before without the sender's step", edited(before, noCause), before},
		{"swappable without rests", edited(swappable, noRests), swappable},
		{"swappable without the sender's step", edited(swappable, noCause), swappable},
		{"swappable by the other order of channels", edited(swappable, otherOrder), swappable},
		{"swappable with timers as messages", edited(swappable, bySender), swappable},
		{"swappable by the receipt", sentAtReceipt, swappable},
		{"swappable although a sent b's message", senderForgotten, swappable},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if _, _, _, found := disagreement(test.wrong, test.want); !found {
				t.Errorf("%d random traces do not tell it from the right one", randomTraces)
			}
		})
	}
}

// TestTimerIsSentWhenSet: steps between the setting of a timer and its firing
// can be swapped with the firing; steps before the setting cannot.
func TestTimerIsSentWhenSet(t *testing.T) {
	b := newBuilder()
	a, other := b.spawn(None, "a"), b.spawn(None, "other")
	first := b.receive(b.send(None, a, 1))
	tick := b.sendKind(Timer, first, a, 2)
	relay := b.receive(b.send(None, other, 3))
	between := b.receive(b.send(relay, a, 4))
	fired := b.receive(tick)
	if b.Swappable(int(first), int(fired)) {
		t.Error("a timer can fire before the step that sets it")
	}
	if !b.Swappable(int(between), int(fired)) {
		t.Error("a timer cannot fire earlier than the message that it waited for")
	}
	if !b.HappensBefore(int(first), int(fired)) || b.HappensBefore(int(relay), int(first)) {
		t.Error("wrong order around the timer")
	}
}

func TestOutsideTheTrace(t *testing.T) {
	trace := newRandomTrace(1)
	c := NewCausality(trace)
	last := len(trace.Steps) - 1
	for _, pair := range [][2]int{{-1, 0}, {-1, last}, {0, -1}, {last, -1}, {-1, -1}, {0, 0}, {last, 0}} {
		a, b := pair[0], pair[1]
		if trace.HappensBefore(a, b) || trace.Swappable(a, b) || c.Before(a, b) || c.Swappable(a, b) {
			t.Errorf("steps %d and %d are ordered", a, b)
		}
	}
}

// pingPong is a long trace of two chains that do not influence each other. Two
// actors take turns in the first.
func pingPong(steps int) *Trace {
	b := newBuilder()
	ping, pong, idle := b.spawn(None, "ping"), b.spawn(None, "pong"), b.spawn(None, "idle")
	step := b.receive(b.send(None, ping, 0))
	alone := b.receive(b.send(None, idle, 0))
	for i := range steps {
		to := [2]int32{pong, ping}[i%2]
		step = b.receive(b.send(step, to, i))
		alone = b.receive(b.send(alone, idle, i))
	}
	return b.Trace
}

func TestFarApart(t *testing.T) {
	trace := pingPong(10000)
	last := len(trace.Steps) - 2
	c := NewCausality(trace)
	if !trace.HappensBefore(0, last) || !c.Before(0, last) {
		t.Error("the first ping does not happen before the last")
	}
	if trace.HappensBefore(1, last) || c.Before(1, last) {
		t.Error("a chain of its own happens before the pings")
	}
}

func TestHappensBeforeAllocatesNothing(t *testing.T) {
	trace := pingPong(1000)
	if n := testing.AllocsPerRun(10, func() {
		trace.HappensBefore(1, len(trace.Steps)-2)
		trace.Swappable(0, len(trace.Steps)-2)
	}); n != 0 {
		t.Errorf("HappensBefore allocates %v times", n)
	}
	c := NewCausality(trace)
	if n := testing.AllocsPerRun(10, func() { c.Reset(trace) }); n != 0 {
		t.Errorf("Causality.Reset allocates %v times", n)
	}
}

func BenchmarkHappensBefore(b *testing.B) {
	trace := pingPong(1000)
	for b.Loop() {
		trace.HappensBefore(1, 2000)
	}
}

func BenchmarkCausality(b *testing.B) {
	trace := pingPong(1000)
	c := NewCausality(trace)
	b.Run("Reset", func(b *testing.B) {
		for b.Loop() {
			c.Reset(trace)
		}
	})
	b.Run("Before", func(b *testing.B) {
		for b.Loop() {
			c.Before(1, 2000)
		}
	})
}
