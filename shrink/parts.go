package shrink

import (
	"math"
	"slices"

	"github.com/jostle-go/jostle/pulse/choice"
)

// A Part is the part of a draw that one generator has read: the numbers from At to
// End.
type Part struct {
	Draw, At, End int
	// Of identifies the generator: parts of the same one can change places. It is ""
	// for numbers that were read and then discarded.
	Of string
	// Element reports that the part is a list element, including the number before
	// it that announces it. The number that ends a list is an Element of its own.
	Element bool
}

// isEnd reports whether p ends a list.
func (p *Part) isEnd() bool { return p.Element && p.End == p.At+1 }

// isNeedless reports whether p can be left out of its draw.
func (p *Part) isNeedless() bool { return p.Of == "" || p.Element && !p.isEnd() }

// overlaps reports whether p and q share a number.
func (p *Part) overlaps(q *Part) bool { return p.Draw == q.Draw && p.At < q.End && q.At < p.End }

// mostParts is how many parts draws may have. With more, trying all pairs takes too
// long.
const mostParts = 200

// partsOf returns the parts of the draws of a run, nil if there are too many.
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

// hasParts reports whether the parts of a draw are known.
func hasParts(parts []Part, draw int) bool {
	return slices.ContainsFunc(parts, func(p Part) bool { return p.Draw == draw })
}

// A splice replaces a part by other numbers.
type splice struct {
	Part
	words []uint64
}

// spliced returns the draws with some parts replaced. The parts must not overlap.
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

// wordsOf returns the numbers of a part. The first number of an element is set so
// that it announces an element at any place of a list.
func wordsOf(list []choice.Input, p *Part) []uint64 {
	words := slices.Clone(list[p.Draw].Words[p.At:min(p.End, len(list[p.Draw].Words))])
	if p.Element && !p.isEnd() && len(words) > 0 {
		words[0] = math.MaxUint64
	}
	return words
}

// before moves an element in front of another one.
func before(list []choice.Input, p, q *Part) []splice {
	return []splice{{*p, nil}, {*q, slices.Concat(wordsOf(list, p), wordsOf(list, q))}}
}

// joined joins two lists: the first ends at p, and q is the first element of the
// second.
func joined(list []choice.Input, p, q *Part) []splice {
	between := *p
	between.End = q.At
	return []splice{{between, nil}, {*q, wordsOf(list, q)}}
}

// inPlace replaces q by p. If swapped is set, it also replaces p by q.
func inPlace(list []choice.Input, p, q *Part, swapped bool) []splice {
	s := []splice{{*q, wordsOf(list, p)}}
	if swapped {
		s = append(s, splice{*p, wordsOf(list, q)})
	}
	return s
}

// rearranged moves parts of the draws. It moves an element within its list or to
// another such list, replaces a part by one of the same generator, or swaps two
// parts.
func rearranged(x *shrinker) { x.rearrange(x.Best.Clone()) }

// mostRearranged is how many of the bases are rearranged.
const mostRearranged = 3

// rearrangedBases rearranges programs that are as large as the best one.
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

// rearrange moves parts of one program until the best run becomes smaller.
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

// united merges two list elements into one, in which one number is the sum of both.
// If the failure needs a total of several elements, none of them can be left out
// alone.
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

// sums returns changes that add a number of element p to element q and leave out p.
// For each two small numbers there is one with their sum, and one with one more, as
// zero may stand for one.
func sums(list []choice.Input, p, q *Part) (all [][]splice) {
	if p.overlaps(q) || p.Of != q.Of || p.Of == "" || !p.Element || p.isEnd() || q.isEnd() {
		return nil
	}
	gone, kept := wordsOf(list, p), wordsOf(list, q)
	for at := 1; at < min(len(gone), len(kept)); at++ { // after the number that announces the element
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

// elements leaves out list elements and discarded parts of a draw: half of those in a
// row, a quarter and so on, and last one at a time. It returns false if no parts of
// the draw are known.
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
			for len(cut) < size { // its neighbors before it
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

// rowBefore returns the index of the part of the same list that ends where part at
// begins, or -1.
func rowBefore(parts []Part, at int) int {
	p := &parts[at]
	return slices.IndexFunc(parts, func(q Part) bool { return q.Draw == p.Draw && q.End == p.At && q.Of == p.Of && q.isNeedless() })
}
