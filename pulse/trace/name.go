package trace

import "strconv"

const (
	testName    = "test"
	noLabelName = "actor"  // the label of an actor without a label
	nobodyName  = "nobody" // the name for the index None
)

// Names holds the display name of each actor of a trace, by index. Use it instead
// of many calls to Trace.Name.
type Names []string

// Names returns the display names of all actors of t.
func (t *Trace) Names() Names {
	names := make(Names, len(t.Actors))
	total := map[string]int{testName: 2} // an actor with the label "test" always gets a number, because the test has this name
	for actor := range t.Actors {
		names[actor] = t.label(actor)
		if actor != int(Test) {
			total[names[actor]]++
		}
	}
	rank := map[string]int{}
	for actor, label := range names {
		if actor == int(Test) {
			names[actor] = testName
			continue
		}
		rank[label]++
		names[actor] = displayName(label, rank[label], total[label])
	}
	return names
}

// Of returns the display name of actor.
func (n Names) Of(actor int32) string {
	if actor < 0 || int(actor) >= len(n) {
		return nobodyName
	}
	return n[actor]
}

// Name returns the display name of an actor. The name is the label, if no other
// actor has that label. Otherwise it is label.k, where k numbers the actors with
// that label from 1. Only the test is named "test".
func (t *Trace) Name(actor int32) string {
	switch {
	case actor < 0 || int(actor) >= len(t.Actors):
		return nobodyName
	case actor == Test:
		return testName
	}
	label := t.label(int(actor))
	rank, total := 0, 0
	if label == testName {
		total = 2
	}
	for other := 1; other < len(t.Actors); other++ {
		if t.label(other) != label {
			continue
		}
		total++
		if other <= int(actor) {
			rank++
		}
	}
	return displayName(label, rank, total)
}

// label returns the label of an actor as one line.
func (t *Trace) label(actor int) string {
	if label := oneLine(t.Actors[actor].Label); label != "" {
		return label
	}
	return noLabelName
}

func displayName(label string, rank, total int) string {
	if total == 1 {
		return label
	}
	return label + "." + strconv.Itoa(rank)
}
