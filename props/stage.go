package props

import (
	"iter"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/stack"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A stage is the coroutine on which a Runner calls its property. A property that
// calls runtime.Goexit, for example by FailNow of a testing.T, ends its goroutine.
// Therefore the property runs on a separate goroutine, which can be replaced.
// Switching to the coroutine and back takes less than a tenth of the time of a small
// run.
type stage struct {
	next func() (struct{}, bool)
	stop func()
}

// gone is the panic value with which a stage reports that Goexit ended it.
type gone struct{}

// play runs the property on the stage until the run ends. It returns true if Goexit
// ended the stage first.
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

// perform is the body of the stage. It performs one run after another.
func (r *Runner) perform(yield func(struct{}) bool) {
	stopped := false
	defer func() {
		if !stopped { // Goexit has been called; panic instead, because Goexit would end the caller too
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

// exited fails the current run because it called runtime.Goexit.
func (t *T) exited() {
	f := &pulse.Failure{Kind: pulse.KindMisuse, Step: -1, Text: "the property called runtime.Goexit"}
	if s := t.state.sys; s != nil {
		if step, yes := s.Host().Abandoned(); yes {
			f.Text += " in " + step
			f.Step = s.Failure().Step
			t.runner.sys = nil // the system's coroutines are lost, so the next run makes a new system
		}
	}
	f.Text += ", as FailNow, Fatal and Skip of a testing.T do: use those of the props.T"
	setFrames(f)
	t.override(f)
}

// guarded calls f and turns a panic in f into the run's failure. what names f in the
// failure's text.
func (r *Runner) guarded(what string, f func()) {
	defer func() {
		switch v := recover().(type) {
		case nil, quit:
		case *pulse.Failure:
			if len(v.Stack) > 0 { // setFrames removes the frames of this package from the stack
				setFrames(v)
			}
			r.t.fail(v)
		default:
			if r.rapid != nil && isRapids(v) {
				r.foreign = v
				return
			}
			f := &pulse.Failure{Kind: pulse.KindPanic, Step: -1, Value: v, Text: "panic in " + what + ": " + trace.Thrown(v)}
			setFrames(f)
			r.t.fail(f)
		}
	}()
	f()
}
