package coverage_test

import (
	"fmt"
	"os"
	"runtime"
	"testing"

	"github.com/jostle-go/jostle/fuzz/internal/coverage"
	"github.com/jostle-go/jostle/fuzz/subjects/barber"
	"github.com/jostle-go/jostle/fuzz/subjects/load"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// A user is a program whose runs are added to an Orders.
type user struct {
	name string
	o    *coverage.Orders
	add  func(n uint64) // adds run n
}

// users are a campaign of a program with a few thousand orders, and one of a program
// whose runs are all new.
func users(tb testing.TB) []user {
	campaign := func(name string, o *coverage.Orders, build func(*pulse.System)) user {
		sys := pulse.New(pulse.Options{Strategy: strategy.Random(), Record: true})
		tb.Cleanup(sys.Close)
		return user{name, o, func(n uint64) {
			sys.Reset(n)
			build(sys)
			sys.Run()
			o.Add(sys.Trace(), coverage.Run{Unguided: true})
		}}
	}
	anew := &coverage.Orders{Bytes: 4 << 20}
	return []user{
		campaign("barber", &coverage.Orders{}, func(sys *pulse.System) { barber.Config{Customers: 5, Mended: true}.Build(sys) }),
		{"all new", anew, func(n uint64) { anew.Add(fresh(n<<44, 5, 20), coverage.Run{Unguided: true}) }},
	}
}

// heap returns the number of bytes in use.
func heap() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// The memory of a campaign stops growing after a certain number of
// runs. At night ten million runs are made. By then the limits of
// Bytes and of past.rare are reached. Only new orders add memory:
// at most 32 bytes each, doubled because tables grow by doubling.
func TestCampaignsTakeNoMoreMemory(t *testing.T) {
	trial.Long(t)
	flat, most := uint64(5_000), uint64(10_000)
	if os.Getenv("JOSTLE_NIGHTLY") != "" {
		flat, most = 1_000_000, 10_000_000 // the program still shows a new order now and then
	}
	for _, u := range users(t) {
		before := heap()
		for n := range flat {
			u.add(n + 1)
		}
		then, told, seen := heap()-before, u.o.Memory(), u.o.Seen()
		for n := flat; n < most; n++ {
			u.add(n + 1)
		}
		now, more, fresh := heap()-before, u.o.Memory()-told, u.o.Seen()-seen
		t.Logf("%s: %.1f MB after %d runs, %.1f MB after %d, of which Memory says %.1f", u.name, float64(then)/1e6, flat, float64(now)/1e6, most, float64(u.o.Memory())/1e6)
		if more > 32*fresh {
			t.Errorf("%s: Memory says %d bytes more, and %d orders were new", u.name, more, fresh)
		}
		if now > then+1<<16+2*more {
			t.Errorf("%s: %d bytes after %d runs, and %d after %d", u.name, then, flat, now, most)
		}
		if u.o.Runs() != int(most) {
			t.Errorf("%s: %d runs", u.name, u.o.Runs())
		}
	}
}

// BenchmarkMemory prints the memory of an Orders in MB, after
// several numbers of runs and after a run of a million steps.
func BenchmarkMemory(b *testing.B) {
	for i, u := range users(b) {
		b.Run(u.name, func(b *testing.B) {
			for b.Loop() {
				u, before, n := users(b)[i], heap(), uint64(0)
				for _, mark := range []uint64{100, 1000, 10_000} {
					for ; n < mark; n++ {
						u.add(n + 1)
					}
					b.ReportMetric(float64(heap()-before)/1e6, fmt.Sprintf("MB-after-%d", mark))
				}
				runtime.KeepAlive(u)
			}
			b.ReportMetric(0, "ns/op")
		})
	}
	b.Run("a million steps", func(b *testing.B) {
		sys := pulse.New(pulse.Options{Strategy: strategy.Random(), Record: true, Steps: 1 << 21, Pending: 1 << 21})
		defer sys.Close()
		load.Senders(10, 100_000).Build(sys)
		sys.Run()
		for b.Loop() {
			before, o := heap(), &coverage.Orders{}
			o.Add(sys.Trace(), coverage.Run{Unguided: true})
			b.ReportMetric(float64(heap()-before)/1e6, "MB-more")
			b.ReportMetric(float64(sys.Steps()), "steps")
			runtime.KeepAlive(o)
		}
		b.ReportMetric(0, "ns/op")
	})
}
