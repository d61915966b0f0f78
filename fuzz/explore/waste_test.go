package explore_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/fuzz/subjects/load"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/pulse"
)

// Programs whose processes wait in ReceiveMatch. A message sent while a process waits raises the question whether the
// process would have accepted it.

// registers has a coordinator that takes "hello" from n clients in any order and answers each with
// "welcome". Each client then sends k results. The coordinator takes the results last, in the order of
// the clients.
func registers(n, k int) func(*pulse.System) func() error {
	type result struct{ client, number int }
	return func(sys *pulse.System) func() error {
		coordinator := sys.Go("coordinator", func(p *pulse.Process) {
			for range n {
				p.ReceiveMatch(func(m any) bool { return m == kind("hello") })
				p.Reply(kind("welcome"))
			}
			for i := range n * k {
				p.ReceiveMatch(func(m any) bool { return m == result{i / k, i % k} })
			}
		})
		for me := range n {
			sys.Go("client", func(p *pulse.Process) {
				p.Ask(coordinator, kind("hello"))
				for i := range k {
					p.Send(coordinator, result{me, i})
				}
			})
		}
		return nil
	}
}

// A claim asks for a resource that one client can have at a time. A release returns the resource.
type (
	claim   int
	release int
	yours   int
)

// grants is a process that grants n claims, each after the release of the one
// before.
func grants(sys *pulse.System, me, claims int) pulse.Ref {
	return sys.Go("granter", func(p *pulse.Process) {
		for range claims {
			c := p.ReceiveMatch(func(m any) bool { _, is := m.(claim); return is }).(claim)
			p.Send(p.Sender(), yours(me))
			p.ReceiveMatch(func(m any) bool { return m == release(c) })
		}
	})
}

// commits has coordinators that each claim all participants, one after another, and then release
// them.
func commits(coordinators, participants int) func(*pulse.System) func() error {
	return func(sys *pulse.System) func() error {
		var all []pulse.Ref
		for i := range participants {
			all = append(all, grants(sys, i, coordinators))
		}
		for me := range coordinators {
			sys.Go("coordinator", func(p *pulse.Process) {
				for i, to := range all {
					p.Send(to, claim(me))
					p.ReceiveMatch(func(m any) bool { return m == yours(i) })
				}
				for _, to := range all {
					p.Send(to, release(me))
				}
			})
		}
		return nil
	}
}

// dines has philosophers that each eat several times. Each asks for its two forks in the order of the
// forks.
func dines(n, meals int) func(*pulse.System) func() error {
	return func(sys *pulse.System) func() error {
		var forks []pulse.Ref
		for i := range n {
			forks = append(forks, grants(sys, i, 2*meals))
		}
		for me := range n {
			first, second := forks[min(me, (me+1)%n)], forks[max(me, (me+1)%n)]
			sys.Go("philosopher", func(p *pulse.Process) {
				for range meals {
					for _, fork := range []pulse.Ref{first, second} {
						p.Send(fork, claim(me))
						p.Receive()
					}
					p.Send(first, release(me))
					p.Send(second, release(me))
				}
			})
		}
		return nil
	}
}

// meet has n processes. In each round, each process sends every other process a message, then receives
// theirs in a fixed order: one distinct order. In addition, four messages from four senders come in 24
// orders.
func meet(n, rounds int) func(*pulse.System) func() error {
	type from struct{ who, round int }
	return func(sys *pulse.System) func() error {
		load.Senders(4, 1).Build(sys)
		refs := make([]pulse.Ref, n)
		for me := range n {
			refs[me] = sys.Go("peer", func(p *pulse.Process) {
				for r := range rounds {
					for i := 1; i < n; i++ {
						p.Send(refs[(me+i)%n], from{me, r})
					}
					for i := 1; i < n; i++ {
						p.ReceiveMatch(func(m any) bool { return m == from{(me + i) % n, r} })
					}
				}
			})
		}
		return nil
	}
}

func matched(name string, build func(*pulse.System) func() error) subject {
	return subject{name, pulse.Options{}, func() func(*pulse.System) func() error { return build }}
}

// TestWaste checks how many runs are wasted on processes in ReceiveMatch, and that no distinct order is
// missing.
func TestWaste(t *testing.T) {
	for _, c := range []struct {
		name                     string
		build                    func(*pulse.System) func() error
		distinct                 int
		optimal, workers, source int // wasted runs of Optimal with one worker, of Optimal with several workers, and of SourceSets
	}{
		{"registers", registers(4, 3), 24, 0, 0, 40},
		{"commits", commits(4, 3), 24, 8, 23, 180},
		{"dines", dines(3, 2), 90, 42, 50, 67},
		{"meet", meet(4, 2), 24, 35, 35, 1392},
	} {
		s := matched(c.name, c.build)
		source := explore.Options{Method: explore.Method{Reduction: explore.SourceSets}}
		for _, k := range []struct {
			counting
			wasted int
		}{{counting{workers: 1}, c.optimal}, {counting{workers: 2}, c.workers}, {counting{workers: 3}, c.workers}, {counting{source, 1}, c.source}} {
			f := s.count(k.counting)
			if !f.Complete || f.Runs != c.distinct || len(f.orders) != c.distinct || f.Wasted != k.wasted {
				t.Errorf("%s, %v with %d workers: %d runs, %d wasted, %d distinct orders; want %d, %d wasted", c.name, k.Reduction, k.workers,
					f.Runs, f.Wasted, len(f.orders), c.distinct, k.wasted)
			}
		}
	}
}

// TestNoWasteOnOne checks that no run is wasted if only one process is in ReceiveMatch. The search avoids the waste
// by taking messages for such a process last.
func TestNoWasteOnOne(t *testing.T) {
	if f := matched("registers", registers(4, 3)); f.explore(explore.Options{}).Wasted > 0 {
		t.Error("registers wastes runs")
	}
	r := &rig{}
	defer r.close()
	runs := 0
	for seed := range seeds(500) {
		p := matchingProgram(seed)
		for i := 1; i < len(p.templates); i++ {
			p.templates[i].process = false
		}
		got := r.explore(p, explore.Options{Runs: 1000})
		if runs += got.Runs; got.Wasted > 0 {
			t.Fatalf("program %d wastes %d runs:\n%v", seed, got.Wasted, p)
		}
	}
	t.Logf("%d runs", runs)
}

// TestPiecesOfWaste checks that the search file saves what the search has learned about processes in
// ReceiveMatch.
func TestPiecesOfWaste(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kept")
	for _, s := range []subject{matched("commits", commits(3, 2)), matched("dines", dines(3, 1)), matched("meet", meet(3, 2))} {
		checkPieces(t, s.name, s.searcher(), explore.Options{}, path)
	}
}

// passesOn adds a process that waits for a go, and then sends one message.
func passesOn(sys *pulse.System, name string, to pulse.Ref) pulse.Ref {
	return sys.Go(name, func(p *pulse.Process) {
		p.ReceiveMatch(func(m any) bool { return m == kind("go") })
		p.Send(to, kind("from "+name))
	})
}

// relays sends a message to actors by way of another actor. So the message is sent later than the
// messages that the test sends.
func relays(sys *pulse.System, k kind, to ...pulse.Ref) {
	sys.Send(sys.Spawn("relay", pulse.Func(func(ctx *pulse.Ctx, m any) {
		for _, ref := range to {
			ctx.Send(ref, m)
		}
	})), k)
}

// wantsByItsPast has a process that takes x and y in any order, then z, and then waits. If x came first, it
// waits only for the message "end". If y came first, it also accepts a message from another process. So the
// search must ask again whether the process accepts that message, if its past was different, even though
// the step before the wait was the same.
func wantsByItsPast(sys *pulse.System) func() error {
	chooser := sys.Go("chooser", func(p *pulse.Process) {
		isLetter := func(m any) bool { return m == kind("x") || m == kind("y") }
		first := p.ReceiveMatch(isLetter)
		p.ReceiveMatch(isLetter)
		p.ReceiveMatch(func(m any) bool { return m == kind("z") })
		p.ReceiveMatch(func(m any) bool { return m == kind("end") || m == kind("from sender") && first == kind("y") })
	})
	// The sender rejects the other senders' messages as often as the chooser rejects the sender's. Otherwise the search
	// would postpone the chooser until there is no question.
	sender := passesOn(sys, "sender", chooser)
	others := []pulse.Ref{sender}
	for range 4 {
		others = append(others, passesOn(sys, "other", sender))
	}
	relays(sys, "y", chooser)
	for _, k := range []kind{"x", "z", "end"} {
		sys.Send(chooser, k)
	}
	relays(sys, "go", others...)
	return nil
}

// wantsByAnothersPast has two processes. The second takes the messages a, b and "go" in any order.
// At "go" it sends the first process "last a" or "last b", whichever of the two came last. The
// first process accepts "last a" and "end". So the answer that it rejects "last b" says nothing
// about "last a", although the same step sends both.
func wantsByAnothersPast(sys *pulse.System) func() error {
	chooser := sys.Go("chooser", func(p *pulse.Process) {
		p.ReceiveMatch(func(m any) bool { return m == kind("end") || m == kind("last a") })
	})
	teller := sys.Go("teller", func(p *pulse.Process) {
		last := kind("")
		for range 3 {
			k := p.ReceiveMatch(func(any) bool { return true }).(kind)
			if k == kind("go") {
				p.Send(chooser, "last "+last)
			}
			last = k
		}
	})
	sys.Send(chooser, kind("end"))
	for _, k := range []kind{"a", "b", "go"} {
		relays(sys, k, teller)
	}
	return nil
}

// TestAnswersHoldForOnePast makes a search forget its answers and ask the same questions again. The same question must
// always get the same answer.
func TestAnswersHoldForOnePast(t *testing.T) {
	trial.Long(t)
	list := []subject{matched("its past", wantsByItsPast), matched("another's past", wantsByAnothersPast)}
	for seed := range seeds(300) {
		p := matchingProgram(seed)
		list = append(list, subject{fmt.Sprintf("program %d", seed), p.options(), func() func(*pulse.System) func() error { return p.Build }})
	}
	again, changed := [2]int{}, 0 // questions asked again, by their last answer; and answers that changed
	for _, s := range list {
		answers, r := map[uint64]bool{}, &rig{}
		explore.Answers(r.worker(s.options, s.build()), 500, func(question uint64, wanted bool) {
			before, had := answers[question]
			if had {
				again[count(wanted)]++
			}
			if had && before != wanted {
				changed++
				t.Errorf("%s: one question has two answers", s.name)
			}
			answers[question] = wanted
		})
		r.close()
	}
	t.Logf("asked again: %d that were not wanted, %d that were", again[0], again[1])
	if again[0]+again[1] < 50 || changed > 0 {
		t.Errorf("asked again: %v, and %d answers have changed", again, changed)
	}
}

// TestNothingIsTakenForKnown checks that the search transfers no answer from one message to a similar one. If
// it did, it would miss orders of these two programs.
func TestNothingIsTakenForKnown(t *testing.T) {
	for _, c := range []struct {
		build            func(*pulse.System) func() error
		distinct, wasted int
	}{{wantsByItsPast, 3, 10}, {wantsByAnothersPast, 8, 3}} {
		s := matched("program", c.build)
		if f := s.explore(explore.Options{}); f.Runs != c.distinct || len(f.orders) != c.distinct || f.Wasted != c.wasted {
			t.Errorf("%d runs, %d wasted, %d distinct orders; want %d, %d wasted", f.Runs, f.Wasted, len(f.orders), c.distinct, c.wasted)
		}
	}
}

// acceptsByHost has a Host with two actors. The first accepts only the message "end" until "end" has come. The second
// accepts only "go", and then sends the first a message.
func acceptsByHost(sys *pulse.System) func() error {
	h := sys.Host()
	only := func(r pulse.Ref, k kind) { h.Accept(r, func(m any) bool { return m == k }) }
	first := sys.Spawn("first", pulse.Func(func(ctx *pulse.Ctx, _ any) { h.Accept(ctx.Self(), nil) }))
	second := sys.Spawn("second", pulse.Func(func(ctx *pulse.Ctx, _ any) { ctx.Send(first, kind("late")) }))
	only(first, "end")
	only(second, "go")
	sys.Send(first, kind("end"))
	relays(sys, "x", first)
	relays(sys, "y", first)
	sys.Send(second, kind("go"))
	return nil
}

// TestAcceptByHost checks that all orders of a Host's actors are found. Their wait may begin before the first
// step.
func TestAcceptByHost(t *testing.T) {
	s := matched("host", acceptsByHost)
	all, ok := enumerate(s.options, s.build(), 20_000)
	for _, r := range explore.Reductions() {
		f := s.explore(explore.Options{Method: explore.Method{Reduction: r}})
		if t.Logf("%v: %d wasted", r, f.Wasted); !ok || !f.Complete || len(f.orders) != all.distinct() || f.Reduction == explore.Optimal && f.Runs != all.distinct() {
			t.Errorf("%v: %d runs, %d wasted, %d distinct orders of %d", r, f.Runs, f.Wasted, len(f.orders), all.distinct())
		}
	}
}

// TestPostponedForLong checks that a program ends if only a process in ReceiveMatch ends it. The search postpones that
// process's messages.
func TestPostponedForLong(t *testing.T) {
	s := matched("ticks", func(sys *pulse.System) func() error {
		ticker := sys.Spawn("ticker", pulse.Func(func(ctx *pulse.Ctx, m any) {
			if m == kind("stop") {
				ctx.Stop()
				return
			}
			ctx.Send(ctx.Self(), m)
		}))
		stopper := sys.Go("stopper", func(p *pulse.Process) {
			p.ReceiveMatch(func(m any) bool { return m == kind("go") })
			p.Send(ticker, kind("stop"))
		})
		sys.Send(ticker, kind("tick"))
		sys.Send(stopper, kind("go"))
		return nil
	})
	for _, o := range []explore.Ordering{explore.OrderFIFO, explore.OrderLCA} {
		f := s.explore(explore.Options{Runs: 1, Method: explore.Method{Ordering: o}})
		if f.Runs != 1 || len(f.Failures) > 0 || f.Steps < 1000 || f.Steps > 1010 {
			t.Errorf("%v: %+v", o, f.Result)
		}
	}
}
