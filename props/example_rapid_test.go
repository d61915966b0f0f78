package props_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

// Sending all messages twice doubles the sum.
func sumIsDoubled(t *props.T) {
	numbers := props.Draw(t, rapid.SliceOf(rapid.IntRange(0, 9)), "numbers")
	sys := t.System()
	sum, want := 0, 0
	adder := sys.Spawn("adder", pulse.Func(func(ctx *pulse.Ctx, msg any) { sum += msg.(int) }))
	for _, n := range numbers {
		want += 2 * n
		sys.Send(adder, n)
		sys.Go("echo", func(p *pulse.Process) { p.Send(adder, n) })
	}
	sys.Run()
	if sum != want {
		t.Errorf("the sum is %d, want %d", sum, want)
	}
}

// The body belongs in func TestSumIsDoubled(t *testing.T). Rapid then chooses,
// and shrinks, both the inputs and the order of messages.
func ExampleRapid() {
	var t *testing.T
	rapid.Check(t, props.Rapid(sumIsDoubled))
}
