package shrink

import (
	"math"
	"slices"

	"github.com/jostle-go/jostle/pulse/choice"
)

// A Part is a range of a draw's numbers. One generator has read the numbers of the range.
type Part struct {
	Draw    int // the index of the draw
	At, End int // the part has the numbers [At, End) of the draw
	// Of identifies the generator. Parts of the same generator can be exchanged. It is ""
	// for numbers that were read and then discarded.
	Of string
	// Element is set if the part is a list element. The first number of the part then says that the
	// list continues. Element is also set if the part is the single number that ends a list.
	Element bool
}

func (p *Part) isEnd() bool { return p.Element && p.End == p.At+1 }

// isNeedless reports whether the draw stays valid if p is removed.
func (p *Part) isNeedless() bool { return p.Of == "" || p.Element && !p.isEnd() }

func (p *Part) overlaps(q *Part) bool { return p.Draw == q.Draw && p.At < q.End && q.At < p.End }

// mostParts limits the number of parts, because trying all pairs of parts takes long.
const mostParts = 200

// partsOf returns the parts of the draws of a run, nil if there are too many or they are unknown.
func (x *shrinker) partsOf(out *Outcome) []Part {
	key := inputKey(out.Case.Inputs)
	list, ok := x.parts[key]
	if !ok && !x.over() {
		x.Runs++
		if list = x.subject.Parts(out.Case); len(list) > mostParts {
			list = nil
		}
		x.parts[key] = list
	}
	return list
}

// hasParts reports whether some part is one of the given draw.
func hasParts(parts []Part, draw int) bool {
	return slices.ContainsFunc(parts, func(p Part) bool { return p.Draw == draw })
}

// A splice is a change of the draws that replaces a part by the numbers in words.
type splice struct {
	Part
	words []uint64
}

// spliced returns a copy of the draws with some parts replaced. The parts must not overlap.
func spliced(list []choice.Input, splices []splice) []choice.Input {
	list = choice.CloneInputs(list)
	slices.SortStableFunc(splices, func(a, b splice) int { return b.At - a.At })
	for _, s := range splices {
		in := &list[s.Draw]
		end := min(s.End, len(in.Words))
		in.Words = slices.Concat(in.Words[:min(s.At, end)], s.words, in.Words[end:])
	}
	return list
}

// wordsOf returns a copy of the numbers of a part. If the part is a list element, wordsOf sets the
// first number to a value with which the list always continues.
func wordsOf(list []choice.Input, p *Part) []uint64 {
	words := slices.Clone(list[p.Draw].Words[p.At:min(p.End, len(list[p.Draw].Words))])
	if p.Element && !p.isEnd() && len(words) > 0 {
		words[0] = math.MaxUint64
	}
	return words
}

// before returns a change that moves the list element p to the place before the list element q.
func before(list []choice.Input, p, q *Part) []splice {
	return []splice{{*p, nil}, {*q, slices.Concat(wordsOf(list, p), wordsOf(list, q))}}
}

// joined returns a change that joins two lists. Part p is the end of one list, and part q is an
// element of a later list. The change removes everything from p to q.
func joined(list []choice.Input, p, q *Part) []splice {
	between := *p
	between.End = q.At
	return []splice{{between, nil}, {*q, wordsOf(list, q)}}
}

// inPlace returns a change that replaces part q by a copy of part p. If swapped is set, the change
// swaps the two parts.
func inPlace(list []choice.Input, p, q *Part, swapped bool) []splice {
	s := []splice{{*q, wordsOf(list, p)}}
	if swapped {
		s = append(s, splice{*p, wordsOf(list, q)})
	}
	return s
}

// rearranged moves, copies or swaps parts of the draws of the best run (see rearrange).
func rearranged(x *shrinker) { x.rearrange(x.Best.Clone()) }

// mostRearranged limits the number of runs that rearrangedBases rearranges.
const mostRearranged = 3

// rearrangedBases moves, copies or swaps parts of the draws of the runs in x.bases (see rearrange).
func rearrangedBases(x *shrinker) {
	defer func(effort int) { x.effort = effort }(x.effort)
	x.effort = littleEffort
	shrunk := x.shrunk
	for _, base := range x.bases[:min(len(x.bases), mostRearranged)] {
		if x.rearrange(base); x.shrunk > shrunk || x.over() {
			return
		}
	}
}

// rearrange tries changes of the draws of one run until the best run becomes smaller. A change
// moves an element, within its list or to a different list, or joins two lists. Or it swaps two
// parts of the same generator, or replaces one of them by the other.
func (x *shrinker) rearrange(base Outcome) {
	list, parts, shrunk := base.Case.Inputs, x.partsOf(&base), x.shrunk
	seek := func(s []splice) bool {
		x.seek(spliced(list, s), true)
		return x.over() || x.shrunk > shrunk
	}
	for i := range parts {
		for j := range parts {
			p, q := &parts[i], &parts[j]
			if p.Of != q.Of || p.Of == "" || p.overlaps(q) {
				continue
			}
			if p.isEnd() {
				if p.Draw == q.Draw && p.At < q.At && !q.isEnd() && seek(joined(list, p, q)) {
					return
				}
				continue
			}
			if p.Element && seek(before(list, p, q)) {
				return
			}
			if !q.isEnd() && (i < j && seek(inPlace(list, p, q, true)) || seek(inPlace(list, p, q, false))) {
				return
			}
		}
	}
}

// united replaces two list elements by one element in which a number is the sum of the two
// elements' numbers. It helps if the failure needs a certain sum over all elements, because then no
// element can simply be removed.
func united(x *shrinker) {
	list, parts, shrunk := x.Best.Case.Inputs, x.partsOf(&x.Best), x.shrunk
	for i := range parts {
		for j := range parts {
			for _, s := range sums(list, &parts[i], &parts[j]) {
				if x.seek(spliced(list, s), true); x.over() || x.shrunk > shrunk {
					return
				}
			}
		}
	}
}

// sums returns changes that add one number of element p to the number at the same position in
// element q, and remove p. For each position there is a change with the sum and a change with the
// sum plus 1, because a generator may map 0 to 1.
func sums(list []choice.Input, p, q *Part) (all [][]splice) {
	if p.overlaps(q) || p.Of != q.Of || p.Of == "" || !p.Element || p.isEnd() || q.isEnd() {
		return nil
	}
	gone, kept := wordsOf(list, p), wordsOf(list, q)
	for at := 1; at < min(len(gone), len(kept)); at++ { // skip the first number, which says that the list continues
		if gone[at] == 0 || kept[at] == 0 || max(gone[at], kept[at]) >= small {
			continue
		}
		for more := range uint64(2) {
			words := slices.Clone(kept)
			words[at] += gone[at] + more
			all = append(all, []splice{{*p, nil}, {*q, words}})
		}
	}
	return all
}

// elements removes list elements and discarded parts of a draw. It first removes many consecutive
// parts together, then half as many and so on, and finally one at a time. It returns false if no
// parts of the draw are known.
func elements(x *shrinker, draw int) bool {
	parts := x.partsOf(&x.Best)
	if !hasParts(parts, draw) {
		return false
	}
	for size := len(parts); size > 0; size /= 2 {
		for at := len(parts) - 1; at >= 0 && !x.over(); at-- {
			at = min(at, len(parts)-1)
			first := at
			if !parts[at].isNeedless() || parts[at].Draw != draw {
				continue
			}
			cut := []splice{{parts[at], nil}}
			for len(cut) < size { // add the preceding parts
				if first = rowBefore(parts, first); first < 0 {
					break
				}
				cut = append(cut, splice{parts[first], nil})
			}
			if (len(cut) == size || size == 1) && x.seek(spliced(x.Best.Case.Inputs, cut), false) {
				if parts = x.partsOf(&x.Best); len(parts) == 0 {
					return true
				}
			}
		}
	}
	return true
}

// rowBefore returns the index of the part that directly precedes the part with index at in its
// list, or -1 if there is none.
func rowBefore(parts []Part, at int) int {
	p := &parts[at]
	return slices.IndexFunc(parts, func(q Part) bool { return q.Draw == p.Draw && q.End == p.At && q.Of == p.Of && q.isNeedless() })
}

// The limits of inserted.
const (
	insertedRuns = 5000 // the maximum number of runs
	mostElements = 12   // the maximum number of elements of a run to which inserted adds one
)

// inserted adds one list element to the draws of a run that is as large as the best run. The element is
// a copy of another one in which at most one number differs by one. Before that, inserted raises the
// draws that are not lists by one. Some failures take fewer steps with an additional element whose value
// the draws of the best run do not allow. The new draws are run in plain order, because the additional
// element often makes the constraints of the best run needless.
func inserted(x *shrinker) {
	defer x.limit(insertedRuns)()
	x.base(&x.Best)
	shrunk := x.shrunk
	over := func() bool { return x.shrunk > shrunk || x.over() }
	for _, base := range slices.Clone(x.bases) {
		for _, list := range raised(base.Case.Inputs, x.partsOf(&base)) {
			if over() {
				return
			}
			x.tryAlike(Case{list, base.Case.Schedule})
		}
	}
	for _, base := range slices.Clone(x.bases) {
		for _, list := range longer(base.Case.Inputs, x.partsOf(&base)) {
			if over() {
				return
			}
			x.tryAlike(Case{Inputs: list})
		}
	}
}

// tryAlike runs a case. If the run fails, it may become the best run or one of x.bases.
func (x *shrinker) tryAlike(c Case) {
	if out, alike := x.run(c); alike && !x.take(out) {
		x.base(&out)
	}
}

// raised returns copies of the draws in which one draw without list elements is larger by one.
func raised(list []choice.Input, parts []Part) (all [][]choice.Input) {
	for i, in := range list {
		at := len(in.Words) - 1
		if at < 0 || in.Words[at] >= small || slices.ContainsFunc(parts, func(p Part) bool { return p.Draw == i && p.Element }) {
			continue
		}
		list := choice.CloneInputs(list)
		list[i].Words[at]++
		all = append(all, list)
	}
	return all
}

// longer returns copies of the draws with one more list element (see inserted), nil if there are too
// many elements.
func longer(list []choice.Input, parts []Part) (all [][]choice.Input) {
	elements := slices.DeleteFunc(slices.Clone(parts), func(p Part) bool { return !p.Element })
	if len(elements) > mostElements {
		return nil
	}
	known := map[string]bool{}
	for i := range elements {
		p := &elements[i]
		words := wordsOf(list, p)
		for at := 0; at < len(words) && !p.isEnd(); at++ {
			changed := slices.Clone(words)
			if at > 0 {
				changed[at] ^= 1
			}
			for k := range elements {
				q := &elements[k]
				if q.Of != p.Of {
					continue
				}
				more := spliced(list, []splice{{*q, slices.Concat(changed, wordsOf(list, q))}})
				if key := inputKey(more); !known[key] {
					known[key], all = true, append(all, more)
				}
			}
		}
	}
	return all
}
