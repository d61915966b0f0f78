package props

import (
	"fmt"
	"math/rand"

	"github.com/leanovate/gopter"
	exprand "golang.org/x/exp/rand"
	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/trace"
)

// Draw returns a value from a rapid generator. Call it before Run. A running program
// makes its decisions with Ctx.Choose.
//
// A value may use up to 65,536 random numbers, which is enough for a slice of about
// 15,000 ints.
//
// A Custom generator gets a rapid.T whose methods behave as under rapid: Errorf has
// no effect, Fatalf fails the run, and Skip makes the generator try again.
func Draw[V any](t *T, gen *rapid.Generator[V], label string) V {
	if gen == nil {
		t.noGenerator(label)
	}
	if !t.allowedToDraw(label) {
		var none V
		return none
	}
	d := drawingOf[V](t.runner)
	d.gen, d.label = gen, label
	t.drawNow(label, d.make)
	return d.value
}

// A drawing holds a rapid generator and the value last drawn from it.
type drawing[V any] struct {
	gen   *rapid.Generator[V]
	label string
	value V
	make  func(*words) (any, bool) // draws a value into the field value; made once, then reused in later runs
}

// drawingOf returns the drawing for the next draw. It reuses the drawing of an
// earlier run if the draw at this position had the same type, to avoid allocation.
func drawingOf[V any](r *Runner) *drawing[V] {
	i := len(r.inputs)
	for len(r.drawings) <= i {
		r.drawings = append(r.drawings, nil)
	}
	d, ok := r.drawings[i].(*drawing[V])
	if !ok {
		d = &drawing[V]{}
		draw := func(rt *rapid.T) { d.value = d.gen.Draw(rt, d.label) }
		d.make = func(w *words) (any, bool) {
			ok := r.underRapid(w, draw)
			return d.value, ok
		}
		r.drawings[i] = d
	}
	return d
}

// Sample returns a value from a gopter generator. As with Draw, a value may use up to
// 65,536 random numbers.
func Sample(t *T, gen gopter.Gen, label string) any {
	var v any
	if gen == nil {
		t.noGenerator(label)
	}
	t.draw(label, func(w *words) (any, bool) {
		params := t.runner.sizes
		params.Rng = rand.New(gopterWords{w})
		var ok bool
		v, ok = w.bounded(func() (any, bool) { return gen(&params).Retrieve() })
		return v, ok
	})
	return v
}

// OneOf returns one of the values. fuzz.Explore tries each value.
func OneOf[V any](t *T, label string, values ...V) V {
	var v V
	if len(values) == 0 && t.allowed("OneOf") {
		t.misuse("OneOf %q has no values to choose from", label)
	}
	t.draw(label, func(w *words) (any, bool) {
		if rt := t.runner.rapid; rt != nil {
			v = rapid.SampledFrom(values).Draw(rt, label)
			return v, true
		}
		t.runner.of = len(values)
		v = values[w.Uint64()%uint64(len(values))]
		return v, true
	})
	return v
}

// Source draws a golang.org/x/exp/rand Source. A replay of the run gets the same
// numbers from it.
func Source(t *T, label string) exprand.Source {
	var w words
	t.draw(label, func(drawn *words) (any, bool) {
		drawn.seeded()
		w = words{given: append([]uint64(nil), drawn.given...), state: drawn.state}
		return source{w.state, w.given}, true
	})
	return &w
}

// A source describes a drawn Source in Result.Values. Two sources are deeply equal if
// and only if they produce the same numbers.
type source struct {
	seed  uint64
	given []uint64
}

// String returns the text shown for a source in failure reports and cases.
func (source) String() string { return "a source" }

// noGenerator ends the run because the generator of a draw is nil.
func (t *T) noGenerator(label string) {
	if t.allowed("Draw") {
		t.misuse("draw %q has no generator: it is nil", label)
	}
}

// WordsPerDraw is the maximum number of words (random numbers) that a new draw takes
// from Plan.Words. All later words of the draw are generated from the draw's seed.
const WordsPerDraw = 4

// triesPerDraw is the maximum number of times that a draw calls its generator until
// the generator produces a value. A rapid generator itself makes up to five attempts
// in each call.
const triesPerDraw = 100

// A draw is rejected after endlessTries attempts in which the generator has read more
// than mostWords numbers.
const endlessTries = 2

// draw draws one value by calling make. The numbers that make reads come from the
// stored input if there is one. draw does nothing when a draw is not allowed.
func (t *T) draw(label string, make func(*words) (any, bool)) {
	if t.allowedToDraw(label) {
		t.drawNow(label, make)
	}
}

// drawNow draws one value by calling make. The caller has called allowedToDraw.
func (t *T) drawNow(label string, make func(*words) (any, bool)) {
	r := t.runner
	r.of = 0
	in := r.nextInput(label)
	w := &r.words
	w.begin(in, r.rapid)
	for range triesPerDraw {
		if v, ok := t.guarded(label, w, make); ok {
			r.keepInput(in, v)
			return
		}
		if w.endless == endlessTries {
			break
		}
	}
	t.reject(label, w)
}

// reject ends the run because a generator found no value.
func (t *T) reject(label string, w *words) {
	if w.endless > 0 {
		t.runner.tooLarge = true
		t.because(fmt.Sprintf("draw %q needs more than 65,536 numbers: draw something smaller, or does its generator never stop?", label))
	} else {
		t.because(fmt.Sprintf("draw %q: its generator found no value in %d tries", label, triesPerDraw))
	}
	t.runner.rejected = label
	t.state.skipped = true
	t.abort()
}

// allowedToDraw reports whether the property may draw now. It ends the run if the
// property draws too late or inside another draw.
func (t *T) allowedToDraw(label string) bool {
	if !t.allowed("Draw") {
		return false
	}
	s := t.state.sys
	switch {
	case t.state.returned:
		t.misuse("draw %q after the property has returned", label)
	case t.state.drawing != "":
		t.misuse("draw %q in the generator of draw %q: a generator draws from the *rapid.T that it is given", label, t.state.drawing)
	case s != nil && s.Running():
		t.misuse("draw %q in a step: draw inputs before Run; the program decides with ctx.Choose", label)
	case s != nil && s.HasRun():
		t.misuse("draw %q after Run: draw inputs before Run", label)
	}
	return true
}

// guarded returns the result of make, which calls a generator. If make panics, the
// run fails with a text that names the draw.
func (t *T) guarded(label string, w *words, make func(*words) (any, bool)) (v any, ok bool) {
	t.state.drawing = label
	defer func() {
		t.state.drawing = ""
		switch p := recover().(type) {
		case nil:
		case quit:
			panic(p)
		case *pulse.Failure:
			t.fail(p)
			t.abort()
		default:
			if t.runner.rapid != nil && isRapids(p) {
				panic(p)
			}
			f := &pulse.Failure{Kind: pulse.KindPanic, Step: -1, Value: thrown(p),
				Text: fmt.Sprintf("panic in the generator of draw %q: %s", label, trace.Thrown(thrown(p)))}
			setFrames(f)
			t.fail(f)
			t.abort()
		}
	}()
	return make(w)
}

// thrown returns the panic value v. If the type of v is internal to rapid, it returns
// v as a string.
func thrown(v any) any {
	if isRapids(v) {
		return fmt.Sprint(v)
	}
	return v
}

// nextInput returns the stored input for the next draw. If no input is stored at the
// draw's position, or the stored input has a different label, it returns a new input.
func (r *Runner) nextInput(label string) choice.Input {
	i := len(r.inputs)
	if i < len(r.plan.Inputs) {
		in := r.plan.Inputs[i]
		if in.Label == label {
			return in
		}
		r.strayInput(i, label)
	}
	state := r.plan.Seed + uint64(i)*hash.Gamma
	in := choice.Input{Label: label, Seed: hash.Splitmix(&state)}
	if n := min(WordsPerDraw, len(r.plan.Words)-r.wordsRead); n > 0 {
		in.Words = r.plan.Words[r.wordsRead : r.wordsRead+n]
		r.wordsRead += n
	}
	return in
}

// strayInput records the first difference between the stored inputs and the draws:
// stored input i has a label other than label, the label of the current draw.
func (r *Runner) strayInput(i int, label string) {
	if r.stray == "" {
		r.stray = fmt.Sprintf("draw %d is %q, the case has %q: the property makes different draws than when the case was saved",
			i, label, r.plan.Inputs[i].Label)
	}
}

// keepReads records that the current draw has read n words. r.most holds, for each
// draw, the maximum over earlier runs, which is reduced by a sixteenth in each run.
func (r *Runner) keepReads(n int) {
	i := len(r.reads)
	r.reads = append(r.reads, n)
	if i == len(r.most) {
		r.most = append(r.most, 0)
	}
	r.most[i] = max(n, r.most[i]-r.most[i]/16)
}

// keepInput adds a draw and its value to the result.
func (r *Runner) keepInput(in choice.Input, v any) {
	r.inputs = append(r.inputs, in)
	r.values = append(r.values, v)
	r.arity = append(r.arity, r.of)
	r.keepReads(r.words.reads)
}
