package trace

import (
	"math"
	"strings"
	"testing"
)

// TestStrikes checks the name of each strike and where it is shown: below the
// step that caused it, or, if the test caused it, between the steps.
func TestStrikes(t *testing.T) {
	b := newBuilder()
	n1, n2 := b.spawn(None, "n"), b.spawn(None, "n")
	first := b.receive(b.send(None, n1, flush{}))
	b.rest()
	b.receive(b.send(None, n2, flush{}))
	b.rest()
	for _, x := range []struct {
		strike Strike
		want   string
	}{
		{Strike{Kind: Crash, From: n1, To: None}, "crash of n.1"},
		{Strike{Kind: Restart, From: n1, To: None}, "restart of n.1"},
		{Strike{Kind: Restart, From: n2, To: None, Lost: true}, "restart of n.2, its state lost"},
		{Strike{Kind: Partition, From: None, To: None, Groups: [][]int32{{n1, Test}, {n2}}}, "partition of n.1, test | n.2"},
		{Strike{Kind: Heal, From: None, To: None}, "all links are healed"},
		{Strike{Kind: Cut, From: n1, To: n2}, "cut from n.1 to n.2"},
		{Strike{Kind: Loss, From: n1, To: n2, N: 1}, "loss of the next message from n.1 to n.2"},
		{Strike{Kind: Loss, From: n1, To: n2, N: 2}, "loss of the next 2 messages from n.1 to n.2"},
		{Strike{Kind: Loss, From: n1, To: n2, N: math.MaxInt}, "loss of all messages from n.1 to n.2"},
		{Strike{Kind: Loss, From: n1, To: n2}, "end of loss from n.1 to n.2"},
		{Strike{Kind: Delay, From: n1, To: n2, N: 5e6}, "delay of 5ms from n.1 to n.2"},
		{Strike{Kind: Delay, From: n1, To: n2}, "end of delay from n.1 to n.2"},
	} {
		for _, at := range []struct {
			step, after   int32
			before, below string // before is the line above the strike, below is the line under the strike
		}{
			{None, 0, "", "n.1"}, {first, 1, "n.1", "at rest"}, {None, 1, "at rest", "n.2"}, {None, 2, "n.2", ""},
		} {
			x.strike.Step, x.strike.After = at.step, at.after
			b.Strikes = []Strike{x.strike}
			for what, text := range map[string]string{"chart": b.Chart(), "text": b.Text(), "diagram": b.Mermaid(), "log": b.ShiViz()} {
				want := "fault: " + x.want
				if what == "diagram" {
					want = mermaidText(want)
				}
				before, below, found := strings.Cut(text, want+"\n")
				if !found || strings.Contains(below, want) {
					t.Fatalf("%s: %q is not there once:\n%s", what, want, text)
				}
				if what == "chart" && !(strings.Contains(lastLine(before), at.before) && strings.Contains(firstLine(below), at.below)) {
					t.Errorf("%s after %d steps is out of its place:\n%s", want, at.after, text)
				}
			}
		}
	}
}

// lastLine returns the last whole line of a text.
func lastLine(text string) string {
	lines := strings.Split(text, "\n")
	return lines[max(0, len(lines)-2)]
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
