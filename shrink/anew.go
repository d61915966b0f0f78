package shrink

import (
	"math"
	"slices"

	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/hash"
)

// The limits of wander. If the draws have few numbers, many changes in succession lead to no new
// program. Then mostStale ends wander.
const (
	quickEffort = 3  // the number of orders in which each program is run
	mostBases   = 32 // the maximum number of programs from which wander starts
	wanderRuns  = 4  // the maximum number of runs of one call to wander, as a multiple of the effort
	mostStale   = 4  // the maximum number of successive changes without a new program, as a multiple of the effort
)

// wander changes several parts of the draws at random. It finds smaller cases that no single change
// leads to. It starts from the best run and from runs of equal size, because some smaller cases can
// be reached only from runs of equal size.
func wander(x *shrinker) {
	if len(x.Best.Case.Inputs) == 0 {
		return
	}
	x.wanders++
	state, end, shrunk := hash.Mix(x.wanders), x.Runs+wanderRuns*x.effort, x.shrunk
	defer func(effort int) { x.effort = effort }(x.effort)
	most := mostStale * x.effort
	x.effort = quickEffort
	x.base(&x.Best)
	for stale := 0; stale < most && x.Runs < end && x.shrunk == shrunk && !x.over(); stale++ {
		base, programs := &x.bases[below(&state, len(x.bases))], len(x.searched)
		if x.seek(x.mutated(base, &state), true); len(x.searched) > programs {
			stale = 0
		}
	}
}

// base adds a run to x.bases, the runs from which wander starts. It does so only if the run is as
// large as the best run and no run in x.bases has the same program.
func (x *shrinker) base(out *Outcome) {
	if out.External != x.Best.External || out.Steps > x.Best.Steps || len(x.bases) == mostBases {
		return
	}
	program := out.program()
	if slices.ContainsFunc(x.bases, func(b Outcome) bool { return b.program() == program }) {
		return
	}
	x.bases = append(x.bases, out.Clone())
}

// mutated returns a copy of the draws of a run, after a few random changes.
func (x *shrinker) mutated(out *Outcome, state *uint64) []choice.Input {
	list, parts := out.Case.Inputs, x.partsOf(out)
	var all []splice
	if p := below(state, 3*len(parts)+1); p < len(parts) && parts[p].isNeedless() { // remove a part
		all = append(all, splice{parts[p], nil})
	}
	for range [...]int{1, 1, 1, 2, 2, 3}[below(state, 6)] {
		one := mutation(list, parts, state)
		if !slices.ContainsFunc(one, func(s splice) bool {
			return slices.ContainsFunc(all, func(o splice) bool { return o.overlaps(&s.Part) })
		}) {
			all = append(all, one...)
		}
	}
	list = spliced(list, all)
	if i := below(state, len(list)); below(state, 4) == 0 || !hasParts(parts, i) {
		list[i].Words = changed(list[i].Words, state)
	}
	return list
}

// mutation returns one random change. The change replaces the numbers of a part, or inserts, moves,
// copies or removes a part. mutation returns nil if the chosen change is impossible.
func mutation(list []choice.Input, parts []Part, state *uint64) []splice {
	if len(parts) == 0 {
		return nil
	}
	p, kind := &parts[below(state, len(parts))], below(state, 10)
	if kind < 3 {
		return []splice{{*p, freshOf(list, p, state)}}
	}
	for range elementTries {
		if p.isNeedless() {
			break
		}
		p = &parts[below(state, len(parts))]
	}
	var like []*Part
	for i := range parts {
		if q := &parts[i]; q.Of == p.Of && q.Of != "" {
			like = append(like, q)
		}
	}
	if len(like) == 0 || p.isEnd() {
		return nil
	}
	q := like[below(state, len(like))]
	switch {
	case kind == 3 && p.isNeedless():
		return []splice{{*p, nil}}
	case kind <= 7 && p.Element: // insert one more element
		return []splice{{*q, slices.Concat(freshOf(list, p, state), wordsOf(list, q))}}
	case p.overlaps(q):
		return nil
	case p.Element && (q.isEnd() || kind == 8):
		return before(list, p, q)
	case q.isEnd():
		return nil
	}
	return inPlace(list, p, q, kind == 9)
}

// elementTries is the maximum number of times that mutation chooses again to get a part that can be
// removed.
const elementTries = 4

// freshOf returns new numbers for part p. All numbers of the part, or a range of them, become
// zeros, the largest possible numbers or random numbers. If p is the end of a list, freshOf returns
// an additional element.
func freshOf(list []choice.Input, p *Part, state *uint64) []uint64 {
	words := wordsOf(list, p)
	if p.isEnd() {
		words = append(words, make([]uint64, freshWords)...)
		words[0] = math.MaxUint64
	}
	at, end := 0, len(words)
	if below(state, 2) == 0 {
		at = below(state, len(words))
		end = at + 1 + below(state, len(words)-at)
	}
	kind := below(state, 4)
	for i := at; i < end; i++ {
		switch {
		case i == 0 && p.Element:
		case kind == 0:
			words[i] = 0
		case kind == 1: // generators often map a number with all bits set to their largest value
			words[i] = math.MaxUint64
		default:
			words[i] = hash.Splitmix(state)
		}
	}
	return words
}

// freshWords is the number of numbers in a new sequence for a draw.
const freshWords = 16

// below returns a random number from 0 to n-1, or 0 if n is 0.
func below(state *uint64, n int) int { return int(hash.Splitmix(state) >> 1 % uint64(max(1, n))) }

// changed changes the numbers of a draw at random, and returns the result. It sets all numbers or a
// range of them to zero or to random numbers, or it deletes, repeats or moves a range. It may also
// change nothing.
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
	case 5: // repeat the range
		words = slices.Insert(words, end, slices.Clone(words[at:end])...)
	case 6: // move the range
		moved := slices.Clone(words[at:end])
		words = slices.Delete(words, at, end)
		words = slices.Insert(words, below(state, len(words)+1), moved...)
	}
	return words
}

// These are the limits of descents (see descend).
const (
	mostDescent  = 400  // the maximum number of runs of one descent
	mostDescents = 2    // the maximum number of descents from the runs that one search finds
	descending   = 8    // the effort of a descent
	mostAfresh   = 4    // the maximum number of calls to Subject.Afresh
	freshRuns    = 1000 // the maximum number of runs of one call to Subject.Afresh
	mostAlike    = 3    // the number of descents to runs as small as the best run after which settled returns true
)

// inOrder and falling are the levels of a descent: without and with passes that change the draws.
var (
	inOrder = level{[]func(*shrinker){later, order, answers}, quickEffort, true, nil}
	falling = level{[]func(*shrinker){later, order, draws, answers}, descending, true, nil}
)

// descend makes a failing run smaller. The run may be larger than the best run. descend uses only cheap passes. It
// changes draws only if the other passes make the run nearly as small as the best run, and only once for each program.
// It sets out to the result, which may become the best run.
func (x *shrinker) descend(out *Outcome) {
	if x.over() {
		return
	}
	y := newShrinker(x.ctx, x.subject, *out, Options{Runs: x.within(mostDescent)})
	y.parts, y.met, y.unmoved = x.parts, x.met, x.unmoved
	if x.options.Progress != nil {
		y.options.Progress = func(p Progress) { x.options.Progress(Progress{x.Runs + p.Runs, x.from, x.Best.Steps}) }
	}
	for l := &inOrder; !y.over(); {
		taken := y.Taken
		if y.round(l); y.Taken > taken {
			continue
		}
		if l == &falling || x.fallen[y.Best.program()] || y.Best.External > x.Best.External+1 || 4*y.Best.Steps > 5*x.Best.Steps+8 {
			break
		}
		l = &falling
		x.fallen[y.Best.program()] = true
	}
	x.Runs += y.Runs
	x.Others = append(x.Others, y.Others...)
	*out = y.Best
	x.take(y.Best)
}

// plunge searches for failing orders of the given draws, also for runs that are larger than the best
// run, and descends from some of these runs. It stops when the best run becomes smaller.
func (x *shrinker) plunge(inputs []choice.Input) {
	if x.over() {
		return
	}
	near, shrunk := x.Best, x.shrunk
	near.External, near.Steps = math.MaxInt, math.MaxInt
	found, made, _ := x.subject.Search(x.ctx, inputs, x.Best.Signature, &near, x.within(x.effort), x.meet)
	x.Runs += made
	for _, out := range cloned(found[:min(len(found), mostDescents)]) {
		if x.descend(&out); x.shrunk > shrunk {
			return
		}
	}
}

// cloned returns copies of the runs, which stay valid in later runs.
func cloned(list []Outcome) []Outcome {
	list = slices.Clone(list)
	for i := range list {
		list[i] = list[i].Clone()
	}
	return list
}

// simpler makes one draw simpler, and descends from the failing runs of that program. The first such
// run is often larger than the best run, and leads to a smaller one.
func simpler(x *shrinker) {
	shrunk := x.shrunk
	for i := 0; i < len(x.Best.Case.Inputs); i++ {
		for _, list := range x.simplerDraws(i) {
			if x.over() {
				return
			}
			out, alike := x.run(Case{list, x.Best.Case.Schedule})
			if alike {
				x.take(out)
			}
			if program := out.program(); !out.Void && program != x.Best.program() && x.plunged[program] < x.effort {
				x.plunged[program] = x.effort
				x.plunge(list)
			}
			if x.shrunk > shrunk {
				return
			}
		}
	}
}

// simplerDraws returns copies of the best run's draws in which draw i is simpler. In one copy all its
// numbers are zero. In the others it lacks one part, or one number is zero or lower by one.
func (x *shrinker) simplerDraws(i int) (all [][]choice.Input) {
	best := x.Best.Case.Inputs
	add := func(change func(words []uint64)) {
		all = append(all, edited(best, func(*choice.Input) {}))
		change(all[len(all)-1][i].Words)
	}
	add(func(words []uint64) { clear(words) })
	for _, p := range x.partsOf(&x.Best) {
		if p.Draw == i && p.isNeedless() {
			all = append(all, spliced(best, []splice{{p, nil}}))
		}
	}
	for at, w := range best[i].Words {
		if w > 0 && w < small {
			add(func(words []uint64) { words[at] = 0 })
			add(func(words []uint64) { words[at]-- })
		}
	}
	return slices.DeleteFunc(all, func(list []choice.Input) bool { return compareInputs(list, best) >= 0 })
}

// afresh makes new failing runs with other draws and descends from them, because they often lead to smaller runs. It
// ends when settled returns true.
func afresh(x *shrinker) {
	for shrunk := x.shrunk; x.afresh < mostAfresh && !settled(x) && x.shrunk == shrunk && !x.over(); {
		found, made := x.subject.Afresh(x.ctx, x.afresh, x.Best.Signature, x.within(freshRuns), x.meet)
		x.Runs += made
		if x.afresh++; len(found) == 0 {
			x.afresh = mostAfresh
		}
		for _, out := range cloned(found) {
			if x.descend(&out); x.shrunk > shrunk {
				return
			}
			if out.External == x.Best.External && out.Steps == x.Best.Steps {
				x.alike++
			}
		}
	}
}

// settled reports whether the best run is probably the smallest one. It is if enough descents from unrelated runs have
// led to the same number of messages from outside and steps.
func settled(x *shrinker) bool { return x.alike >= mostAlike }

// settledOrder reports whether settled is true and the best run has too few constraints to replace them by
// fewer.
func settledOrder(x *shrinker) bool { return settled(x) && len(x.Best.Case.Schedule.Before) <= 1 }
