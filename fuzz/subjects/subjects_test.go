package subjects_test

import (
	"os"
	"slices"
	"testing"

	"go.uber.org/goleak"

	"github.com/jostle-go/jostle/fuzz/subjects"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/strategy"
	"github.com/jostle-go/jostle/pulse/trace"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// nightly reports whether the long versions of tests are wanted.
func nightly() bool { return os.Getenv("JOSTLE_NIGHTLY") != "" }

// newSystem returns a system for a subject. It is closed when the test is over.
func newSystem(t *testing.T, s subjects.Subject, by pulse.Strategy, record bool) *pulse.System {
	t.Helper()
	o := s.Options
	o.Strategy, o.Record = by, record
	sys := pulse.New(o)
	t.Cleanup(sys.Close)
	return sys
}

// run makes one run and returns its failure, nil if it passed.
func run(sys *pulse.System, seed uint64, build subjects.Build) error {
	sys.Reset(seed)
	check := build(sys)
	sys.Run()
	if f := sys.Failure(); f != nil {
		return f
	}
	return check()
}

func TestByName(t *testing.T) {
	for i, s := range subjects.All() {
		got, ok := subjects.ByName(s.Name)
		if !ok || got.Name != s.Name || got.Wrong != s.Wrong {
			t.Errorf("ByName(%q) = %q, %v", s.Name, got.Name, ok)
		}
		if s.Source == "" || s.Wrong == "" || s.Depth < 0 || s.Property == nil {
			t.Errorf("subject %d, %q, does not say all that it should", i, s.Name)
		}
	}
	if s, ok := subjects.ByName("none"); ok {
		t.Errorf("ByName(none) = %q", s.Name)
	}
}

// count returns 1 for true and 0 for false.
func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

// isHard reports whether a subject is in the list of hard subjects or in the list Apart.
func isHard(s subjects.Subject) bool { return isOf(s, subjects.Hard()) || isOf(s, subjects.Apart()) }

// isOf reports whether a subject is on a list.
func isOf(s subjects.Subject, list []subjects.Subject) bool {
	return slices.ContainsFunc(list, func(h subjects.Subject) bool { return h.Name == s.Name })
}

// TestBroken runs each broken form with the seeds 1, 2, 3, …, more of them for
// hard subjects. By day it stops at the first failure, or after 3,000 runs.
func TestBroken(t *testing.T) {
	for _, want := range []struct {
		name      string
		first     int // number of the first failing run
		failing   int // number of failing runs
		steps     int // number of steps of the first failing run
		text      string
		signature string // the failure's signature, if the run itself fails; empty if the check fails
	}{
		{"writer", 3, 2434, 5, "stored 0 of 1 results", ""},
		{"writer-error", 102, 112, 7, "the check for errors found lost results: [1]", ""},
		{"gatling", 2, 4970, 4, "flushed 0 of 1 writers", ""},
		{"bank", 2, 1282, 3, "panic in server#1 ← withdraw(150): overdrawn: withdraws 150 of 100\n" +
			"    bank.(*server).Receive bank.go:100",
			"panic at bank.(*server).Receive: overdrawn: withdraws # of #"},
		{"threadring", 2, 1282, 4, "Send token(0): the Ref is the zero Ref, which is nobody: it was never set (in passer.2#1 ← token(1))\n" +
			"    threadring.(*passer).pass threadring.go:108\n" +
			"    threadring.(*passer).Receive threadring.go:102",
			"misuse at threadring.(*passer).pass"},
		{"server", 5, 3771, 7, "the client read [0 5]", ""},
		{"gatling-records", 3, 1182, 5, "user 1 ends before the start", ""},
		{"barber", 58, 105, 13, "1 of 2 customers wait forever", ""},
		{"messenger", 1, 2944, 28, "message 1 from user 1 to user 0 was sent and not shown", ""},
		{"procreg", 4, 273, 17, "no atomic registry answers like this:\n" +
			"client.1, from 1 to 2: kill(process 1) = true\n" +
			"client.1, from 3 to 4: register(name 1, process 1) = true\n" +
			"client.2, from 5 to 7: register(name 1, process 1) = badarg\n" +
			"client.3, from 6 to 8: register(name 1, process 1) = true\n", ""},
		{"procreg-forgets", 4, 122, 15, "no atomic registry answers like this:\n" +
			"client.1, from 1 to 2: register(name 1, process 1) = true\n" +
			"client.2, from 3 to 4: kill(process 1) = true\n" +
			"client.2, from 5 to 6: register(name 1, process 2) = true\n" +
			"client.2, from 7 to 8: whereis(name 1) = undefined\n", ""},
		{"pingreg", 8, 1225, 8, "panic in pong#3 ← false: badarg: register ping 1\n" +
			"    pingreg.(*family).register pingreg.go:86\n" +
			"    pingreg.(*family).parent pingreg.go:65",
			"panic at pingreg.(*family).register: badarg: register ping #"},
		{"attach", 2, 2261, 8, "client.2 was refused although a place was free", ""},
		{"guard", 1, 10_000, 3, "1 tokens were refused when 1 were free", ""},
		{"2pc-early", 1, 3194, 20, "participant 2 has committed, participant 1 has aborted", ""},
		{"2pc-stuck", 2, 2718, 17, "the transaction is never decided", ""},
		{"paxos-quorum", 4, 2859, 22, "two values are chosen: 1 for proposer 1, 2 for proposer 2", ""},
		{"raft-dupvote", 25, 236, 15, "term 1 has two leaders: node.1 and node.2", ""},
		{"cache", 9, 3101, 8, "key 1 has the value 2, which was put under another key", ""},
		{"closing", 2, 4970, 3, "the account holds 0, and should hold 1", ""},
		{"raft-votecount", 26, 466, 21, "term 2 has two leaders: node.1 and node.2", ""},
		{"raft-votedfor", 152, 40, 18, "term 1 has two leaders: node.1 and node.2", ""},
		{"paxos-commit", 311, 59, 25, "the updates from 0 to 1 and from 0 to 2 have both succeeded", ""},
		{"chain-repair", 35, 328, 19, "reader 1 read 1 and then 0", ""},
		{"snapshot-late", 131, 78, 14, "follower 2 leads with a log up to entry 10, but entry 11 was committed", ""},
		{"zab-newleader", 2498, 22, 26, "the new leader has entries up to 1, but entries up to 3 were committed", ""},
		{"evictable", 12081, 8, 39, "the old value was read after it had been changed and invalidated", ""},
		{"cas-replay", 11873, 26, 77, "update 1 was committed again after [1 2]", ""},
		{"raft-member", 689, 17, 35, "node 1 leads in term 4 without what node 2 has committed in term 3", ""},
		{"writer-error-30", 7686, 13, 98, "the check for errors found lost results: [10]", ""},
		{"barber-7", 942, 30, 38, "1 of 7 customers wait forever", ""},
		{"paxos-commit-6", 26048, 5, 47, "the updates from 0 to 1 and from 0 to 2 have both succeeded", ""},
		{"chain-repair-10", 9404, 13, 33, "reader 1 read 1 and then 0", ""},
		{"snapshot-late-5", 2008, 16, 25, "follower 3 leads with a log up to entry 10, but entry 11 was committed", ""},
		{"evictable-5", 5647, 6, 55, "the old value was read after it had been changed and invalidated", ""},
		{"raft-oldterm", 5492, 22, 59, "at index 1 node 1 has applied command 0 of term 1, node 3 command 1 of term 2", ""},
		{"deposed-read", 6602, 9, 25, "a read returns version 0, but version 1 was written before it", ""},
		{"session-lost", 858, 27, 22, "client 1 has sent 2 commands, server 2 has applied 3", ""},
		{"shard-twice", 3071, 14, 61, "shard 2 has 2 of 4 writes", ""},
		{"ack-compact", 1845, 26, 67, "message 3 came again to subscriber 2 after its acknowledgment was confirmed", ""},
		{"vote-log", 1134, 25, 57, "transaction 2 has committed and has aborted", ""},
		{"gossip-ghost", 4068, 29, 49, "node 5 has the member again, which it had removed", ""},
		{"cache-fill", 1555, 39, 31, "the cache has the value 2, the source has 4", ""},
	} {
		t.Run(want.name, func(t *testing.T) {
			s, ok := subjects.ByName(want.name)
			if !ok {
				t.Fatal("no such subject")
			}
			sys := newSystem(t, s, strategy.Random(), true)
			first, failing, runs := 0, 0, 10_000
			if isHard(s) {
				runs = 60_000
			}
			if !nightly() {
				runs, want.failing = min(want.first, 3000), count(want.first <= 3000)
				want.first *= want.failing
			}
			for seed := 1; seed <= runs; seed++ {
				err := run(sys, uint64(seed), s.Broken)
				if err == nil {
					continue
				}
				failing++
				if first != 0 {
					continue
				}
				first = seed
				if sys.Steps() != want.steps || err.Error() != want.text {
					t.Errorf("the first failure comes after %d steps, want %d:\n%s\nwant\n%s", sys.Steps(), want.steps, err, want.text)
				}
				if f := sys.Failure(); f != nil && f.Lasting() != want.signature || f == nil && want.signature != "" {
					t.Errorf("the first failure is %v, want %s", f.Lasting(), want.signature)
				}
			}
			if first != want.first || failing != want.failing {
				t.Errorf("run %d fails first, and %d of %d; want %d and %d", first, failing, runs, want.first, want.failing)
			}
		})
	}
}

// TestSubjectsAreTested checks that TestBroken leaves no subject out.
func TestSubjectsAreTested(t *testing.T) {
	if n := len(subjects.All()); n != 43 {
		t.Errorf("there are %d subjects; give each a row in TestBroken", n)
	}
}

func TestPlainOrder(t *testing.T) {
	for _, s := range subjects.All() {
		sys := newSystem(t, s, nil, false)
		if err := run(sys, 1, s.Broken); (err == nil) != (s.Name != "guard") {
			t.Errorf("%s, broken, depth %d: %v", s.Name, s.Depth, err)
		}
		if err := run(sys, 1, s.Mended); err != nil {
			t.Errorf("%s, mended: %v", s.Name, err)
		}
	}
}

func TestMendedPasses(t *testing.T) {
	for _, s := range subjects.All() {
		for _, name := range strategy.Names() {
			runs := uint64(100)
			if nightly() {
				runs = 1000
			}
			if name == "random" {
				runs = 500
				if nightly() {
					runs = 20_000
				}
			}
			sys := newSystem(t, s, byName(name), false)
			for seed := range runs {
				if err := run(sys, seed, s.Mended); err != nil {
					t.Errorf("%s, %s, seed %d: %v", s.Name, name, seed, err)
					break
				}
			}
		}
	}
}

// TestDepth measures the depth of the failures of many runs. The smallest must be
// the subject's Depth. Hard subjects seldom fail in random order, so they are
// measured at night. Subjects of the list Apart are measured in random order too.
func TestDepth(t *testing.T) {
	trial.Long(t)
	list, runs := subjects.Easy(), 10_000
	if nightly() {
		list, runs = subjects.All(), 20_000
	}
	for _, s := range list {
		by := []string{"random"}
		if isOf(s, subjects.Hard()) {
			by = []string{"random", "pos", "pctcp", "urw"}
		}
		n, least := runs, -1
		if isOf(s, subjects.Apart()) {
			n *= 3
		}
		for _, name := range by {
			if d := shallowest(t, s, byName(name), n); least < 0 || d >= 0 && d < least {
				least = d
			}
		}
		if least != s.Depth {
			t.Errorf("%s: the shallowest failure of %d runs by %v has depth %d, want %d", s.Name, n, by, least, s.Depth)
		}
	}
}

// shallowest returns the smallest depth of the failures of some runs, -1 when none
// fails.
func shallowest(t *testing.T, s subjects.Subject, by pulse.Strategy, runs int) int {
	plain := newSystem(t, s, nil, true)
	run(plain, 1, s.Broken)
	ranks := map[uint64]int32{}
	for _, step := range plain.Trace().Steps {
		if step.Send != trace.None {
			ranks[plain.Trace().Sends[step.Send].ID] = int32(len(ranks))
		}
	}
	sys, least := newSystem(t, s, by, true), -1
	for seed := range uint64(runs) {
		if run(sys, seed, s.Broken) == nil {
			continue
		}
		if d := reorderings(sys.Trace(), ranks); least < 0 || d < least {
			least = d
		}
	}
	return least
}

// reorderings returns the smallest number of messages that must be moved to bring the messages of
// each receiver into plain order. Messages that were not received count as last. Messages that do
// not occur in plain order are ignored.
func reorderings(t *trace.Trace, ranks map[uint64]int32) int {
	lists := make([][]int32, len(t.Actors))
	add := func(s trace.Send) {
		if rank, ok := ranks[s.ID]; ok {
			lists[s.To] = append(lists[s.To], rank)
		}
	}
	for _, step := range t.Steps {
		if step.Send != trace.None {
			add(t.Sends[step.Send])
		}
	}
	for _, s := range t.Sends {
		if s.Receipt == trace.None {
			add(s)
		}
	}
	n := 0
	for _, list := range lists {
		n += len(list) - increasing(list)
	}
	return n
}

// increasing returns the length of the longest increasing subsequence.
func increasing(list []int32) int {
	var ends []int32 // ends[n] is the smallest last element of an increasing subsequence of length n+1
	for _, x := range list {
		i, _ := slices.BinarySearch(ends, x)
		if i == len(ends) {
			ends = append(ends, x)
		} else {
			ends[i] = x
		}
	}
	return len(ends)
}
