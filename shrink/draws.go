package shrink

import (
	"math"
	"slices"

	"github.com/jostle-go/jostle/pulse/choice"
)

// draws removes and lowers the numbers that generators read. It first sets all numbers to zero,
// because programs with the smallest draws often fail.
func draws(x *shrinker) {
	if x.seek(edited(x.Best.Case.Inputs, func(in *choice.Input) { clear(in.Words) }), false) {
		return
	}
	for i := 0; i < len(x.Best.Case.Inputs) && !x.over(); i++ {
		x.edit(i, false, func(words []uint64) []uint64 { clear(words); return words })
		if !elements(x, i) {
			shortened(x, i)
		}
		lowered(x, i)
	}
}

// exchangesRuns is the maximum number of runs of exchanges.
const exchangesRuns = 1000

// exchanges lowers two numbers together, or swaps two sequences of numbers. It helps if neither of
// the two can be changed alone.
func exchanges(x *shrinker) {
	defer x.limit(exchangesRuns)()
	together(x)
	for i := 0; i < len(x.Best.Case.Inputs) && !x.over(); i++ {
		if len(x.words(i)) <= mostRaised || !hasParts(x.partsOf(&x.Best), i) {
			swapped(x, i)
		}
	}
}

// edited returns a copy of the draws in list, after applying change to each draw.
func edited(list []choice.Input, change func(*choice.Input)) []choice.Input {
	list = choice.CloneInputs(list)
	for i := range list {
		change(&list[i])
	}
	return list
}

// edit calls seek with the draws of the best case, after applying change to draw i. It returns
// false if the best case has no draw i.
func (x *shrinker) edit(i int, larger bool, change func(words []uint64) []uint64) bool {
	if i >= len(x.Best.Case.Inputs) {
		return false
	}
	list := choice.CloneInputs(x.Best.Case.Inputs)
	list[i].Words = change(list[i].Words)
	return x.seek(list, larger)
}

// words returns the numbers of draw i of the best case, or nil if the best case has no draw i.
func (x *shrinker) words(i int) []uint64 {
	if i >= len(x.Best.Case.Inputs) {
		return nil
	}
	return x.Best.Case.Inputs[i].Words
}

// longestCut limits the number of consecutive numbers that are removed together. An element of a
// list of structs takes up to about 16 numbers.
const longestCut = 16

// shortened removes sequences of numbers from a draw. It begins at the end of the draw, because the
// meaning of a number may depend on earlier numbers.
func shortened(x *shrinker, i int) {
	for size := min(longestCut, len(x.words(i))); size > 0; size-- {
		for at := len(x.words(i)) - size; at >= 0 && !x.over(); at-- {
			x.edit(i, false, func(words []uint64) []uint64 { return slices.Delete(words, at, at+size) })
			at = min(at, len(x.words(i))-size+1)
		}
	}
}

// lowered lowers each number of draw i as far as possible.
func lowered(x *shrinker, i int) {
	for at := 0; at < len(x.words(i)) && !x.over(); at++ {
		x.lower(i, at)
	}
}

// lowBits lists how many low bits of a number the function lower tries to keep. Generators often
// use only the low bits of a number, and 53 bits for a fraction.
var lowBits = []int{2, 4, 7, 8, 16, 32, 53}

// A number above large usually stands for a fraction. The bisection of such a number ends at
// differences below coarse.
const (
	large  = 1 << 48
	coarse = 1 << 42
)

// lower lowers the number with index at in draw i. It tries zero, then some low bits of the number,
// and then bisection.
func (x *shrinker) lower(i, at int) {
	is := func() (uint64, bool) {
		if words := x.words(i); at < len(words) {
			return words[at], true
		}
		return 0, false
	}
	set := func(v uint64) bool {
		return x.edit(i, false, func(words []uint64) []uint64 { words[at] = v; return words })
	}
	fewerBits := func(v uint64) bool { // v may be a number of bits: the generator uses that many random bits of the next number
		return x.edit(i, false, func(words []uint64) []uint64 {
			words[at] = v
			if at+1 < len(words) {
				words[at+1] = math.MaxUint64
			}
			return words
		})
	}
	was, _ := is()
	if was == 0 || set(0) {
		return
	}
	for _, n := range lowBits {
		if v := was & (1<<n - 1); v != 0 && v < was && set(v) {
			break
		}
	}
	low := uint64(0) // the largest value that was tried and is too low
	for {
		now, ok := is()
		if !ok || now <= low || now-low <= 1 || now > large && now-low < coarse || x.over() {
			return
		}
		if mid := low + (now-low)/2; !set(mid) && !(mid > large && fewerBits(mid)) {
			low = mid
		}
	}
}

// A place is the position of a number in the draws.
type place struct{ draw, at int }

// small separates numbers that probably stand for integers from larger numbers, which probably
// stand for fractions.
const small = 1 << 32

// together lowers both numbers of each pair by the same amount. It helps if the failure needs a
// certain difference between two numbers, because then neither number can be lowered alone.
func together(x *shrinker) {
	var places []place
	for i := range x.Best.Case.Inputs {
		for at, w := range x.words(i) {
			if w > 0 && w < small {
				places = append(places, place{i, at})
			}
		}
	}
	for n, one := range places {
		for _, other := range places[:n] {
			x.lowerBoth(one, other)
		}
	}
}

// lowerBoth lowers two numbers by the same amount: by the smaller of the two numbers, then by half
// of that amount, and so on.
func (x *shrinker) lowerBoth(one, other place) {
	for by := uint64(math.MaxUint64); by > 0 && !x.over(); by /= 2 {
		list := choice.CloneInputs(x.Best.Case.Inputs)
		if max(one.draw, other.draw) >= len(list) || one.at >= len(list[one.draw].Words) || other.at >= len(list[other.draw].Words) {
			return
		}
		a, b := &list[one.draw].Words[one.at], &list[other.draw].Words[other.at]
		by = min(by, *a, *b)
		*a, *b = *a-by, *b-by
		if by > 0 {
			x.seek(list, false)
		}
	}
}

// Limits of swapped.
const (
	longestSwap = 6  // the maximum length of a swapped sequence
	mostRaised  = 16 // the maximum length of a draw in which the method swap may set a zero to one
)

// swapped swaps two neighboring sequences of numbers, such as two elements of a list. The sequences
// may have different lengths. Between the sequences there may be one number, which in a list says
// that the list continues.
func swapped(x *shrinker, i int) {
	for first := 1; first <= longestSwap; first++ {
		for second := 1; second <= longestSwap; second++ {
			for between := range 2 {
				for at := 0; at+first+between+second <= len(x.words(i)) && !x.over(); at++ {
					x.swap(i, at, at+first, at+first+between, at+first+between+second)
				}
			}
		}
	}
}

// swap swaps the numbers [a, b) and [c, d) of draw i. If the swap does not succeed and the draw is
// short, swap also tries to set a zero to one.
func (x *shrinker) swap(i, a, b, c, d int) {
	change := func(words []uint64) []uint64 {
		return slices.Concat(words[:a], words[c:d], words[b:c], words[a:b], words[d:])
	}
	was := x.words(i)
	if slices.Equal(was, change(was)) || x.edit(i, true, change) || len(was) > mostRaised {
		return
	}
	for at := range was {
		if change(was)[at] == 0 && x.edit(i, true, func(words []uint64) []uint64 {
			words = change(words)
			words[at] = 1
			return words
		}) {
			return
		}
	}
}
