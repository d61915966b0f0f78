package coverage_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/jostle-go/jostle/fuzz/internal/coverage"
	"github.com/jostle-go/jostle/pulse/trace"
)

// labels has the names that people see for steps of runs: the label of the receiver and
// the type of the message.
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

// Types and Parts agree with a slow count that follows the definitions (see slow).
func TestTypes(t *testing.T) {
	for prog := range programs() / 4 {
		o, set, names := &coverage.Orders{}, map[goal]int{}, labels{}
		for _, tr := range traces(program{seed: prog, rest: prog%5 == 0}, 5) {
			o.Add(tr, coverage.Run{})
			slow(set, tr)
			names.learn(tr)
		}
		want := map[[4]string]int{} // key: label, type, type, "forth", "back" or "both"
		for g := range set {
			label, x, y := names[g.first][0], names[g.first][1], names[g.second][1]
			if set[goal{g.receiver, g.second, g.first}] > 0 && g.first < g.second {
				want[[4]string{label, min(x, y), max(x, y), "both"}]++
			}
			switch {
			case x < y:
				want[[4]string{label, x, y, "forth"}]++
			case x > y:
				want[[4]string{label, y, x, "back"}]++
			default: // equal types: the two directions are the same
				want[[4]string{label, x, y, "seen"}]++
			}
		}
		sum, parts := coverage.Count{}, coverage.Count{}
		for _, p := range o.Types() {
			at := func(what string) int { return want[[4]string{p.Actor, p.First, p.Second, what}] }
			if p.Covered != at("both") || p.First != p.Second && (p.Forth != at("forth") || p.Back != at("back")) ||
				p.First == p.Second && p.Seen != at("seen") {
				t.Fatalf("program %d: %#v, want both %d, forth %d, back %d, seen %d", prog, p, at("both"), at("forth"), at("back"), at("seen"))
			}
			add(&sum, p.Count)
		}
		for _, p := range o.Parts() {
			add(&parts, p.Count)
		}
		if all := o.Count(); sum != all || parts != all {
			t.Fatalf("program %d: %#v by types, %#v by labels, %#v in all", prog, sum, parts, all)
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

// A curve is exact at each of its points. It has at most four points for each doubling,
// and the last run.
func TestCurves(t *testing.T) {
	o, set, after := &coverage.Orders{}, map[goal]int{}, []int{0}
	for _, tr := range traces(program{seed: 11}, 300) {
		o.Add(tr, coverage.Run{})
		slow(set, tr)
		after = append(after, len(set))
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
		if n > 5 { // four points per doubling, and one for the last run
			t.Errorf("doubling %d has %d points", doubling, n)
		}
	}
	if !slices.IsSortedFunc(curve, func(x, y coverage.Point) int { return x.Runs - y.Runs }) || curve[len(curve)-1].Runs != 300 {
		t.Errorf("%v", curve)
	}
}
