package search_test

import (
	"context"
	"fmt"

	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/fuzz/search"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

// A wall keeps the last word that it receives.
func lastWordStays(t *props.T) {
	last := ""
	sys := t.System()
	wall := sys.Spawn("wall", pulse.Func(func(_ *pulse.Ctx, msg any) { last = msg.(string) }))
	painter := pulse.Func(func(ctx *pulse.Ctx, msg any) { ctx.Send(wall, msg) })
	sys.Send(sys.Spawn("ada", painter), "first")
	sys.Send(sys.Spawn("ben", painter), "last")
	sys.Run()
	if last != "last" {
		t.Errorf("the wall says %q", last)
	}
}

var property = search.Property{Name: "lastWordStays", Test: "TestLastWordStays", Func: lastWordStays}

func ExampleSample() {
	res := search.Sample(context.Background(), property, search.Options{Runs: 100, Seed: 1})
	fmt.Println("run", res.Index+1, "failed:", res.Finding.Failure)
	fmt.Print(res.Finding.Chart())
	// Output:
	// run 3 failed: the wall says "first"
	// 0  test ──"first"──▶ ada
	// 1  test ──"last"──▶ ben
	// 2  ben ──"last"──▶ wall
	// 3  ada ──"first"──▶ wall       ← sent first, received last
}

func ExampleExplore() {
	x, err := search.Explore(context.Background(), property, search.ExploreOptions{KeepOn: true, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	v := x.Verdict
	fmt.Println("complete:", v.Complete, "orders:", v.Distinct, "failing:", v.Failing(), "ways to fail:", len(x.Found))

	all := search.ExploreOptions{Method: explore.Method{Reduction: explore.Everything}, KeepOn: true, Seed: 1}
	x, _ = search.Explore(context.Background(), property, all)
	fmt.Println("with those that do the same:", x.Verdict.Runs)
	// Output:
	// complete: true orders: 2 failing: 1 ways to fail: 1
	// with those that do the same: 6
}
