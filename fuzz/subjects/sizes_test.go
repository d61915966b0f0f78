package subjects_test

import (
	"strings"
	"testing"

	"github.com/jostle-go/jostle/fuzz/subjects"
	"github.com/jostle-go/jostle/fuzz/subjects/bank"
	"github.com/jostle-go/jostle/fuzz/subjects/gatling"
	"github.com/jostle-go/jostle/fuzz/subjects/raftdupvote"
	"github.com/jostle-go/jostle/fuzz/subjects/server"
	"github.com/jostle-go/jostle/fuzz/subjects/threadring"
	"github.com/jostle-go/jostle/fuzz/subjects/writer"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// TestSizes builds the subjects larger than they are listed: the broken form
// passes in plain order and fails in some other, the mended one passes in all.
func TestSizes(t *testing.T) {
	for _, c := range []struct {
		name           string
		broken, mended subjects.Build
		failing        int    // of 2000 runs of the broken form
		text           string // the first line of the first failure
	}{
		{"writer", writer.Config{Actions: 3}.Build, writer.Config{Actions: 3, Mended: true}.Build,
			532, "stored 2 of 3 results"},
		{"writer-error", writer.Config{Actions: 3, Check: true}.Build, writer.Config{Actions: 3, Check: true, Mended: true}.Build,
			9, "the check for errors found lost results: [3]"},
		{"gatling", gatling.Config{Writers: 3, Actions: 2}.Build, gatling.Config{Writers: 3, Actions: 2, Mended: true}.Build,
			1779, "flushed 0 of 3 writers"},
		{"bank", bank.Config{Requests: []int{50, -30, 20, -140}}.Build, bank.Config{Requests: []int{50, -30, 20, -140}, Mended: true}.Build,
			296, "panic in server#1 ← withdraw(140): overdrawn: withdraws 140 of 100"},
		{"threadring", threadring.Config{Passers: 5, Hops: 12}.Build, threadring.Config{Passers: 5, Hops: 12, Mended: true}.Build,
			384, "Send token(10): the Ref is the zero Ref, which is nobody: it was never set (in passer.2#1 ← token(11))"},
		{"server", server.Config{Gets: 4}.Build, server.Config{Gets: 4, Mended: true}.Build,
			967, "the client read [0 5 5 5]"},
		{"raft-dupvote", raftdupvote.Config{Nodes: 7, Candidates: 3}.Build, raftdupvote.Config{Nodes: 7, Candidates: 3, Mended: true}.Build,
			21, "term 1 has two leaders: node.1 and node.3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, _ := subjects.ByName(c.name)
			if err := run(newSystem(t, s, nil, false), 1, c.broken); err != nil {
				t.Errorf("broken, in plain order: %v", err)
			}
			sys, failing, text := newSystem(t, s, strategy.Random(), true), 0, ""
			for seed := range uint64(2000) {
				if err := run(sys, seed, c.mended); err != nil {
					t.Fatalf("mended, seed %d: %v", seed, err)
				}
				if err := run(sys, seed, c.broken); err != nil {
					if failing++; failing == 1 {
						text, _, _ = strings.Cut(err.Error(), "\n")
					}
				}
			}
			if failing != c.failing || text != c.text {
				t.Errorf("broken: %d runs fail, first with %q; want %d and %q", failing, text, c.failing, c.text)
			}
		})
	}
}

// TestFIFO says that the bugs of the Unordered subjects need it.
func TestFIFO(t *testing.T) {
	for _, s := range subjects.All() {
		if s.Options.Delivery != pulse.Unordered {
			continue
		}
		s.Options.Delivery = pulse.FIFO
		if n := enumerate(s.Options, s.Broken); n.failing != 0 {
			t.Errorf("%s: %d of %d orders fail with FIFO delivery", s.Name, n.failing, n.all)
		}
	}
}
