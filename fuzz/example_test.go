package fuzz_test

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/fuzz"
	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

// A stock answers reservations as long as it has something left.
type stock struct{ left int }

func (s *stock) Receive(ctx *pulse.Ctx, msg any) {
	if want := msg.(int); want <= s.left {
		s.left -= want
		ctx.Reply(true)
		return
	}
	ctx.Reply(false)
}

// Nothing is left over while somebody is refused.
func nothingIsLeftOver(t *props.T) {
	goods := &stock{left: props.Draw(t, rapid.IntRange(1, 5), "stock")}
	refused := false
	sys := t.System()
	shop := sys.Spawn("shop", goods)
	for range props.OneOf(t, "customers", 1, 2, 3) {
		sys.Go("customer", func(p *pulse.Process) { refused = refused || !p.Ask(shop, 1).(bool) })
	}
	sys.Run()
	if refused && goods.left > 0 {
		t.Errorf("%d left, and a customer was refused", goods.left)
	}
}

// A property is checked by an ordinary test:
//
//	func TestNothingIsLeftOver(t *testing.T) { fuzz.Check(t, nothingIsLeftOver) }
func ExampleCheck() {
	var t *testing.T // the test's
	fuzz.Check(t, nothingIsLeftOver)
}

func ExampleConfig_Check() {
	var t *testing.T
	fuzz.Config{
		Budget:     time.Minute,
		Workers:    2, // the property shares nothing with others that run at the same time
		Strategies: []string{"random", "pos"},
	}.Check(t, nothingIsLeftOver)
}

// A canary: a property with a planted bug, which has to be noticed.
func ExampleMustFind() {
	var t *testing.T
	found := fuzz.MustFind(t, nothingIsLeftOver)
	if !strings.Contains(found.Failure.Text, "a customer was refused") {
		t.Errorf("it failed otherwise: %s", found.Failure.Text)
	}
}

// Under go test -fuzz:
//
//	func FuzzNothingIsLeftOver(f *testing.F) { fuzz.Target(f, nothingIsLeftOver) }
func ExampleTarget() {
	var f *testing.F
	fuzz.Target(f, nothingIsLeftOver)
}

func ExampleExplore() {
	var t *testing.T
	v := fuzz.Explore(t, nothingIsLeftOver)
	if !v.Complete {
		t.Logf("%d orders were run, and then came the bound: %s", v.Distinct, v.Bound)
	}
}

// With a bound on delays, Explore first runs the orders that are nearest to plain
// order, in which the oldest message always comes first. It raises the bound from
// 0 to 3.
func ExampleConfig_Explore_bounded() {
	var t *testing.T
	fuzz.Config{
		Method: explore.Method{Reduction: explore.Everything, DelayBound: 3},
		Budget: time.Minute,
	}.Explore(t, nothingIsLeftOver)
}

// If Always checks the state of several actors at once, a reduction
// may skip orders that matter. Reduction Everything skips none.
func ExampleConfig_Explore_everything() {
	var t *testing.T
	fuzz.Config{
		Method:       explore.Method{Reduction: explore.Everything},
		MustComplete: true,
	}.Explore(t, nothingIsLeftOver)
}

// A benchmark tells how many orders there are, and how long they take:
//
//	func BenchmarkOrders(b *testing.B) { … }
func ExampleExplore_benchmark() {
	var b *testing.B
	for b.Loop() {
		fuzz.Explore(b, nothingIsLeftOver)
	}
}
