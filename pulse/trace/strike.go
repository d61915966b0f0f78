package trace

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// strikesOf splits list into the strikes that step caused, which come first,
// and the remaining strikes. If step is None, the first part is the strikes
// that the test caused before step number limit.
func strikesOf(list []Strike, step int32, limit int) (these, rest []Strike) {
	n := 0
	for n < len(list) && list[n].Step == step && (step != None || int(list[n].After) <= limit) {
		n++
	}
	return list[:n], list[n:]
}

// addStrikes calls add with a line for each of the strikes that strikesOf returns,
// and returns the remaining strikes. The lines are indented if a step caused them.
func (r *reading) addStrikes(add func(line string), indent string, list []Strike, step int32, limit int) (rest []Strike) {
	these, rest := strikesOf(list, step, limit)
	if step == None {
		indent = ""
	}
	for i := range these {
		add(indent + r.strike(&these[i]))
	}
	return rest
}

// StrikeLabel describes a strike, for example "fault: crash of writer".
func (t *Trace) StrikeLabel(x *Strike) string {
	return (&reading{Trace: t, names: t.Names()}).strike(x)
}

// strike describes a strike (a fault caused with a pulse.Nemesis), for example
// "fault: crash of writer".
func (r *reading) strike(x *Strike) string { return "fault: " + r.strikeLabel(x) }

func (r *reading) strikeLabel(x *Strike) string {
	switch x.Kind {
	case Restart:
		label := faultLabel(x.Kind, r.names.Of(x.From))
		if x.Lost {
			label += ", its state lost"
		}
		return label
	case Partition:
		return faultLabel(x.Kind, r.groups(x.Groups))
	case Heal:
		return "all links are healed"
	}
	if x.To == None {
		return faultLabel(x.Kind, r.names.Of(x.From))
	}
	return r.flaw(x) + " from " + r.names.Of(x.From) + " to " + r.names.Of(x.To)
}

// flaw describes a Cut, Loss or Delay of the messages on a link.
func (r *reading) flaw(x *Strike) string {
	switch {
	case x.Kind == Cut:
		return "cut"
	case x.N == 0:
		return "end of " + x.Kind.String()
	case x.Kind == Delay:
		return fmt.Sprintf("delay of %v", time.Duration(x.N))
	case x.N == math.MaxInt:
		return "loss of all messages"
	case x.N == 1:
		return "loss of the next message"
	}
	return fmt.Sprintf("loss of the next %d messages", x.N)
}

// groups lists the groups of a partition, for example "a, b | c".
func (r *reading) groups(groups [][]int32) string {
	var sides []string
	for _, g := range groups {
		var names []string
		for _, actor := range g {
			names = append(names, r.names.Of(actor))
		}
		sides = append(sides, strings.Join(names, ", "))
	}
	return strings.Join(sides, " | ")
}
