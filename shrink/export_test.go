package shrink

import (
	"context"

	"github.com/jostle-go/jostle/pulse/choice"
)

// Each of these functions runs one pass once.
var (
	Elements   = alone(func(x *shrinker) { elements(x, 0) })
	Rearranged = alone(rearranged)
	United     = alone(united)
	Nearest    = alone(nearest)
	Perturb    = alone(perturb)
	Simpler    = alone(simpler)
	Afresh     = alone(afresh)
)

func alone(pass func(*shrinker)) func(Subject, Outcome) Result {
	return func(s Subject, found Outcome) Result {
		x := newShrinker(context.Background(), s, found, Options{})
		x.effort = littleEffort
		pass(x)
		return x.Result
	}
}

// Doubted searches other draws with little effort, and then with that of the pass.
func Doubted(s Subject, found Outcome, inputs []choice.Input) Result {
	return alone(func(x *shrinker) {
		x.seek(inputs, true)
		x.effort = fullEffort
		doubted(x)
	})(s, found)
}
