package guide_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/fuzz/internal/guide"
	"github.com/jostle-go/jostle/fuzz/subjects/writer"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/strategy"
	"github.com/jostle-go/jostle/pulse/trace"
)

// paperNames maps the identities of steps to the names that the Bitá paper gives the steps, and
// back.
func paperNames(tr *trace.Trace) (names map[uint64]string, ids map[string]uint64) {
	names, ids = map[uint64]string{}, map[string]uint64{}
	number := strings.NewReplacer("action.", "", "action", "")
	for _, s := range tr.Steps {
		m := tr.Sends[s.Send]
		name := trace.Label(m.Body)
		switch name {
		case "execute":
			name = "ex" + number.Replace(tr.Name(m.To))
		case "done":
			name = "ad" + number.Replace(tr.Name(m.From))
		case "flush":
			name = "fl"
		case "flushed":
			name = "fd"
		case "checkForError":
			name = "ch"
		default:
			name = strings.NewReplacer("write(", "w", "lost(", "er", ")", "").Replace(name)
		}
		names[s.ID], ids[name] = name, s.ID
	}
	return names, ids
}

// paper runs the Bitá paper's Listing 1 in a given order. It returns the run as a base, and the
// paper's names of the steps.
func paper(t *testing.T, c writer.Config, order string) (*rig, *guide.Base, map[uint64]string) {
	r := newRig(t, pulse.Options{}, c.Build)
	var names map[uint64]string
	for seed := uint64(1); ; seed++ {
		if seed == 1000 {
			t.Fatalf("no run can be forced to come as %s; the last had %v", order, names)
		}
		r.run(strategy.Random(), seed)
		var ids map[string]uint64
		names, ids = paperNames(r.sys.Trace())
		var o guide.Order
		for name := range strings.FieldsSeq(order) {
			o.Steps = append(o.Steps, ids[name])
		}
		if _, stopped, _ := r.force(o, 1); !stopped {
			break
		}
	}
	return r, guide.NewBase(r.sys.Trace()), names
}

func texts(names map[uint64]string, ids []uint64) string {
	var list []string
	for _, id := range ids {
		list = append(list, names[id])
	}
	return strings.Join(list, " ")
}

// TestMustHappenBefore compares the relation of a base with the examples in section IV-C of the
// Bitá paper.
func TestMustHappenBefore(t *testing.T) {
	for _, c := range []struct {
		config      writer.Config
		order, want string
	}{
		// Figure 1; the paper lists this relation before its transitive closure: (ex, w) (ex, ad) (ad, fl)
		// (fl, fd) (w, fd)
		{writer.Config{}, "ex w1 ad fl fd", "ex<w1 ex<ad ex<fl ad<fl ex<fd w1<fd ad<fd fl<fd"},
		{writer.Config{Check: true}, "ex ad fl w1 ch fd er1", "ex<ad ex<fl ad<fl ex<w1 ex<fd ad<fd fl<fd ex<er1 ad<er1 fl<er1 w1<er1 fd<er1"},
	} {
		_, b, names := paper(t, c.config, c.order)
		var list []string
		for j := range b.Len() {
			for i := range j {
				if b.MustPrecede(i, j) {
					list = append(list, names[b.ID(i)]+"<"+names[b.ID(j)])
				}
			}
		}
		if got := strings.Join(list, " "); got != c.want {
			t.Errorf("%s:\n%s, want\n%s", c.order, got, c.want)
		}
	}
}

// TestGoals counts the goals at the writer of the Bitá paper's Listing 1 with two actions. Section
// III-A has six PR goals, which two runs achieve, and six PCR goals, which four runs achieve. Only
// goals with the flush after done 2 count here, because the flush after done 1 has another
// identity.
func TestGoals(t *testing.T) {
	c := writer.Config{Actions: 2}
	r, b, names := paper(t, c, "ex1 w1 ex2 w2 ad1 ad2 fl fd")
	all, complete := coverable(t, pulse.Options{}, c.Build, 10_000)
	count := func(goals map[guide.Goal]bool, by guide.Criterion) (n int) {
		for g := range goals {
			x, y := names[g.First], names[g.Second]
			if g.Criterion == by && len(x) == 2 && len(y) == 2 && strings.Contains("w1 w2 fl", x) && strings.Contains("w1 w2 fl", y) {
				n++
			}
		}
		return n
	}
	if !complete || count(all, guide.PR) != 6 || count(all, guide.PCR) != 6 {
		t.Errorf("%d goals by PR and %d by PCR, complete %v; want 6 and 6", count(all, guide.PR), count(all, guide.PCR), complete)
	}
	ids := map[string]uint64{}
	for i := range b.Len() {
		ids[names[b.ID(i)]] = b.ID(i)
	}
	pr, pcr := map[guide.Goal]bool{}, map[guide.Goal]bool{}
	var got []string
	for _, order := range []string{"w1 w2 fl", "fl w2 w1", "w1 fl w2", "fl w1 w2"} {
		var o guide.Order
		for name := range strings.FieldsSeq("ex1 ex2 ad1 ad2 " + order) {
			o.Steps = append(o.Steps, ids[name])
		}
		if stop, stopped, _ := r.force(o, 1); stopped {
			t.Errorf("%s: stopped at %s: %v", order, names[stop.Step], stop.Why)
		}
		maps.Copy(pr, r.goals(guide.PR))
		maps.Copy(pcr, r.goals(guide.PCR))
		got = append(got, fmt.Sprint(count(pr, guide.PR), "/", count(pcr, guide.PCR)))
	}
	if want := "3/2 6/4 6/5 6/6"; strings.Join(got, " ") != want {
		t.Errorf("goals after each run, by PR/PCR: %s, want %s", got, want)
	}
}

// TestOrdersOfThePaper checks the orders made from the run in section IV-D of the Bitá paper. The
// first order is the paper's, step by step. The paper does not give the others.
func TestOrdersOfThePaper(t *testing.T) {
	const listing = "ex1 w1 ex2 w2 ad1 ad2 fl fd"
	for _, c := range []struct {
		by   guide.Criterion
		want string
	}{
		{guide.PR, `w2 before w1: ex1 ex2 w2 ad1 ad2 fl w1
fl before w2: ex1 w1 ex2 ad1 ad2 fl w2
ad2 before ad1: ex1 w1 ex2 w2 ad2 ad1`},
		{guide.PMR, ""}, // no receive of the actor changes its handlers
		{guide.PCR, `w2 before w1: ex1 ex2 w2 w1 ad2 ad1
w1 before fl: ex1 ex2 ad1 ad2 w1 fl
fl before w1: ex1 ex2 ad1 ad2 fl w1
fl before w2: ex1 w1 ex2 ad1 ad2 fl w2`},
	} {
		r, b, names := paper(t, writer.Config{Actions: 2}, listing)
		goals := &guide.Goals{}
		g := guide.NewGenerator(b, c.by, goals)
		var list []string
		for o, ok := g.Next(); ok; o, ok = g.Next() {
			list = append(list, fmt.Sprintf("%s before %s: %s", names[o.Goal.First], names[o.Goal.Second], texts(names, o.Steps)))
			if stop, stopped, _ := r.force(o, 1); stopped {
				t.Errorf("%v: stopped at %s: %v", list, names[stop.Step], stop.Why)
			}
		}
		if got := strings.Join(list, "\n"); got != c.want {
			t.Errorf("by %v:\n%s\nwant\n%s", c.by, got, c.want)
		}
	}
}
