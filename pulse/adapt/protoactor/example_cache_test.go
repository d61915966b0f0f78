package protoactor_test

import (
	"context"
	"fmt"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/jostle-go/jostle/fuzz/search"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse/adapt/protoactor"
)

type (
	lookup struct{}
	change struct{ to string }
	forget struct{}
)

// original is an actor that stores a value.
type original struct{ value string }

func (o *original) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case lookup:
		ctx.Respond(o.value)
	case change:
		o.value = m.to
		ctx.Respond(m.to)
	}
}

// A cached value is asked for once, by a future, and kept until the cache must forget it. If
// the cache forgets the value while a question waits, the answer is passed on, but not kept.
type cached struct {
	from  *actor.PID
	value string // empty if the value is not in the cache
	age   int    // how often the cache has forgotten the key
}

func (c *cached) Receive(ctx actor.Context) {
	switch ctx.Message().(type) {
	case forget:
		c.value = ""
		c.age++
	case lookup:
		if c.value != "" {
			ctx.Respond(c.value)
			return
		}
		age := c.age
		ctx.ReenterAfter(ctx.RequestFuture(c.from, lookup{}, time.Second), func(answer any, err error) {
			if err != nil {
				return // answer nothing: the asker's own timeout ends its wait
			}
			if age == c.age {
				c.value = answer.(string)
			}
			ctx.Respond(answer)
		})
	}
}

// cacheFollows is the property: in the end the cache has the value of the original.
// In the form with the bug the writer makes the cache forget the value before it
// changes the original.
func cacheFollows(mended bool) func(*props.T) {
	return func(t *props.T) {
		sys := t.System()
		as := protoactor.New(sys)
		first, _ := as.Root.SpawnNamed(actor.PropsFromProducer(func() actor.Actor { return &original{"old"} }), "original")
		cache, _ := as.Root.SpawnNamed(actor.PropsFromProducer(func() actor.Actor { return &cached{from: first} }), "cache")
		as.Root.SpawnNamed(actor.PropsFromFunc(func(ctx actor.Context) {
			if _, ok := ctx.Message().(*actor.Started); !ok {
				return
			}
			if !mended {
				ctx.Send(cache, forget{})
			}
			ctx.RequestFuture(first, change{"new"}, time.Second).Wait()
			if mended {
				ctx.Send(cache, forget{})
			}
		}), "writer")
		as.Root.SpawnNamed(actor.PropsFromFunc(func(ctx actor.Context) {
			if _, ok := ctx.Message().(*actor.Started); ok {
				ctx.Request(cache, lookup{})
			}
		}), "reader")
		sys.Run()
		if got, err := as.Root.RequestFuture(cache, lookup{}, time.Second).Result(); got != "new" {
			t.Errorf("the cache says %v, %v", got, err)
		}
	}
}

// A value is read through a cache while it is changed. In a test this is
//
//	func TestCacheFollows(t *testing.T) { fuzz.Explore(t, cacheFollows(false)) }
func Example_cache() {
	for _, mended := range []bool{false, true} {
		x, err := search.Explore(context.Background(), search.Property{Name: "cacheFollows", Func: cacheFollows(mended)}, search.ExploreOptions{KeepOn: true})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println("mended:", mended, "complete:", x.Verdict.Complete, "orders:", x.Verdict.Distinct, "failing:", x.Verdict.Failing())
		for _, f := range x.Found {
			fmt.Printf("%v\n%s", f.Failure, f.Chart())
		}
	}
	// Output:
	// mended: false complete: true orders: 12 failing: 2
	// the cache says old, <nil>
	//  0  test ──start──▶ original
	//  1  test ──start──▶ cache
	//  2  test ──start──▶ writer
	//  3  test ──start──▶ reader
	//  4  writer ──forget──▶ cache
	//  5  reader ──lookup──▶ cache
	//  6  cache ──lookup──▶ original
	//  7  writer ──change("new")──▶ original      ← sent first, received last
	//  8  original ──"old"──▶ cache
	//  9  original ──"new"──▶ writer
	// 10  cache ──continuation──▶ cache
	// 11  cache ──"old"──▶ reader
	//     at rest
	// 12  test ──lookup──▶ cache
	// 13  test ──await──▶ desk
	// 14  cache ──"old"──▶ desk
	// 15  desk ──"done"──▶ test
	// mended: true complete: true orders: 10 failing: 0
}
