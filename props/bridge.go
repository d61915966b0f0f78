package props

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/leanovate/gopter"
	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/hash"
)

// Rapid makes a property one of rapid:
//
//	func TestBank(t *testing.T) { rapid.Check(t, props.Rapid(moneyIsKept)) }
//
// Rapid then draws and shrinks the inputs, and a number from which the order of
// messages follows; zero is plain order. T.Rapid returns the rapid.T. Its Repeat
// can drive the system: the actions send, and call Run, as often as they like.
func Rapid(property func(*T)) func(*rapid.T) {
	return func(rt *rapid.T) {
		rt.Helper()
		r := NewRunner(rt.Name(), property)
		defer r.Close()
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

// Gopter makes a property one of gopter:
//
//	properties.Property("money is kept", props.Gopter(moneyIsKept))
//
// Inputs and the order of messages follow from gopter's random numbers.
func Gopter(property func(*T)) gopter.Prop {
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

// args returns the draws in the form in which gopter reports its own.
func args(res Result) []*gopter.PropArg {
	list := make([]*gopter.PropArg, len(res.Inputs))
	for i, in := range res.Inputs {
		v := res.Values[i]
		text := fmt.Sprintf("%v", v)
		list[i] = &gopter.PropArg{Label: in.Label, Arg: v, ArgFormatted: text, OrigArg: v, OrigArgFormatted: text}
	}
	return list
}

// inWords returns a failure as text: its location, its message and the chart of
// the run.
func inWords(res Result) string {
	text := res.Failure.Error()
	if res.Location != "" {
		text = res.Location + ": " + text
	}
	if c := chart(res); c != "" {
		text += "\n\n" + c
	}
	return text
}

// chart returns the message chart of the run, "" when it took no step.
func chart(res Result) string {
	if res.System == nil || len(res.System.Trace().Steps) == 0 {
		return ""
	}
	return strings.TrimSuffix(res.System.Trace().Chart(), "\n")
}

// order is a strategy that picks each message with equal chance. With seed zero
// it is plain order.
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
