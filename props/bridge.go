package props

import (
	"fmt"
	"math/bits"
	"reflect"
	"strings"
	"sync"
	"unsafe"

	"github.com/leanovate/gopter"
	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/trace"
)

// Rapid turns a property into a property of rapid:
//
//	func TestBank(t *testing.T) { rapid.Check(t, props.Rapid(moneyIsKept)) }
//
// Rapid draws and shrinks the inputs and a seed for the order of messages. Seed zero
// delivers the oldest message first. T.Rapid returns the rapid.T. Its Repeat method
// can drive the system: the actions may send messages, and call Run any number of
// times.
//
// When the test ends, it fails if some situation of T.Sometimes was never reached.
// This check requires that at least 20 runs were made and all passed.
func Rapid(property func(*T)) func(*rapid.T) {
	mustBeThere("Rapid", property)
	all := &reached{}
	return func(rt *rapid.T) {
		rt.Helper()
		r := NewRunner(rt.Name(), property)
		defer r.Close()
		all.judgeAtTheEnd(rt)
		defer all.add(r)
		r.rapid = rt
		seed := rapid.Uint64().Draw(rt, "order of messages")
		res := r.Run(Plan{Strategy: &order{}, StrategySeed: seed})
		switch {
		case r.foreign != nil:
			if !isInvalid(r.foreign) {
				rt.Log(chart(res))
			}
			panic(r.foreign)
		case res.Failure != nil:
			for _, line := range res.Logs {
				rt.Log(line)
			}
			rt.Fatalf("%s", inWords(res))
		case res.Skipped:
			rt.SkipNow()
		case rt.Failed():
			rt.Log(chart(res))
		}
	}
}

// A reached collects what T.Sometimes reported in the runs of one test under rapid.
type reached struct {
	mu    sync.Mutex
	test  any // the testing.TB of the rapid test; nil before the first run
	runs  int
	names []string // the names given to T.Sometimes, in the order of the first calls
	is    map[string]bool
	more  bool      // set if T.Sometimes was called with more than mostSituations names
	past  []*Runner // the runners of the last runs, whose T a goroutine may still use
	late  *pulse.Failure
}

// mostPast is the maximum number of runners in reached.past.
const mostPast = 8

// fewestRuns is the least number of runs after which it is an error that no run has
// reached a situation. Rapid makes 100 runs, but 20 with -short.
const fewestRuns = 20

// judgeAtTheEnd registers a Cleanup with rapid's test, once per test. The Cleanup
// reports the situations that no run has reached.
func (a *reached) judgeAtTheEnd(rt *rapid.T) {
	test, ok := testOf(rt)
	if !ok {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.test == any(test) {
		return
	}
	a.test, a.runs, a.names, a.is, a.more, a.past, a.late = test, 0, nil, map[string]bool{}, false, nil, nil
	test.Cleanup(func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		for a.test == any(test) && len(a.past) > 0 {
			a.ask()
		}
		if a.test == any(test) && a.late != nil {
			test.Errorf("%v", a.late)
		}
		for _, name := range a.names {
			if a.test == any(test) && !a.is[name] && a.runs >= fewestRuns && !test.Failed() {
				test.Errorf("sometimes %q: reached in none of %d runs: the test covers less than it seems to", name, a.runs)
			}
		}
		if a.test == any(test) && a.more {
			test.Logf("Sometimes is given more than %d names: later names are not checked; use few names, the same in each run", mostSituations)
		}
	})
}

// ask removes the oldest runner from a.past. If the property left a goroutine behind
// that has used the runner's T, ask records the failure.
func (a *reached) ask() {
	if late := a.past[0].Late(); a.late == nil {
		a.late = late
	}
	a.past = a.past[1:]
}

// add records which situations the last run of r has reached.
func (a *reached) add(r *Runner) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.test == nil {
		return
	}
	a.runs++
	if a.past = append(a.past, r); len(a.past) > mostPast {
		a.ask()
	}
	a.more = a.more || r.crowded
	for _, name := range r.names {
		if _, known := a.is[name]; !known {
			if len(a.names) == mostSituations {
				a.more = true
				continue
			}
			a.names = append(a.names, name)
		}
		a.is[name] = a.is[name] || r.sometimes[name]
	}
}

// aTest lists the methods of a testing.TB that judgeAtTheEnd calls.
type aTest interface {
	Cleanup(func())
	Errorf(string, ...any)
	Logf(string, ...any)
	Failed() bool
}

// testOf returns the testing.TB of a rapid test. ok is false if the TB lacks a method
// of aTest, or if this version of rapid stores the TB in a different field.
func testOf(rt *rapid.T) (test aTest, ok bool) {
	field := reflect.ValueOf(rt).Elem().FieldByName("tb")
	if !field.IsValid() || field.Kind() != reflect.Interface || field.IsNil() || !field.Elem().Comparable() {
		return nil, false
	}
	test, ok = reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem().Interface().(aTest)
	return test, ok
}

// Gopter turns a property into a property of gopter:
//
//	properties.Property("money is kept", props.Gopter(moneyIsKept))
//
// gopter's random numbers determine the inputs and the order of messages. Situations
// of T.Sometimes are not checked, because gopter does not report when a test ends.
func Gopter(property func(*T)) gopter.Prop {
	mustBeThere("Gopter", property)
	return func(params *gopter.GenParameters) *gopter.PropResult {
		r := NewRunner("property", property)
		defer r.Close()
		r.sizes = *params
		res := r.Run(Plan{Seed: params.NextUint64(), Strategy: &order{}, StrategySeed: params.NextUint64()})
		out := &gopter.PropResult{Status: gopter.PropTrue, Args: args(res)}
		switch {
		case res.Failure != nil:
			out.Status = gopter.PropFalse
			out.Labels = []string{strings.Join(append([]string{inWords(res)}, res.Logs...), "\n")}
		case res.Skipped:
			out.Status = gopter.PropUndecided
		}
		return out
	}
}

// args converts the draws of a run to gopter's arguments.
func args(res Result) []*gopter.PropArg {
	list := make([]*gopter.PropArg, len(res.Inputs))
	for i, in := range res.Inputs {
		v := res.Values[i]
		text, fault := trace.Said(v, "String", func() string { return fmt.Sprintf("%v", v) })
		if fault != "" {
			text = trace.Label(v)
		}
		list[i] = &gopter.PropArg{Label: in.Label, Arg: v, ArgFormatted: text, OrigArg: v, OrigArgFormatted: text}
	}
	return list
}

// inWords returns a failure as text: its location, its message and the chart of
// the run.
func inWords(res Result) string {
	text := res.Failure.Error()
	if at := res.Location.Place(); at != "" {
		text = at + ": " + text
	}
	if c := chart(res); c != "" {
		text += "\n\n" + c
	}
	return text
}

// chart returns the message chart of the run, or "" if the run took no step.
func chart(res Result) string {
	if res.System == nil || len(res.System.Trace().Steps) == 0 {
		return ""
	}
	return strings.TrimSuffix(res.System.Trace().Chart(), "\n")
}

// order is a strategy that chooses among the deliverable messages with equal
// probability. With seed zero it delivers the oldest message first.
type order struct {
	state uint64
	plain bool
}

func (o *order) Begin(seed uint64) { o.state, o.plain = seed, seed == 0 }

func (o *order) Pick(e *pulse.Enabled) int {
	if o.plain {
		return e.Oldest()
	}
	return o.below(e.Len())
}

func (o *order) Choose(_ choice.Kind, n int) int {
	if o.plain {
		return 0
	}
	return o.below(n)
}

func (o *order) below(n int) int {
	hi, _ := bits.Mul64(hash.Splitmix(&o.state), uint64(n))
	return int(hi)
}
