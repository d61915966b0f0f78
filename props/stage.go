package props

import (
	"iter"

	"github.com/jostle-go/jostle/pulse"
)

// A stage is the coroutine that a runner's properties run on. It is there for
// one case: code that calls runtime.Goexit, as testing.T's FailNow does, takes
// its goroutine with it, and nothing can stop that. So it must be one that can
// be spared. A switch to a coroutine and back costs less than a tenth of a
// small run.
type stage struct {
	next func() (struct{}, bool)
	stop func()
}

// gone is what a stage panics with while it is taken away.
type gone struct{}

// play goes on with the run on the stage until it is over, and says whether it
// lost the stage before that.
func (r *Runner) play() (lost bool) {
	if r.stage.next == nil {
		r.stage.next, r.stage.stop = iter.Pull(r.perform)
	}
	defer func() {
		switch v := recover().(type) {
		case nil:
		case gone:
			lost, r.stage = true, stage{}
		default:
			panic(v)
		}
	}()
	r.stage.next()
	return false
}

// perform is what runs on the stage: one run after the other.
func (r *Runner) perform(yield func(struct{}) bool) {
	stopped := false
	defer func() {
		if !stopped { // a panic in place of Goexit's, which would end the caller too
			r.t.exited()
			panic(gone{})
		}
	}()
	r.g = pulse.Host{}.Goroutine()
	for !stopped {
		r.act()
		stopped = !yield(struct{}{})
	}
}

// exited fails a run that has called runtime.Goexit.
func (t *T) exited() {
	f := &pulse.Failure{Kind: pulse.KindMisuse, Step: -1, Text: "the property called runtime.Goexit"}
	if s := t.state.sys; s != nil {
		if step, yes := s.Host().Abandoned(); yes {
			f.Text += " in " + step
			f.Step = s.Failure().Step
			t.runner.sys = nil // it has lost its coroutines: the next run makes another
		}
	}
	f.Text += ", as FailNow, Fatal and Skip of a testing.T do: use those of the props.T"
	setFrames(f)
	t.override(f)
}
