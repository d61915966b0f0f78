package trace

import "testing"

func TestStepLabel(t *testing.T) {
	story := storyTrace()
	tests := []struct {
		trace *Trace
		step  int
		want  string
	}{
		{writerTrace(), -1, "test"},
		{writerTrace(), 0, "action#1 ← execute"},
		{writerTrace(), 1, "terminator#1 ← done"},
		{writerTrace(), 2, "writer#1 ← flush"},
		{writerTrace(), 3, "writer#2 ← write(1)"},
		{story, 0, `client: #1; "x"#1 ← start`},
		{story, 9, "leader#2 ← tick(1)"},
		{story, 10, "crash of follower.2"},
		{story, 11, "leader#3 ← down"},
		{story, 13, "partition of leader"},
		{story, 15, `client: #1; "x"#3 ← kill`},
	}
	for _, test := range tests {
		if got := test.trace.StepLabel(test.step); got != test.want {
			t.Errorf("StepLabel(%d) is %s, expected %s", test.step, got, test.want)
		}
	}
}

// TestFaultsTakeNoNumber: only receives count when an actor's steps are
// numbered. StepLabel returns the label that renderings print.
func TestFaultsTakeNoNumber(t *testing.T) {
	b := newBuilder()
	a := b.spawn(None, "a")
	b.receive(b.send(None, a, 1))
	b.fault(Crash, a)
	b.fault(Restart, a)
	b.receive(b.send(None, a, 2))
	r := newReading(b.Trace)
	for i, want := range []string{"a#1 ← 1", "crash of a", "restart of a", "a#2 ← 2"} {
		if b.StepLabel(i) != want || r.step(i) != want {
			t.Errorf("step %d is %s and %s, expected %s", i, b.StepLabel(i), r.step(i), want)
		}
	}
}

// TestSystemMessages: a system message is shown by its body if it has one, else
// by its kind. A message of the program is always shown by its body.
func TestSystemMessages(t *testing.T) {
	tests := []struct {
		kind SendKind
		body any
		want string
	}{
		{Message, nil, "nil"}, {Reply, nil, "nil"}, {Copy, nil, "nil"},
		{Start, nil, "start"}, {Timer, nil, "timer"}, {Periodic, nil, "periodic"},
		{Down, nil, "down"}, {Kill, nil, "kill"},
		{Down, write{1}, "write(1)"}, {Timer, flush{}, "flush"},
	}
	for _, test := range tests {
		if got := (&Send{Kind: test.kind, Body: test.body}).Label(); got != test.want {
			t.Errorf("%v of %v is %s, expected %s", test.kind, test.body, got, test.want)
		}
	}
}
