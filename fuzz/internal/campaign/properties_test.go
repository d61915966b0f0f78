// Skips: unless a worker of a campaign runs them. The tests of this
// file are the properties that campaigns of the other tests search.
package campaign_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/fuzz"
	programs "github.com/jostle-go/jostle/fuzz/subjects"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

// Variables in the environment of workers.
const (
	isSearched = "CAMPAIGN_TEST_SEARCHED" // they are workers
	pidFolder  = "CAMPAIGN_TEST_PIDS"     // folder in which each worker creates a file
	onceFile   = "CAMPAIGN_TEST_ONCE"     // file that marks that the fault has happened
)

// searched calls Check if this process is a worker, and skips the test otherwise.
func searched(t *testing.T, property func(*props.T), strategies ...string) {
	t.Helper()
	if os.Getenv(isSearched) == "" {
		t.Skip("no campaign searches here")
	}
	if dir := os.Getenv(pidFolder); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(os.Getpid())), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	fuzz.Config{Strategies: strategies}.Check(t, property)
}

// race sends numbers to one actor, each through another actor, so that they
// arrive in any order. When the last has arrived, it calls look with all of them.
func race(t *props.T, numbers int, look func(got []int)) {
	var got []int
	sys := t.System()
	last := sys.Spawn("last", pulse.Func(func(_ *pulse.Ctx, msg any) {
		if got = append(got, msg.(int)); len(got) == numbers {
			look(got)
		}
	}))
	for i := range numbers {
		by := sys.Spawn("by", pulse.Func(func(ctx *pulse.Ctx, msg any) { ctx.Send(last, msg) }))
		sys.Send(by, i)
	}
	sys.Run()
}

// drawn draws a value that is not used. Properties with draws are not searched exhaustively.
func drawn(t *props.T) { props.Draw(t, rapid.IntRange(0, 1000), "any") }

// descends reports whether the numbers from 0 to n-1 arrived in descending order.
func descends(got []int, n int) bool {
	for i := range n {
		if got[i] != n-1-i {
			return false
		}
	}
	return true
}

func holds(t *props.T) {
	drawn(t)
	race(t, 5, func([]int) {})
}

func twoBugs(t *props.T) {
	drawn(t)
	race(t, 4, func(got []int) {
		if descends(got, 4) {
			panic("descends")
		}
		if got[0] == 1 && got[1] == 3 && got[2] == 0 {
			panic("begins with 1, 3, 0")
		}
	})
}

func exits(t *props.T) {
	drawn(t)
	race(t, 4, func(got []int) {
		if descends(got, 4) {
			fmt.Println("the last words")
			os.Exit(3)
		}
	})
}

func fatal(t *props.T) {
	drawn(t)
	race(t, 4, func(got []int) {
		if descends(got, 4) {
			var m sync.Mutex
			m.Unlock()
		}
	})
}

func hangs(t *props.T) {
	drawn(t)
	race(t, 4, func(got []int) {
		for descends(got, 4) {
		}
	})
}

var eaten [][]byte

func eats(t *props.T) {
	drawn(t)
	race(t, 4, func(got []int) {
		for descends(got, 4) {
			eaten = append(eaten, make([]byte, 1<<20))
			clear(eaten[len(eaten)-1])
		}
	})
}

// stallsOnce hangs in the first process only, as if the machine had been suspended.
func stallsOnce(t *props.T) {
	drawn(t)
	race(t, 4, func(got []int) {
		if !descends(got, 4) {
			return
		}
		file, err := os.OpenFile(os.Getenv(onceFile), os.O_CREATE|os.O_EXCL, 0o600)
		for err == nil {
			time.Sleep(time.Hour)
		}
		file.Close()
	})
}

var before int

// remembers fails in each run after the first twenty of its process.
func remembers(t *props.T) {
	drawn(t)
	race(t, 3, func([]int) {
		if before++; before > 20 {
			panic("too many runs before")
		}
	})
}

func few(t *props.T) { race(t, 3, func([]int) {}) }

func skipped(t *props.T) {
	drawn(t)
	t.Skip("never wanted")
}

// seldom skips its run for nine inputs in ten.
func seldom(t *props.T) {
	if n := props.Draw(t, rapid.IntRange(0, 1000), "any"); n < 500 || n > 600 {
		t.Skip("hardly ever wanted")
	}
	race(t, 3, func([]int) {})
}

// stands hangs for one input in a hundred.
func stands(t *props.T) {
	n := props.Draw(t, rapid.Uint64Range(0, 1<<40), "any")
	race(t, 4, func([]int) {
		if n%100 == 7 {
			select {}
		}
	})
}

// standsAtOnce hangs in each run.
func standsAtOnce(t *props.T) {
	drawn(t)
	race(t, 4, func([]int) { select {} })
}

// exitsLate ends its process after three seconds, when the time of its campaign is over.
func exitsLate(t *props.T) {
	drawn(t)
	race(t, 3, func([]int) {
		time.Sleep(3 * time.Second)
		os.Exit(3)
	})
}

// waits sleeps a second in each run; burns uses a second of processor time in each run.
func waits(t *props.T) {
	drawn(t)
	race(t, 3, func([]int) { time.Sleep(time.Second) })
}

func burns(t *props.T) {
	drawn(t)
	race(t, 3, func([]int) {
		for end := time.Now().Add(time.Second); time.Now().Before(end); {
		}
	})
}

// hogs uses two gigabytes of memory for a while.
func hogs(t *props.T) {
	drawn(t)
	race(t, 3, func(got []int) {
		for _, big := range [][]byte{make([]byte, 1<<30), make([]byte, 1<<30)} {
			for i := 0; i < len(big); i += 4096 {
				big[i] = byte(got[0])
			}
		}
	})
}

// prints prints a megabyte.
func prints(t *props.T) {
	drawn(t)
	race(t, 3, func([]int) { os.Stdout.Write(make([]byte, 1<<20)) })
}

// usual returns a property without a bug, with the given number of racing messages.
func usual(numbers int) func(*props.T) {
	return func(t *props.T) {
		drawn(t)
		race(t, numbers, func([]int) {})
	}
}

func TestStands(t *testing.T)       { searched(t, stands) }
func TestStandsAtOnce(t *testing.T) { searched(t, standsAtOnce) }
func TestExitsLate(t *testing.T)    { searched(t, exitsLate) }
func TestWaits(t *testing.T)        { searched(t, waits) }
func TestBurns(t *testing.T)        { searched(t, burns) }
func TestHogs(t *testing.T)         { searched(t, hogs) }
func TestPrints(t *testing.T)       { searched(t, prints) }
func TestUsual3(t *testing.T)       { searched(t, usual(3)) }
func TestUsual4(t *testing.T)       { searched(t, usual(4)) }
func TestUsual5(t *testing.T)       { searched(t, usual(5)) }
func TestUsual6(t *testing.T)       { searched(t, usual(6)) }
func TestUsual7(t *testing.T)       { searched(t, usual(7)) }
func TestUsual8(t *testing.T)       { searched(t, usual(8)) }

func TestHolds(t *testing.T)     { searched(t, holds) }
func TestTwoBugs(t *testing.T)   { searched(t, twoBugs) }
func TestExits(t *testing.T)     { searched(t, exits) }
func TestFatal(t *testing.T)     { searched(t, fatal) }
func TestHangs(t *testing.T)     { searched(t, hangs) }
func TestEats(t *testing.T)      { searched(t, eats) }
func TestStalls(t *testing.T)    { searched(t, stallsOnce) }
func TestFew(t *testing.T)       { searched(t, few) }
func TestSkipped(t *testing.T)   { searched(t, skipped) }
func TestShared(t *testing.T)    { searched(t, shared) }
func TestUnshared(t *testing.T)  { searched(t, unshared) }
func TestLocked(t *testing.T)    { searched(t, trial.Locked) }
func TestSeldom(t *testing.T)    { searched(t, seldom) }
func TestRemembers(t *testing.T) { searched(t, remembers) }

// TestPlain searches in plain order alone.
func TestPlain(t *testing.T) { searched(t, holds, "plain") }

func TestCanceled(t *testing.T)    { searched(t, canceledOnTheWay, "plain") }
func TestCanceledFew(t *testing.T) { searched(t, func(t *props.T) { canceled(t, false) }) }
func TestCanceledEnd(t *testing.T) { searched(t, canceledAtLast, "plain") }

// What benchmarks search.
func TestRaft(t *testing.T)      { searched(t, mended("raft-dupvote")) }
func TestMessenger(t *testing.T) { searched(t, mended("messenger")) }
func TestChain(t *testing.T)     { searched(t, mended("chain-repair")) }
func TestPaxos(t *testing.T)     { searched(t, mended("paxos-quorum")) }
func TestVoteCount(t *testing.T) { searched(t, mended("raft-votecount")) }
func TestRegistry(t *testing.T)  { searched(t, mended("pingreg")) }
func TestVotedFor(t *testing.T)  { searched(t, mended("raft-votedfor")) }
func TestCache(t *testing.T)     { searched(t, mended("cache")) }

// mended returns the property of a subject in its mended form.
func mended(name string) func(*props.T) {
	i := slices.IndexFunc(programs.All(), func(s programs.Subject) bool { return s.Name == name })
	return programs.All()[i].Property(true)
}

// eight sends one message to each of eight actors. Actor n calls f with n.
func eight(t *props.T, f func(n int)) {
	sys := t.System()
	for i := range 8 {
		sys.Send(sys.Spawn("actor", pulse.Func(func(*pulse.Ctx, any) { f(i) })), "go")
	}
	sys.Run()
}

// shared has one distinct order, but its actors share a slice.
func shared(t *props.T) {
	var list []int
	eight(t, func(n int) { list = append(list, n) })
	if slices.Equal(list[:4], []int{7, 6, 5, 4}) {
		t.Errorf("the last four came first")
	}
}

// unshared has one distinct order, and its actors share nothing.
func unshared(t *props.T) { eight(t, func(int) {}) }

type (
	reserve struct{}
	cancel  struct{}
)

// canceled fails if the cancellation arrives before the reservation. In
// plain order it fails only if the reservation goes through a relay.
func canceled(t *props.T, relayed bool) {
	sys, list := t.System(), []any{}
	order := sys.Spawn("order", pulse.Func(func(_ *pulse.Ctx, msg any) { list = append(list, msg) }))
	to := func(next pulse.Ref) pulse.Func { return func(ctx *pulse.Ctx, msg any) { ctx.Send(next, msg) } }
	next := order
	if relayed {
		next = sys.Spawn("relay", to(order))
	}
	sys.Send(sys.Spawn("seller", to(next)), reserve{})
	sys.Send(sys.Spawn("buyer", to(order)), cancel{})
	if sys.Run(); len(list) > 0 && list[0] == (cancel{}) {
		t.Errorf("canceled before it was reserved")
	}
}

func canceledOnTheWay(t *props.T) { canceled(t, props.Draw(t, rapid.Bool(), "relayed")) }

// canceledAtLast ends its process if the cancellation arrives before the
// reservation. In plain order this happens for about one input in a hundred.
func canceledAtLast(t *props.T) {
	n := props.Draw(t, rapid.Uint64Range(0, 1<<40), "any")
	sys, list := t.System(), []any{}
	order := sys.Spawn("order", pulse.Func(func(ctx *pulse.Ctx, msg any) {
		if list = append(list, msg); len(list) == 2 {
			ctx.Send(ctx.Self(), "ship")
		} else if len(list) == 3 && list[0] == (cancel{}) {
			os.Exit(3)
		}
	}))
	pass := pulse.Func(func(ctx *pulse.Ctx, msg any) { ctx.Send(order, msg) })
	seller, buyer := sys.Spawn("seller", pass), sys.Spawn("buyer", pass)
	if n%100 == 7 {
		sys.Send(buyer, cancel{})
	}
	sys.Send(seller, reserve{})
	if n%100 != 7 {
		sys.Send(buyer, cancel{})
	}
	sys.Run()
}
