package search

import (
	"context"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/fuzz/internal/coverage"
	"github.com/jostle-go/jostle/fuzz/subjects/writer"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

// The coverage of a search does not depend on the number of its workers. Its unguided runs are those of the arm
// random.
func TestCoverageOfWorkers(t *testing.T) {
	p := Property{Name: t.Name(), Test: t.Name(), Func: writer.Property(true)}
	one := Sample(context.Background(), p, Options{Runs: 512, Seed: 3, CountAll: true})
	c := one.Orders.Count()
	if c.Covered < 6 || one.Orders.Runs() != 512 || one.Orders.Chance().Runs != one.By["random"] {
		t.Errorf("%+v in %d runs, %+v", c, one.Orders.Runs(), one.Orders.Chance())
	}
	for _, workers := range []int{2, 3} {
		more := Sample(context.Background(), p, Options{Runs: 512, Seed: 3, Workers: workers, CountAll: true})
		d := more.Orders.Count()
		if c.Seen != d.Seen || c.Covered != d.Covered || one.Orders.Chance() != more.Orders.Chance() || more.Orders.Runs() != 512 {
			t.Errorf("%d workers: %v, want %v", workers, more.Orders.Summary(), one.Orders.Summary())
		}
	}
}

// The coverages of two searches can be merged. Searches with two seeds count the runs of both. Two searches with
// one seed count the same runs once.
func TestCoverageOfTwoNights(t *testing.T) {
	p := Property{Name: t.Name(), Test: t.Name(), Func: writer.Property(true)}
	night := func(seed uint64, workers int) *coverage.Orders {
		return Sample(context.Background(), p, Options{Runs: 128, Seed: seed, Workers: workers}).Orders
	}
	both := &coverage.Orders{}
	for _, o := range []*coverage.Orders{night(1, 1), night(2, 2), night(1, 1)} {
		both.Merge(o)
	}
	if both.Runs() != 256 || both.Chance().Runs != 95 {
		t.Errorf("%d runs, %d unguided; want 256, 95", both.Runs(), both.Chance().Runs)
	}
}

// A search can cover exactly the receive pairs that the orders of a program contain.
func TestCoverageOfAllOrders(t *testing.T) {
	for _, c := range []struct {
		name string
		f    func(*props.T)
		want coverage.Count
		text string
	}{
		{"three that race", func(t *props.T) { race3(t, pulse.Options{}).Run() },
			coverage.Count{Seen: 6, Covered: 3}, "3 of 3 receive pairs seen in both orders"},
		{"the mended writer", func(t *props.T) {
			sys := t.System()
			writer.Config{Actions: 2, Mended: true}.Build(sys)
			sys.Run()
		}, coverage.Count{Seen: 14, Covered: 2, Impossible: 10}, "2 of 2 receive pairs seen in both orders"},
		{"one after the other", func(t *props.T) {
			sys := t.System()
			a := sys.Spawn("a", pulse.Func(func(*pulse.Ctx, any) {}))
			sys.Send(a, 1)
			sys.Send(a, 2)
			sys.Run()
		}, coverage.Count{Seen: 1, Impossible: 1}, "no receive pair seen can come in both orders"},
	} {
		x := Exhaust(context.Background(), Property{Name: c.name, Test: c.name, Func: c.f}, 1, 1000)
		got := x.Orders.Count()
		if !x.All || got != c.want || got.String() != c.text {
			t.Errorf("%s: all %v, %#v, %q", c.name, x.All, got, got)
		}
	}
}

// A search that may continue lists the receive pairs that it has not covered. It lists each name once, and omits names
// that say nothing because all senders have the same name.
func TestCoverageNamesWhatIsOpen(t *testing.T) {
	named := func(t *props.T) {
		sys := t.System()
		judge := sys.Spawn("judge", pulse.Func(func(*pulse.Ctx, any) {}))
		for _, name := range []string{"a", "a", "b"} {
			from := sys.Spawn(name, pulse.Func(func(ctx *pulse.Ctx, msg any) { ctx.Send(judge, msg) }))
			sys.Send(from, 1)
		}
		sys.Run()
	}
	for _, c := range []struct {
		property func(*props.T)
		want     string
	}{
		{func(t *props.T) { race3(t, pulse.Options{}).Run() }, "0 of 3 receive pairs seen in both orders"},
		{named, "0 of 3 receive pairs seen in both orders\nnot seen so far: int from b before int from a at judge"},
	} {
		res := Sample(context.Background(), Property{Name: t.Name(), Test: t.Name(), Func: c.property}, Options{Runs: 1, Seed: 6})
		if got := res.Coverage(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// All receive pairs of the first runs are counted. Only a fraction of the later runs is counted, the same fraction
// for each arm, and the report says so.
func TestSomeRunsAreCounted(t *testing.T) {
	p := Property{Name: t.Name(), Test: t.Name(), Func: func(t *props.T) { race3(t, pulse.Options{}).Run() }}
	res := Sample(context.Background(), p, Options{Runs: 4096, Seed: 1})
	counted := res.Counted()
	if want := firstCounted + (4096-firstCounted)/countedShare; counted < want-60 || counted > want+60 || res.Orders.Runs() != counted {
		t.Errorf("%d runs counted, %d by coverage; want about %d", counted, res.Orders.Runs(), want)
	}
	if u := res.Orders.Chance().Runs; u != res.By["random"]-res.Uncounted["random"] || 8*u < counted {
		t.Errorf("%d of %d counted runs are unguided", u, counted)
	}
	for arm, n := range res.By {
		if left := n - res.Uncounted[arm]; left < n/16 || left > n/2 && n > firstCounted {
			t.Errorf("%s: %d of %d runs counted", arm, left, n)
		}
	}
	arms := 0 // the number of arms of which only some runs were counted
	for _, n := range res.Uncounted {
		if n > 0 {
			arms++
		}
	}
	if text := res.Coverage() + res.Yields(); strings.Count(text, "counted") != 1+arms || arms != len(res.By)-1 { // all runs of one arm were counted, so its line has no count
		t.Errorf("not told:\n%s", text)
	}
	two := Sample(context.Background(), p, Options{Runs: 4096, Seed: 1, Workers: 2})
	if two.Counted() != counted || two.Yields() == "" || two.Orders.Chance() != res.Orders.Chance() {
		t.Errorf("two workers count %d, one %d", two.Counted(), counted)
	}
}
