package shrink

import (
	"encoding/binary"
	"slices"

	"github.com/jostle-go/jostle/pulse/choice"
)

// draws makes the numbers that generators read fewer and smaller. All draws are
// tried together first: programs whose draws are all as small as can be fail often.
func draws(x *shrinker) {
	if x.seek(edited(x.Best.Case.Inputs, func(in *choice.Input) { clear(in.Words) })) {
		return
	}
	for i := 0; i < len(x.Best.Case.Inputs) && !x.over(); i++ {
		zeroed(x, i)
		shortened(x, i)
		lowered(x, i)
		sorted(x, i)
	}
}

// edited returns a copy of draws with each of them changed.
func edited(list []choice.Input, change func(*choice.Input)) []choice.Input {
	list = choice.CloneInputs(list)
	for i := range list {
		change(&list[i])
	}
	return list
}

// edit seeks with one draw changed. A draw that is not there any more cannot be.
func (x *shrinker) edit(i int, change func(words []uint64) []uint64) bool {
	if i >= len(x.Best.Case.Inputs) {
		return false
	}
	list := choice.CloneInputs(x.Best.Case.Inputs)
	list[i].Words = change(list[i].Words)
	return x.seek(list)
}

// words returns the numbers of a draw, none of a draw that is not there any more.
func (x *shrinker) words(i int) []uint64 {
	if i >= len(x.Best.Case.Inputs) {
		return nil
	}
	return x.Best.Case.Inputs[i].Words
}

// zeroed makes all numbers of a draw zero.
func zeroed(x *shrinker, i int) {
	x.edit(i, func(words []uint64) []uint64 { clear(words); return words })
}

// longestCut is how many numbers are left out together: about what an element of a
// list of structs takes.
const longestCut = 16

// shortened leaves out numbers, from the end of a draw: later ones depend on those
// before.
func shortened(x *shrinker, i int) {
	for size := min(longestCut, len(x.words(i))); size > 0; size-- {
		for at := len(x.words(i)) - size; at >= 0 && !x.over(); at-- {
			x.edit(i, func(words []uint64) []uint64 { return slices.Delete(words, at, at+size) })
			at = min(at, len(x.words(i))-size+1)
		}
	}
}

// lowered makes each number of a draw smaller: zero, else as small as halving finds it.
func lowered(x *shrinker, i int) {
	for at := 0; at < len(x.words(i)) && !x.over(); at++ {
		set := func(v uint64) bool {
			return x.edit(i, func(words []uint64) []uint64 { words[at] = v; return words })
		}
		if x.words(i)[at] == 0 || set(0) {
			continue
		}
		low := uint64(0) // does not do
		for at < len(x.words(i)) && x.words(i)[at]-low > 1 && !x.over() {
			now := x.words(i)[at]
			if mid := low + (now-low)/2; !set(mid) {
				low = mid
			}
			if at < len(x.words(i)) && x.words(i)[at] > now { // another draw by now
				break
			}
		}
	}
}

// sorted swaps neighbours that are not in order.
func sorted(x *shrinker, i int) {
	for at := 0; at+1 < len(x.words(i)) && !x.over(); at++ {
		if words := x.words(i); words[at] > words[at+1] {
			x.edit(i, func(words []uint64) []uint64 {
				words[at], words[at+1] = words[at+1], words[at]
				return words
			})
		}
	}
}

// inputKey returns a key of draws.
func inputKey(list []choice.Input) string {
	var b []byte
	for i := range list {
		b = binary.AppendUvarint(b, uint64(len(list[i].Label)))
		b = append(b, list[i].Label...)
		b = binary.AppendUvarint(b, uint64(len(list[i].Words)))
		for _, w := range list[i].Words {
			b = binary.AppendUvarint(b, w)
		}
	}
	return string(b)
}
