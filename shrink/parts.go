package shrink

import (
	"math"
	"slices"

	"github.com/jostle-go/jostle/pulse/choice"
)

// A Part is a part of a draw: the numbers from At to End, which one generator has read.
type Part struct {
	Draw, At, End int
	// Of tells generators apart: parts of the same one can change places. It is "" for
	// numbers that came to nothing.
	Of string
	// Element reports that it is an element of a list, after a number that says that
	// there is one; or the number alone that says that there are no more.
	Element bool
}

// isEnd reports whether p is where a list ends.
func (p *Part) isEnd() bool { return p.Element && p.End == p.At+1 }

// isNeedless reports whether p can be left out, as far as the draw goes.
func (p *Part) isNeedless() bool { return p.Of == "" || p.Element && !p.isEnd() }

// overlaps reports whether a number is in both.
func (p *Part) overlaps(q *Part) bool { return p.Draw == q.Draw && p.At < q.End && q.At < p.End }

// mostParts is how many parts of draws are looked at. Of more, each two take too long.
const mostParts = 200

// partsOf returns what the draws of a run are made of, nothing if they are too large.
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

// hasParts reports whether it is known what a draw is made of.
func hasParts(parts []Part, draw int) bool {
	return slices.ContainsFunc(parts, func(p Part) bool { return p.Draw == draw })
}

// A splice puts other numbers in the place of a part.
type splice struct {
	Part
	words []uint64
}

// spliced returns draws with some parts replaced, which do not overlap.
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

// wordsOf returns the numbers of a part. The one before an element says that there is
// one, wherever the element comes.
func wordsOf(list []choice.Input, p *Part) []uint64 {
	words := slices.Clone(list[p.Draw].Words[p.At:min(p.End, len(list[p.Draw].Words))])
	if p.Element && !p.isEnd() && len(words) > 0 {
		words[0] = math.MaxUint64
	}
	return words
}

// before puts an element before another one.
func before(list []choice.Input, p, q *Part) []splice {
	return []splice{{*p, nil}, {*q, slices.Concat(wordsOf(list, p), wordsOf(list, q))}}
}

// joined makes one list of two, of which the first ends at p and the second has q for its
// first element.
func joined(list []choice.Input, p, q *Part) []splice {
	between := *p
	between.End = q.At
	return []splice{{between, nil}, {*q, wordsOf(list, q)}}
}

// inPlace puts a part in the place of another one, and if they are to be swapped that one
// in its place.
func inPlace(list []choice.Input, p, q *Part, swapped bool) []splice {
	s := []splice{{*q, wordsOf(list, p)}}
	if swapped {
		s = append(s, splice{*p, wordsOf(list, q)})
	}
	return s
}

// rearranged puts parts of the draws elsewhere: an element of a list to another place of
// that list or to another such list, a part in the place of one of the same generator, or
// each of two in the other's place.
func rearranged(x *shrinker) { x.rearrange(x.Best.Clone()) }

// mostRearranged is how many programs that wander has gone on from are rearranged, too.
const mostRearranged = 3

// rearrangedBases does the same with programs that are as large as the best one.
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

// rearrange does so with one program, until something is smaller.
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

// united makes one element of two, of whose numbers one is the sum of those of both. Where
// what several elements come to together decides, none of them can go alone.
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

// sums puts a sum into element q and leaves out element p: for each two small numbers,
// their sum, and one more, as zero may stand for one.
func sums(list []choice.Input, p, q *Part) (all [][]splice) {
	if p.overlaps(q) || p.Of != q.Of || p.Of == "" || !p.Element || p.isEnd() || q.isEnd() {
		return nil
	}
	gone, kept := wordsOf(list, p), wordsOf(list, q)
	for at := 1; at < min(len(gone), len(kept)); at++ { // after the one that says that there is one
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

// elements leaves out what a draw can do without: half of what is in a row, a quarter and
// so on, and last one at a time. It reports false of a draw of which no parts are known.
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
			for len(cut) < size { // those in a row before it
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

// rowBefore returns the index of the part that ends where another one begins, of the same
// list; -1 if there is none.
func rowBefore(parts []Part, at int) int {
	p := &parts[at]
	return slices.IndexFunc(parts, func(q Part) bool { return q.Draw == p.Draw && q.End == p.At && q.Of == p.Of && q.isNeedless() })
}
