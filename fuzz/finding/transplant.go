package finding

import (
	"maps"
	"slices"

	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/strategy"
	"github.com/jostle-go/jostle/shrink"
)

// mostWays is the maximum number of ways in which byOrder leaves out actors.
const mostWays = 12

// byOrder runs the inputs in the whole order of the near run. Messages that the near run does not
// receive come last. If the inputs make fewer actors of a label, byOrder tries which of the actors
// of the near run they lack.
func (h *hunt) byOrder() {
	if h.over() || h.near.Steps > mostTransplanted && len(h.near.Taken) > mostTransplanted || !h.noteNear() {
		return
	}
	if !h.latest.known || !sameInputs(h.latest.inputs, h.inputs) {
		h.try(choice.Schedule{Choices: h.near.Case.Schedule.Choices})
	}
	if h.latest.system == nil {
		return
	}
	for _, without := range lacks(h.actors, countActors(h.latest)) {
		for i, n := range h.noted {
			if h.over() {
				return
			}
			h.follow(&steered{namer: namer{naming: naming{types: i == 1, without: without}}, answers: n.answers, order: n.order})
		}
	}
}

// mostTransplanted is the maximum number of steps of a run whose whole order is tried with other inputs.
const mostTransplanted = 200

// follow runs the inputs by a steered strategy, and offers the run.
func (h *hunt) follow(by *steered) {
	h.left--
	res := h.play(props.Plan{Inputs: padded(h.inputs), EarlyTimers: h.early, Strategy: by})
	unpad(&res, h.inputs)
	if out := h.outcomeOf(&res); out.Signature == h.signature {
		h.check(out.Case)
	} else {
		h.other(out)
	}
}

// noteNear notes the order of the near run, by labels and by types of messages.
func (h *hunt) noteNear() bool {
	c := &h.near.Case
	if h.noted[0] != nil && sameCase(&h.notedOf, c) {
		return true
	}
	before := h.latest
	for i := range h.noted {
		n := &noted{namer: namer{naming: naming{types: i == 1}}, by: strategy.Ordered(&c.Schedule)}
		h.left--
		res := h.play(props.Plan{Inputs: padded(c.Inputs), EarlyTimers: h.early, Strategy: n})
		if res.System == nil {
			return false
		}
		h.actors = countActors(latest{system: res.System})
		h.noted[i] = n
	}
	h.notedOf = c.Clone()
	_ = before
	return true
}

func sameCase(a, b *shrink.Case) bool {
	return slices.Equal(a.Schedule.Before, b.Schedule.Before) && slices.Equal(a.Schedule.Choices, b.Schedule.Choices) && sameInputs(a.Inputs, b.Inputs)
}

// countActors returns the number of actors of each label.
func countActors(l latest) map[string]uint64 {
	n := map[string]uint64{}
	t := l.system.Trace()
	for i := range t.Actors {
		n[t.Actors[i].Label]++
	}
	return n
}

// lacks returns ways to leave out actors of the first counts so that the second ones remain.
func lacks(was, is map[string]uint64) (ways []map[string][]uint64) {
	ways = []map[string][]uint64{nil}
	for _, label := range slices.Sorted(maps.Keys(was)) {
		if is[label] >= was[label] || is[label] == 0 {
			continue
		}
		var longer []map[string][]uint64
		for _, gone := range subsets(was[label], was[label]-is[label]) {
			for _, w := range ways {
				w = maps.Clone(w)
				if w == nil {
					w = map[string][]uint64{}
				}
				w[label] = gone
				longer = append(longer, w)
			}
		}
		ways = longer[:min(len(longer), mostWays)]
	}
	return ways
}

// subsets returns the subsets of k of the numbers from 1 to n, in increasing order, those with the last numbers first; at most mostWays.
func subsets(n, k uint64) (all [][]uint64) {
	if k == 0 {
		return [][]uint64{nil}
	}
	for last := n; last >= k && len(all) < mostWays; last-- {
		for _, rest := range subsets(last-1, k-1) {
			all = append(all, append(slices.Clip(rest), last))
		}
	}
	return all[:min(len(all), mostWays)]
}
