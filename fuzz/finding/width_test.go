package finding

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/corpus/golden"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/trace"
)

type (
	logEntry struct {
		Index, Term int
		Command     string
	}
	appendEntries struct {
		Term      int
		Leader    string
		PrevIndex int
		Entries   []logEntry
		Commit    int
	}
	replica struct {
		log  []logEntry
		term int
	}
	leading struct {
		name string
		term int
		to   []pulse.Ref
	}
)

func (r *replica) Receive(ctx *pulse.Ctx, msg any) {
	m := msg.(appendEntries)
	ctx.Log("takes %d entries from the leader %s of term %d, whatever the term of the entries was that came before them", len(m.Entries), m.Leader, m.Term)
	r.log, r.term = m.Entries, m.Term
}

func (l *leading) Receive(ctx *pulse.Ctx, _ any) {
	for _, to := range l.to {
		ctx.Send(to, appendEntries{l.term, l.name, 0, []logEntry{{1, l.term, "set x to " + l.name}, {2, l.term, "set y to the value of x"}}, 7})
	}
}

// obeysOldLeaders is a property that fails because replicas take entries of an old term. Its messages and draws are
// too long for a line.
func obeysOldLeaders(t *props.T) {
	n := props.Draw(t, rapid.IntRange(2, 3), "number of replicas")
	props.Draw(t, rapid.Just([]int{100_001, 100_002, 100_003, 100_004, 100_005, 100_006, 100_007, 100_008}), "identifiers of clients that are connected")
	props.Draw(t, rapid.Just("two leaders that follow each other"), "scenario")
	sys := t.System()
	var replicas []*replica
	var refs []pulse.Ref
	for range n {
		replicas = append(replicas, &replica{})
		refs = append(refs, sys.Spawn("replica-of-the-log", replicas[len(refs)]))
	}
	for i, name := range []string{"first", "second"} {
		sys.Send(sys.Spawn("leader-of-term", &leading{name, i + 1, refs}), name)
	}
	sys.Run()
	for i, r := range replicas {
		if r.term != 2 {
			t.Fatalf("replica %d has term %d after a newer leader has sent entries", i, r.term)
		}
	}
}

// TestWidths checks what terminals of four widths show of a run with long values, and of a run with many actors. Lines
// of prose that are too long are broken between words, as the command does; lines of the chart are not.
func TestWidths(t *testing.T) {
	for file, of := range map[string]Shrunk{"widths-values.golden": shrunkBy(t, obeysOldLeaders, 1, 1000), "widths-actors.golden": shrunkSubject(t, "raft-votecount")} {
		r := of.Finding.Record("run 1")
		r.Shrunk = elapsed.ReplaceAllString(r.Shrunk, "shrunk ${1}in TIME")
		var b strings.Builder
		for _, columns := range []int{40, 60, 80, 120} {
			text := r.Text(columns)
			shown := strings.Join(trace.Fold(text, columns, 2, true), "\n")
			fmt.Fprintf(&b, "%s %d\n%s\n\n", strings.Repeat("-", columns-4), columns, shown)
			_, chart, _ := strings.Cut(text, "\n\n")
			if !strings.HasSuffix(shown, "\n"+strings.TrimRight(chart, "\n")) {
				t.Errorf("%s: in %d columns the chart is broken:\n%s\n%s", file, columns, chart, shown)
			}
		}
		golden.File(t, "testdata/"+file, b.String())
	}
}
