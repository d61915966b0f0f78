package trace

import (
	"regexp"
	"testing"
	"time"
)

// A diffTest edits the trace of the writer and has the expected difference from
// the original. Its steps are 0: action ← execute, 1: terminator ← done, 2:
// writer ← flush, 3: writer ← write(1).
type diffTest struct {
	name string
	step int
	only string
	edit func(*Trace)
	want string
}

func TestDiffOfSteps(t *testing.T) {
	runDiffTests(t, []diffTest{
		{"another step", 2, "", func(t *Trace) { t.Steps[2], t.Steps[3] = t.Steps[3], t.Steps[2] },
			"step 2: writer#1 ← flush in the first run, writer#1 ← write(1) in the second"},
		{"same look, another sender", 0, "", func(t *Trace) {
			t.Steps[0].ID++
			t.Sends[0].From = 2
		}, "step 0: action#1 ← execute from test, sent by test in the first run, " +
			"action#1 ← execute from terminator, sent by test in the second"},
		{"same look, another identity", 2, "", func(t *Trace) { t.Steps[2].ID = 0x2a },
			"step 2: writer#1 ← flush from terminator, sent at step 1 (identity ID) in the first run, " +
				"writer#1 ← flush from terminator, sent at step 1 (identity 000000000000002a) in the second"},
		{"a fault", 3, "", func(t *Trace) { t.Steps[3] = Step{Send: None, Actor: 3, Kind: Crash} },
			"step 3: writer#2 ← write(1) in the first run, crash of action in the second"},
		{"contents of what the test sent", 0, "contents", func(t *Trace) { t.Sends[0].Body = result{2} },
			"step 0, contents only: action#1 ← execute in the first run, action#1 ← result(2) in the second"},
		{"contents of what a step sent", 0, "contents", func(t *Trace) { t.Sends[1].Body = write{2} },
			"step 0, contents only: action#1 ← execute sends write(1) to writer in the first run, " +
				"action#1 ← execute sends write(2) to writer in the second"},
		{"time", 1, "time", func(t *Trace) { t.Steps[1].Time = int64(time.Second) },
			"step 1, time only: terminator#1 ← done at 0s in the first run, terminator#1 ← done at 1s in the second"},
		{"handlers", 1, "handlers", func(t *Trace) { t.Steps[1].Changed = true },
			"step 1, handlers only: terminator#1 ← done keeps its handlers in the first run, " +
				"terminator#1 ← done changes handlers in the second"},
		{"start-up", 0, "start-up", func(t *Trace) { t.Steps[0].Settled = true },
			"step 0, start-up only: action#1 ← execute after start-up in the first run, " +
				"action#1 ← execute in start-up in the second"},
	})
}

func TestDiffOfDeeds(t *testing.T) {
	runDiffTests(t, []diffTest{
		{"one send more", 1, "", func(t *Trace) { t.Sends = append(t.Sends, Send{Body: flushed{}, Step: 1, To: 3}) },
			"step 1: terminator#1 ← done sends no more in the first run, terminator#1 ← done sends flushed to action in the second"},
		{"another send", 1, "", func(t *Trace) {
			t.Sends = append(t.Sends, Send{Body: flushed{}, Step: 1, To: 3}, t.Sends[3])
			t.Sends[3].Step, t.Steps[2].Send = 2, 5
		}, "step 1: terminator#1 ← done sends flush to writer in the first run, " +
			"terminator#1 ← done sends flushed to action in the second"},
		{"a send of another identity", 1, "", func(t *Trace) { t.Sends[3].ID = 1 },
			"step 1: terminator#1 ← done sends flush to writer (identity ID) in the first run, " +
				"terminator#1 ← done sends flush to writer (identity 0000000000000001) in the second"},
		{"a spawn", 1, "", func(t *Trace) { t.Actors = append(t.Actors, Actor{Label: "helper", Step: 1}) },
			"step 1: terminator#1 ← done spawns no more in the first run, terminator#1 ← done spawns helper in the second"},
		{"a spawn that renames", 3, "", func(t *Trace) { t.Actors = append(t.Actors, Actor{Label: "writer", Step: 3}) },
			"step 3: writer#2 ← write(1) spawns no more in the first run, writer.1#2 ← write(1) spawns writer.2 in the second"},
		{"a fault by a Nemesis", 2, "", func(t *Trace) { t.Strikes = append(t.Strikes, Strike{Step: 2, After: 3, Kind: Cut, From: 1, To: 3}) },
			"step 2: writer#1 ← flush causes no more in the first run, writer#1 ← flush causes cut from writer to action in the second"},
		{"a note", 2, "", func(t *Trace) { t.Notes = append(t.Notes, Note{Step: 2, Actor: 1, Text: "a\nb"}) },
			"step 2: writer#1 ← flush notes no more in the first run, writer#1 ← flush notes \"a\\nb\" in the second"},
	})
}

func TestDiffOfEnds(t *testing.T) {
	runDiffTests(t, []diffTest{
		{"shorter", 3, "", func(t *Trace) {
			t.Steps = t.Steps[:3]
		}, "step 3: writer#2 ← write(1) in the first run, the end in the second"},
		{"a send of the test", -1, "", func(t *Trace) { t.Sends = append(t.Sends, Send{Body: 5, Step: None, To: 3}) },
			"at the end: test sends no more in the first run, test sends 5 to action in the second"},
		{"a spawn of the test", -1, "", func(t *Trace) { t.Actors = append(t.Actors, Actor{Label: "spare", Step: None}) },
			"at the end: test spawns no more in the first run, test spawns spare in the second"},
		{"a note of the test", -1, "", func(t *Trace) { t.Notes = append(t.Notes, Note{Step: None, Text: "ok"}) },
			"at the end: test notes no more in the first run, test notes \"ok\" in the second"},
		{"a rest", -1, "", func(t *Trace) { t.Rests = append(t.Rests, 4) },
			"at the end: no more rest in the first run, at rest after 4 steps in the second"},
		{"an earlier rest", -1, "", func(t *Trace) { t.Rests[0] = 3 },
			"at the end: at rest after 4 steps in the first run, at rest after 3 steps in the second"},
	})
}

// identityOf matches an identity in the text of a Difference. The tests replace
// each by "ID", because identities are arbitrary.
var identityOf = regexp.MustCompile(`(ID|[0-9a-f]{16})\)`)

func runDiffTests(t *testing.T, tests []diffTest) {
	t.Helper()
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			a, b := writerTrace(), writerTrace()
			test.edit(b)
			d, differ := Diff(a, b)
			got := identityOf.ReplaceAllString(d.String(), "ID)")
			if !differ || got != identityOf.ReplaceAllString(test.want, "ID)") || d.Step != test.step || d.Only != test.only {
				t.Errorf("%v at step %d, %q only:\n%s, expected\n%s", differ, d.Step, d.Only, got, test.want)
			}
			if d.A == d.B {
				t.Errorf("both runs read %q", d.A)
			}
			if _, differ := Diff(b, a); !differ {
				t.Error("the other way round there is no difference")
			}
		})
	}
}

func TestDiffOfWhatIsLeft(t *testing.T) {
	a, b := storyTrace(), storyTrace()
	left := len(b.Sends) - 2
	b.Sends[left].Fate = Dropped
	d, differ := Diff(a, b)
	want := `at the end: leader ──set(key: "k", v: ping)──▶ follower.1 pending in the first run, ` +
		`leader ──set(key: "k", v: ping)──▶ follower.1 dropped in the second`
	if !differ || d.String() != want {
		t.Errorf("%v: %s, expected %s", differ, d, want)
	}
}

// TestDiffOfPeriodicTimers: if a timer fires once more, the difference is not
// in the step that set it long before.
func TestDiffOfPeriodicTimers(t *testing.T) {
	ticks := func(n int) *Trace {
		b := newBuilder()
		clock := b.spawn(None, "clock")
		set := b.receive(b.send(None, clock, "go"))
		for range n {
			b.receive(b.sendKind(Periodic, set, clock, tick(1)))
		}
		return b.Trace
	}
	d, differ := Diff(ticks(2), ticks(3))
	if want := "step 3: the end in the first run, clock#4 ← tick(1) in the second"; !differ || d.String() != want {
		t.Errorf("%v: %s, expected %s", differ, d, want)
	}
}

// TestDiffOfSame: a trace does not differ from itself, nor from one that
// differs from it only in parts that Diff does not compare.
func TestDiffOfSame(t *testing.T) {
	for seed := range uint64(300) {
		a, b := newRandomTrace(seed), newRandomTrace(seed)
		if d, differ := Diff(a, b); differ {
			t.Fatalf("random trace %d: %s", seed, d)
		}
	}
	a, b := storyTrace(), storyTrace()
	a.Sends[1].Body, b.Sends[1].Body = &write{1}, &write{1} // other pointers
	if d, differ := Diff(a, b); differ {
		t.Error(d)
	}
	if d, differ := Diff(&Trace{}, &Trace{}); differ {
		t.Error(d)
	}
}

// TestUnrecorded: the trace of an unrecorded run has only actors and notes,
// and the notes refer to steps that are missing in the trace.
func TestUnrecorded(t *testing.T) {
	unrecorded := func() *Trace {
		trace := storyTrace()
		trace.Steps, trace.Sends = nil, nil
		return trace
	}
	a, b := unrecorded(), unrecorded()
	if d, differ := Diff(a, b); differ {
		t.Error(d)
	}
	b.Notes[1].Text = "chose 2 of 3"
	want := `at the end: test notes "chose 1 of 3" in the first run, test notes "chose 2 of 3" in the second`
	if d, differ := Diff(a, b); !differ || d.String() != want {
		t.Errorf("%v: %s, expected %s", differ, d, want)
	}
	for _, render := range []func(*Trace) string{(*Trace).Text, (*Trace).Chart, (*Trace).Mermaid, (*Trace).ShiViz} {
		render(a)
	}
}

// TestDiffFindsEveryEdit: Diff names the one step of a random trace that was
// changed.
func TestDiffFindsEveryEdit(t *testing.T) {
	for seed := range uint64(50) {
		for i := range newRandomTrace(seed).Steps {
			a, b := newRandomTrace(seed), newRandomTrace(seed)
			b.Steps[i].ID++
			if d, differ := Diff(a, b); !differ || d.Step != i {
				t.Fatalf("random trace %d, changed in step %d: %v, %s", seed, i, differ, d)
			}
		}
	}
}
