package coverage_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/jostle-go/jostle/fuzz/coverage"
	"github.com/jostle-go/jostle/pulse/trace"
)

// labels has what people call the steps of runs: the label of the receiver and the type
// of the message.
type labels map[uint64][2]string

func (l labels) learn(t *trace.Trace) {
	for i := range t.Steps {
		if st := &t.Steps[i]; st.Kind == trace.Receive {
			typ := fmt.Sprintf("%T", t.Sends[st.Send].Body)
			if t.Sends[st.Send].Body == nil {
				typ = t.Sends[st.Send].Kind.String()
			}
			l[st.ID] = [2]string{t.Actors[st.Actor].Label, typ}
		}
	}
}

// A place is a type right after another as the n-th receive of an actor.
type place struct {
	actor         uint64
	before, after string
	n             int
}

func (l labels) places(set map[place]bool, t *trace.Trace) {
	count, last := map[uint64]int{}, map[uint64]string{}
	for _, r := range schedule(t) {
		typ := l[r.id][1]
		set[place{r.receiver, last[r.receiver], typ, min(count[r.receiver], 255)}] = true
		count[r.receiver]++
		last[r.receiver] = typ
	}
}

// What is counted by type, by label and by position is what a count straight from the
// definitions gives.
func TestTypes(t *testing.T) {
	for prog := range programs() / 4 {
		o, set, names, places := &coverage.Orders{Also: allCriteria}, map[goal]int{}, labels{}, map[place]bool{}
		for _, tr := range traces(program{prog, prog%5 == 0}, 5) {
			o.Add(tr, coverage.Run{})
			slow(set, tr)
			names.learn(tr)
			names.places(places, tr)
		}
		if got := o.Seen(coverage.Positions); got != len(places) {
			t.Fatalf("program %d: %d positions, want %d", prog, got, len(places))
		}
		for _, by := range single {
			want := map[[4]string]int{} // label, type, type, "forth", "back" or "both"
			for g := range set {
				if g.by != by {
					continue
				}
				label, x, y := names[g.first][0], names[g.first][1], names[g.second][1]
				if set[goal{by, g.receiver, g.second, g.first}] > 0 && g.first < g.second {
					want[[4]string{label, min(x, y), max(x, y), "both"}]++
				}
				switch {
				case x < y:
					want[[4]string{label, x, y, "forth"}]++
				case x > y:
					want[[4]string{label, y, x, "back"}]++
				default: // forth and back are one
					want[[4]string{label, x, y, "seen"}]++
				}
			}
			sum, parts := coverage.Count{}, coverage.Count{}
			for _, p := range o.Types(by) {
				at := func(what string) int { return want[[4]string{p.Actor, p.First, p.Second, what}] }
				if p.Covered != at("both") || p.First != p.Second && (p.Forth != at("forth") || p.Back != at("back")) ||
					p.First == p.Second && p.Seen != at("seen") {
					t.Fatalf("program %d by %v: %#v, want both %d, forth %d, back %d, seen %d", prog, by, p, at("both"), at("forth"), at("back"), at("seen"))
				}
				add(&sum, p.Count)
			}
			for _, p := range o.Parts(by) {
				add(&parts, p.Count)
			}
			if all := o.Count(by); sum != all || parts != all {
				t.Fatalf("program %d by %v: %#v by types, %#v by labels, %#v in all", prog, by, sum, parts, all)
			}
		}
	}
}

func add(sum *coverage.Count, c coverage.Count) {
	sum.Seen += c.Seen
	sum.Covered += c.Covered
	sum.Open += c.Open
	sum.Impossible += c.Impossible
	sum.Unknown += c.Unknown
}

// A curve has the number of orders after each run that it has a point for, four
// points for each doubling at most, and the last run.
func TestCurves(t *testing.T) {
	o, set, after := &coverage.Orders{}, map[goal]int{}, []int{0}
	for _, tr := range traces(program{seed: 11}, 300) {
		o.Add(tr, coverage.Run{})
		slow(set, tr)
		after = append(after, slowSeen(set, coverage.PR))
	}
	curve := o.Curves()[0]
	perDoubling := map[int]int{}
	for _, p := range curve {
		if after[p.Runs] != p.Orders {
			t.Errorf("%d orders after %d runs, want %d", p.Orders, p.Runs, after[p.Runs])
		}
		doubling := 0
		for n := p.Runs; n > 1; n /= 2 {
			doubling++
		}
		perDoubling[doubling]++
	}
	for doubling, n := range perDoubling {
		if n > 5 { // with the last run
			t.Errorf("doubling %d has %d points", doubling, n)
		}
	}
	if !slices.IsSortedFunc(curve, func(x, y coverage.Point) int { return x.Runs - y.Runs }) || curve[len(curve)-1].Runs != 300 {
		t.Errorf("%v", curve)
	}
}
