package trace

import (
	"fmt"
	"strings"
	"testing"
)

type writing struct{}

func (writing) String() string { return "write" }

// TestChartOfDesign checks the chart of the writer, the project's first example.
func TestChartOfDesign(t *testing.T) {
	b := newBuilder()
	writer, terminator := b.spawn(None, "writer"), b.spawn(None, "terminator")
	action := b.spawn(None, "action")
	b.spawn(None, "action")
	acted := b.receive(b.send(None, action, execute{}))
	write := b.send(acted, writer, writing{})
	ended := b.receive(b.send(acted, terminator, done{}))
	b.receive(b.send(ended, writer, flush{}))
	b.receive(write)
	want := strings.Join([]string{
		"0  test ──execute──▶ action.1",
		"1  action.1 ──done──▶ terminator",
		"2  terminator ──flush──▶ writer",
		"3  action.1 ──write──▶ writer          ← sent first, received last",
		"",
	}, "\n")
	if got := b.Chart(); got != want {
		t.Errorf("got\n%sexpected\n%s", got, want)
	}
}

// A doing is an operation by which an actor goes on.
type doing string

func (d doing) String() string { return string(d) }
func (doing) IsOperation()     {}

// TestChartOfOperations: an actor's own operations need no arrow. A step that another actor takes meanwhile
// is said to preempt it. A long chart keeps the last of the steps that an actor takes one after another, and
// those with remarks.
func TestChartOfOperations(t *testing.T) {
	b := newBuilder()
	a, c := b.spawn(None, "a"), b.spawn(None, "c")
	seq := int32(0)
	goesOn := func(step int32, what string) int32 {
		send := b.send(step, b.actorOf(step), doing(what))
		seq--
		b.Sends[send].Seq = seq
		return send
	}
	step := b.receive(b.send(None, a, doing("start")))
	other := b.send(step, c, doing("start"))
	lock := goesOn(step, "lock")
	woken := b.receive(other)
	b.receive(lock)
	b.receive(b.send(woken, a, doing("after receive")))
	const short = "0  test ──start──▶ a\n1  a ──start──▶ c              ← preempts a\n2  a  lock\n3  c ──after receive──▶ a\n"
	if got := b.Chart(); got != short {
		t.Errorf("got\n%sexpected\n%s", got, short)
	}
	for i := range int32(20) {
		b.receive(goesOn(3+i, fmt.Sprint("send ", i)))
	}
	got := b.ChartWith(ChartOptions{Failed: 13}).Text(0)
	if want := strings.NewReplacer("0  test", " 0  test", "1  a ──", " 1  a ──", "2  a", " 2  a", "3  c", " 3  c").Replace(short) +
		"    … 8 more steps of a\n12  a  send 8\n13  a  send 9                   ✗ fails here\n    … 9 more steps of a\n23  a  send 19\n"; got != want {
		t.Errorf("got\n%sexpected\n%s", got, want)
	}
	if n, _ := b.Preemptions(); n != 1 {
		t.Errorf("%d preemptions", n)
	}
}

// TestChartOfFailure: the step in which a run failed has a mark behind its
// other remarks.
func TestChartOfFailure(t *testing.T) {
	b := newBuilder()
	a, c := b.spawn(None, "a"), b.spawn(None, "c")
	first := b.receive(b.send(None, a, 1))
	late := b.send(first, c, 2)
	b.receive(b.send(None, c, 3))
	b.receive(late)
	for failed, want := range map[int]string{
		-1: "0  test ──1──▶ a\n1  test ──3──▶ c\n2  a ──2──▶ c          ← sent first, received last\n",
		1:  "0  test ──1──▶ a\n1  test ──3──▶ c       ✗ fails here\n2  a ──2──▶ c          ← sent first, received last\n",
		2:  "0  test ──1──▶ a\n1  test ──3──▶ c\n2  a ──2──▶ c          ← sent first, received last ✗ fails here\n",
	} {
		if got := b.ChartWith(ChartOptions{Failed: failed}).Text(0); got != want {
			t.Errorf("failed in %d:\n%s", failed, got)
		}
	}
}

// TestOvertakings sends the messages 1, 2, 3, … to one actor, each from the
// given sender (0 is the test). The actor receives them in some order.
func TestOvertakings(t *testing.T) {
	const timer = 9 // as a sender
	tests := []struct {
		name      string
		senders   []int32
		order     []int
		unordered bool
		want      map[int]string // by message
	}{
		{"as sent", []int32{1, 2, 3}, []int{1, 2, 3}, false, nil},
		{"one alone", []int32{1}, []int{1}, false, nil},
		{"two turned around", []int32{1, 2}, []int{2, 1}, false,
			map[int]string{1: "← sent first, received last"}},
		{"first sent comes last", []int32{1, 2, 3}, []int{2, 3, 1}, false,
			map[int]string{1: "← sent first, received last"}},
		{"all turned around", []int32{1, 2, 3, 4}, []int{4, 3, 2, 1}, false,
			map[int]string{3: "← overtaken by 4", 2: "← overtaken by 4 and 1 more", 1: "← sent first, received last"}},
		{"named is the first received", []int32{1, 2, 3, 1}, []int{3, 2, 1, 4}, false,
			map[int]string{2: "← overtaken by 3", 1: "← overtaken by 3 and 1 more"}},
		{"first sent, but not last received", []int32{1, 2, 3}, []int{2, 1, 3}, false,
			map[int]string{1: "← overtaken by 2"}},
		{"last received, but not first sent", []int32{1, 2, 3}, []int{1, 3, 2}, false,
			map[int]string{2: "← overtaken by 3"}},
		{"of one channel", []int32{1, 1}, []int{2, 1}, false, nil},
		{"of one channel, unordered", []int32{1, 1}, []int{2, 1}, true,
			map[int]string{1: "← sent first, received last"}},
		{"only other channels count", []int32{1, 1, 2}, []int{2, 3, 1}, false,
			map[int]string{2: "", 1: "← sent first, received last"}},
		{"a timer is never overtaken", []int32{timer, 1}, []int{2, 1}, false, nil},
		{"a timer overtakes", []int32{1, timer}, []int{2, 1}, false,
			map[int]string{1: "← sent first, received last"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b := newBuilder()
			b.Unordered = test.unordered
			to := b.spawn(None, "receiver")
			steps := []int32{None}
			for range 4 {
				steps = append(steps, b.receive(b.send(None, b.spawn(None, "sender"), "go")))
			}
			sends := []int32{None}
			for i, sender := range test.senders {
				if sender == timer {
					sends = append(sends, b.sendKind(Timer, None, to, i+1))
					b.Sends[sends[i+1]].From = to
					continue
				}
				sends = append(sends, b.send(steps[sender], to, i+1))
			}
			var received []int32
			for _, message := range test.order {
				received = append(received, b.receive(sends[message]))
			}
			remarks := newReading(b.Trace).overtakings()
			for i, message := range test.order {
				if got := remarks[received[i]].Text; got != test.want[message] {
					t.Errorf("message %d: remark %q, expected %q", message, got, test.want[message])
				}
			}
		})
	}
}

// TestTimerOvertakesOwnMessage: the timers of an actor and its messages to itself
// use two different channels.
func TestTimerOvertakesOwnMessage(t *testing.T) {
	b := newBuilder()
	a := b.spawn(None, "a")
	step := b.receive(b.send(None, a, "go"))
	own, timer := b.send(step, a, 1), b.sendKind(Timer, step, a, 2)
	fired := b.receive(timer)
	late := b.receive(own)
	if got := newReading(b.Trace).overtakings()[late].Text; got != "← overtaken by 2" {
		t.Errorf("remark %q", got)
	}
	if !b.Swappable(int(fired), int(late)) {
		t.Error("they cannot be swapped")
	}
}

// TestStartIsNotOvertaken: no message overtakes the start of a process.
func TestStartIsNotOvertaken(t *testing.T) {
	b := newBuilder()
	client, other := b.spawn(None, "client"), b.spawn(None, "other")
	step := b.receive(b.send(None, other, 0))
	started := b.sendKind(Start, step, client, nil)
	first := b.send(None, client, 1)
	second := b.send(step, client, 2)
	b.receive(started)
	b.receive(second)
	late := b.receive(first)
	if got := newReading(b.Trace).overtakings()[late].Text; got != "← sent first, received last" {
		t.Errorf("remark %q", got)
	}
}

// TestEndlessChart checks that steps that repeat to the end of a run are shown
// once. A run of 100,000 steps used to have a chart of as many lines.
func TestEndlessChart(t *testing.T) {
	for _, period := range []int{1, 2, 3, 7} {
		b := newBuilder()
		a := b.spawn(None, "a")
		begun := b.receive(b.send(None, a, "begin"))
		for i := range 10_000 {
			begun = b.receive(b.send(begun, a, i%period))
		}
		b.send(begun, a, "never")
		lines := strings.Split(strings.TrimSuffix(b.Chart(), "\n"), "\n")
		folded := fmt.Sprintf("… these %d steps, %d times in a row", period, 10_000/period)
		if period == 1 {
			folded = "… this step, 10000 times in a row"
		}
		if n := 1 + period + 1 + 10_000%period + 1; len(lines) != n || strings.TrimSpace(lines[1+period]) != folded {
			t.Errorf("period %d: %d lines, want %d with %q:\n%s", period, len(lines), n, folded, strings.Join(lines, "\n"))
		}
		if last := lines[len(lines)-1]; !strings.Contains(last, "(never received)") {
			t.Errorf("period %d: the chart ends with %q", period, last)
		}
	}
}

// TestManyLost checks that many unreceived messages that look alike are shown
// once for each receiver. The chart of a client that repeatedly asked a
// crashed server used to have 190 lines.
func TestManyLost(t *testing.T) {
	for many, want := range map[int]int{60: 1 + 3*60, 100: 5, 10_000: 5} {
		b := newBuilder()
		a, c, twin := b.spawn(None, "a"), b.spawn(None, "c"), b.spawn(None, "c")
		begun := b.receive(b.send(None, a, "begin"))
		for range many {
			b.Sends[b.send(begun, c, "ask")].Fate = Dropped
			b.Sends[b.send(begun, twin, "ask")].Fate = Dropped
			b.send(begun, c, "tell")
		}
		if many > 60 {
			b.send(begun, c, "once")
		}
		chart := b.Chart()
		if n := strings.Count(chart, "\n"); n != want {
			t.Errorf("%d lines, want %d:\n%s", n, want, chart)
		}
		if times := fmt.Sprintf(", %d times)\n", many); many > 60 && (strings.Count(chart, "(lost"+times) != 2 || strings.Count(chart, "(never received"+times) != 1 || !strings.HasSuffix(chart, "(never received)\n")) {
			t.Errorf("want one line for each receiver, with%s:\n%s", times, chart)
		}
	}
}

// TestLongChart checks that a long run without a pattern is shown by its
// beginning and end.
func TestLongChart(t *testing.T) {
	b := newBuilder()
	a := b.spawn(None, "a")
	for i := range 5000 {
		b.receive(b.send(None, a, i*i))
	}
	chart := b.Chart()
	if n := strings.Count(chart, "\n"); n != mostRows+1 || !strings.Contains(chart, "      … 4800 lines are left out\n") {
		t.Errorf("%d lines:\n%s", n, chart)
	}
	if !strings.HasPrefix(chart, "   0  test ──0──▶ a\n") || !strings.HasSuffix(chart, "4999  test ──24990001──▶ a\n") {
		t.Errorf("the ends are not shown:\n%s", chart)
	}
}

// TestVisible checks that no control character reaches a terminal.
func TestVisible(t *testing.T) {
	if got, want := Visible("a\tb\n\x1b[31mred\r\x07ü\xff"), "a\tb\n\\x1b[31mred\\r\\aü\ufffd"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
