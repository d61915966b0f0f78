package shrink

import (
	"slices"

	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/hash"
)

// anewTries and anewRuns are how many draws anew tries, and about how many runs that
// may take, by the effort of a search.
const (
	anewTries = 4
	anewRuns  = 10
)

// anew changes several parts of the draws at random: what no single change leads to.
// Programs with few inputs are gone through nearly whole.
func anew(x *shrinker) {
	state, end, tries := x.effortSeed(), x.Runs+anewRuns*x.effort, anewTries*x.effort
	defer func(effort int) { x.effort = effort }(x.effort)
	x.effort = littleEffort
	for range tries {
		if x.over() || x.Runs >= end {
			return
		}
		list := choice.CloneInputs(x.Best.Case.Inputs)
		all := below(&state, 4) == 0
		for range 1 + below(&state, 3) {
			one := below(&state, len(list))
			for i := range list {
				if all || i == one {
					list[i].Words = changed(list[i].Words, &state)
				}
			}
		}
		x.seek(list, true)
	}
}

// effortSeed is what random changes follow from: others with more effort.
func (x *shrinker) effortSeed() uint64 { return hash.Mix(uint64(x.effort)) }

// freshWords is how many numbers a draw has that is made anew. Those after them are zero.
const freshWords = 16

// below returns a random number below n, 0 if there is none.
func below(state *uint64, n int) int { return int(hash.Splitmix(state) >> 1 % uint64(max(1, n))) }

// changed returns the numbers of a draw as they are, zeroed, others in place of all, or
// with some of them changed or left out.
func changed(words []uint64, state *uint64) []uint64 {
	at, most := below(state, len(words)), 4
	if below(state, 2) == 0 {
		most = longestCut
	}
	end := min(at+1+below(state, most), len(words))
	switch below(state, 8) {
	case 0:
		clear(words)
	case 1:
		words = words[:0]
		for range freshWords {
			words = append(words, hash.Splitmix(state))
		}
	case 2:
		clear(words[at:end])
	case 3:
		for i := at; i < end; i++ {
			words[i] = hash.Splitmix(state)
		}
	case 4:
		words = slices.Delete(words, at, end)
	case 5: // one more like these
		words = slices.Insert(words, end, slices.Clone(words[at:end])...)
	case 6: // these elsewhere
		moved := slices.Clone(words[at:end])
		words = slices.Delete(words, at, end)
		words = slices.Insert(words, below(state, len(words)+1), moved...)
	}
	return words
}
