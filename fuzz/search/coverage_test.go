package search

import (
	"context"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/fuzz/coverage"
	"github.com/jostle-go/jostle/fuzz/subjects/writer"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

// What a search has covered does not depend on the number of its workers, and its
// unguided runs are those of the arm random.
func TestCoverageOfWorkers(t *testing.T) {
	p := Property{Name: t.Name(), Test: t.Name(), Func: writer.Property(true)}
	one := Sample(context.Background(), p, Options{Runs: 512, Seed: 3})
	c := one.Orders.Count(coverage.PR)
	if c.Covered < 6 || one.Orders.Runs() != 512 || one.Orders.Chance().Runs != one.By["random"] {
		t.Errorf("%+v in %d runs, %+v", c, one.Orders.Runs(), one.Orders.Chance())
	}
	for _, workers := range []int{2, 3} {
		more := Sample(context.Background(), p, Options{Runs: 512, Seed: 3, Workers: workers})
		d := more.Orders.Count(coverage.PR)
		if c.Seen != d.Seen || c.Covered != d.Covered || one.Orders.Chance() != more.Orders.Chance() || more.Orders.Runs() != 512 {
			t.Errorf("%d workers: %v, want %v", workers, more.Orders.Summary(), one.Orders.Summary())
		}
	}
}

// What two searches have seen can be put together: runs of two seeds are two, those of
// one seed are the same.
func TestCoverageOfTwoNights(t *testing.T) {
	p := Property{Name: t.Name(), Test: t.Name(), Func: writer.Property(true)}
	night := func(seed uint64, workers int) *coverage.Orders {
		return Sample(context.Background(), p, Options{Runs: 128, Seed: seed, Workers: workers}).Orders
	}
	both := &coverage.Orders{}
	for _, o := range []*coverage.Orders{night(1, 1), night(2, 2), night(1, 1)} {
		both.Merge(o)
	}
	if both.Runs() != 256 || both.Chance().Runs != 90 {
		t.Errorf("%d runs, %d unguided; want 256, 90", both.Runs(), both.Chance().Runs)
	}
}

// What all orders of a program show is all that can be covered.
func TestCoverageOfAllOrders(t *testing.T) {
	for _, c := range []struct {
		name string
		f    func(*props.T)
		want coverage.Count
		text string
	}{
		{"three that race", func(t *props.T) { race3(t, pulse.Options{}).Run() },
			coverage.Count{Seen: 6, Covered: 3}, "3 of 3 orders of two receives covered"},
		{"the mended writer", func(t *props.T) {
			sys := t.System()
			writer.Config{Actions: 2, Mended: true}.Build(sys)
			sys.Run()
		}, coverage.Count{Seen: 14, Covered: 2, Impossible: 10}, "2 of 2 orders of two receives covered"},
		{"one after the other", func(t *props.T) {
			sys := t.System()
			a := sys.Spawn("a", pulse.Func(func(*pulse.Ctx, any) {}))
			sys.Send(a, 1)
			sys.Send(a, 2)
			sys.Run()
		}, coverage.Count{Seen: 1, Impossible: 1}, "no two of the receives seen can come in both orders"},
	} {
		x := Exhaust(context.Background(), Property{Name: c.name, Test: c.name, Func: c.f}, 1, 1000)
		got := x.Orders.Count(coverage.PR)
		if !x.All || got != c.want || got.String() != c.text {
			t.Errorf("%s: all %v, %#v, %q", c.name, x.All, got, got)
		}
	}
}

// A search that may go on names what it has not seen, each name once.
func TestCoverageNamesWhatIsOpen(t *testing.T) {
	p := Property{Name: t.Name(), Test: t.Name(), Func: func(t *props.T) { race3(t, pulse.Options{}).Run() }}
	res := Sample(context.Background(), p, Options{Runs: 1, Seed: 3})
	if got, want := res.Coverage(), "0 of 3 orders of two receives covered\n"+
		"not seen so far: "; !strings.HasPrefix(got, want) || strings.Count(got, " before ") != 1 {
		t.Errorf("%q, want %q…", got, want)
	}
}
