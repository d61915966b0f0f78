package props

import (
	"iter"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/stack"
)

// A stage is the coroutine that a runner's properties run on. It exists for one
// reason: code that calls runtime.Goexit, as FailNow of a testing.T does, ends
// its goroutine, and nothing can stop that. So a property runs on a goroutine
// that can be replaced. A switch to a coroutine and back costs less than a tenth
// of a small run.
type stage struct {
	next func() (struct{}, bool)
	stop func()
}

// gone is the value of the panic that a stage throws when Goexit ends it.
type gone struct{}

// play continues the run on the stage until the run is over. It returns true
// when Goexit ended the stage before that.
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

// perform is the body of the stage: one run after another.
func (r *Runner) perform(yield func(struct{}) bool) {
	stopped := false
	defer func() {
		if !stopped { // replaces Goexit, which would end the caller too
			r.t.exited()
			panic(gone{})
		}
	}()
	r.g = pulse.Host{}.Goroutine()
	r.watched.stage.Store(stack.Current())
	if r.sys != nil {
		r.sys.Host().Own()
	}
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
