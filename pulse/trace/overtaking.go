package trace

import (
	"fmt"
	"slices"
)

// overtakings returns a remark for each step. The remark is empty unless the step's
// message was overtaken: the actor had received a message that was sent later.
func (r *reading) overtakings() []Phrase {
	remarks := make([]Phrase, len(r.Steps))
	inboxes := r.inboxes()
	for _, inbox := range inboxes {
		newest := None // among the messages received so far, the index of the message sent last
		for i, step := range inbox {
			if send := r.Steps[step].Send; send > newest {
				newest = send
				continue
			}
			remarks[step] = r.remark(inbox, i)
		}
	}
	return remarks
}

// inboxes returns, for each actor, the steps in which it received a message.
// Start messages are omitted, because nothing can come before them.
func (r *reading) inboxes() [][]int32 {
	inboxes := make([][]int32, len(r.Actors))
	for i, step := range r.Steps {
		if step.Kind == Receive && r.Sends[step.Send].Kind != Start {
			inboxes[step.Actor] = append(inboxes[step.Actor], int32(i))
		}
	}
	return inboxes
}

// remark says which messages overtook message i of an inbox. It is empty if none did. Only
// messages of different channels can overtake each other. Timers and polls are
// never overtaken.
func (r *reading) remark(inbox []int32, i int) Phrase {
	late := r.Steps[inbox[i]].Send
	if k := r.Sends[late].Kind; k.IsTimer() || k == Poll {
		return Phrase{}
	}
	first, count := None, 0
	for _, step := range inbox[:i] {
		send := r.Steps[step].Send
		if send < late || r.oneChannel(&r.Sends[send], &r.Sends[late]) {
			continue
		}
		if count == 0 {
			first = send
		}
		count++
	}
	if count == 0 {
		return Phrase{}
	}
	if i == len(inbox)-1 && r.sentFirst(inbox, late) {
		return Phrase{Text: "← sent first, received last"}
	}
	more := ""
	if count > 1 {
		more = fmt.Sprintf(" and %d more", count-1)
	}
	return r.Sends[first].Phrase().then("← overtaken by ", more)
}

// sentFirst reports whether no message in inbox was sent before the message
// send.
func (r *reading) sentFirst(inbox []int32, send int32) bool {
	return !slices.ContainsFunc(inbox, func(step int32) bool { return r.Steps[step].Send < send })
}
