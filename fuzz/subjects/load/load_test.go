package load_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/jostle-go/jostle/fuzz/subjects/load"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/strategy"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestSteps(t *testing.T) {
	want := map[string]int{
		"ring(10,1,100)": 1000, "ring(10,10,10)": 1000, "pingpong(999)": 1000, "senders(10,100)": 1000,
		"senders(8,1)": 8, "alltoall(10,11)": 1000, "processes(10,9,11)": 1000, "pi(5)": 16,
		"ring(3,1,3)": 9, "ring(3,3,3)": 27, "pingpong(8)": 9, "senders(3,3)": 9,
		"senders(4,1)": 4, "alltoall(3,2)": 15, "processes(3,2,2)": 15, "pi(3)": 10,
	}
	for _, l := range append(load.All(), load.Small()...) {
		if l.Steps != want[l.Name] {
			t.Errorf("%s says that it takes %d steps, want %d", l.Name, l.Steps, want[l.Name])
		}
		for _, d := range []pulse.Delivery{pulse.DeliveryFIFO, pulse.DeliveryUnordered} {
			sys := pulse.New(pulse.Options{Strategy: strategy.Random(), Delivery: d})
			for seed := range uint64(100) {
				sys.Reset(seed)
				check := l.Build(sys)
				sys.Run()
				if f := sys.Failure(); f != nil {
					t.Fatalf("%s, seed %d: %v", l.Name, seed, f)
				}
				if err := check(); err != nil || sys.Steps() != l.Steps {
					t.Fatalf("%s, seed %d: %v after %d steps, want %d", l.Name, seed, err, sys.Steps(), l.Steps)
				}
			}
			sys.Close()
		}
	}
}

// TestCheck runs loads whose messages are lost: their checks must notice.
func TestCheck(t *testing.T) {
	for _, l := range load.Small() {
		sys := pulse.New(pulse.Options{})
		check := l.Build(sys)
		if check() == nil {
			t.Errorf("%s: check passes before the run", l.Name)
		}
		sys.Close()
	}
}

func TestAllocations(t *testing.T) {
	for _, l := range load.All() {
		for _, record := range []bool{false, true} {
			sys := pulse.New(pulse.Options{Strategy: strategy.Random(), Record: record})
			n := testing.AllocsPerRun(10, func() {
				sys.Reset(1)
				l.Build(sys)
				sys.Run()
			})
			if n != 0 {
				t.Errorf("%s, recorded %v: a run allocates %v times", l.Name, record, n)
			}
			sys.Close()
		}
	}
}
