package shrink

import (
	"context"
	"reflect"
	"runtime"
	"slices"
	"strings"

	"github.com/jostle-go/jostle/pulse/choice"
)

// Each of these functions performs one pass once, and InOrder the level inOrder twice.
var (
	Elements   = alone(func(x *shrinker) { elements(x, 0) })
	Rearranged = alone(rearranged)
	United     = alone(united)
	Nearest    = alone(nearest)
	Perturb    = alone(perturb)
	Simpler    = alone(simpler)
	Afresh     = alone(afresh)
	InOrder    = alone(func(x *shrinker) { x.round(&inOrder); x.round(&inOrder) })
)

func alone(pass func(*shrinker)) func(Subject, Outcome) Result {
	return func(s Subject, found Outcome) Result {
		x := newShrinker(context.Background(), s, found, Options{})
		x.effort = littleEffort
		pass(x)
		return x.Result
	}
}

// Doubted runs the pass doubt: it searches other draws, first with little effort and then with the pass's full effort.
func Doubted(s Subject, found Outcome, inputs []choice.Input) Result {
	return alone(func(x *shrinker) {
		x.seek(inputs, true)
		x.effort = fullEffort
		doubted(x)
	})(s, found)
}

// Passes returns the names of all passes.
func Passes() (names []string) {
	for _, l := range levels {
		for _, pass := range l.passes {
			if name := nameOf(pass); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// Without removes a pass from all levels, including the levels of descents. The returned function restores the
// pass.
func Without(name string) (restore func()) {
	all, descent := levels, [...]level{inOrder, falling}
	for i := range levels {
		levels[i] = levels[i].without(name)
	}
	inOrder, falling = inOrder.without(name), falling.without(name)
	return func() { levels, inOrder, falling = all, descent[0], descent[1] }
}

func (l level) without(name string) level {
	l.passes = slices.DeleteFunc(slices.Clone(l.passes), func(pass func(*shrinker)) bool { return nameOf(pass) == name })
	return l
}

// nameOf returns the name of a pass, which is a function.
func nameOf(pass func(*shrinker)) string {
	name := runtime.FuncForPC(reflect.ValueOf(pass).Pointer()).Name()
	return name[strings.LastIndex(name, ".")+1:]
}
