package explore_test

import (
	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/pulse"
)

// A worker is a Worker made of functions. A nil function does nothing.
type worker struct {
	run   func(pulse.Strategy) explore.Run
	done  func(explore.Run)
	again func()
}

func (w *worker) Run(s pulse.Strategy) explore.Run { return w.run(s) }

func (w *worker) Done(r explore.Run) {
	if w.done != nil {
		w.done(r)
	}
}

func (w *worker) Again() {
	if w.again != nil {
		w.again()
	}
}

// tell returns a copy of the worker that reports each completed run.
func (w *worker) tell(done func(explore.Run)) *worker { return &worker{w.run, done, w.again} }
