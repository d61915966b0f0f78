package coverage_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/fuzz/internal/coverage"
)

// Since agrees with a slow count that follows the definitions (see slow).
func TestSince(t *testing.T) {
	differ := 0
	for prog := range programs() / 4 {
		runs := traces(program{seed: prog, rest: prog%5 == 0}, 4)
		seen := func(from, to int) (*coverage.Orders, map[coverage.TypeOrder]bool) {
			o, set, names, want := &coverage.Orders{}, map[goal]int{}, labels{}, map[coverage.TypeOrder]bool{}
			for _, tr := range runs[from:to] {
				o.Add(tr, coverage.Run{})
				slow(set, tr)
				names.learn(tr)
			}
			for g := range set {
				want[coverage.TypeOrder{Actor: names[g.first][0], First: names[g.first][1], Second: names[g.second][1]}] = true
			}
			return o, want
		}
		then, wantThen := seen(0, 1)
		now, wantNow := seen(1, 4)
		only := func(a, b map[coverage.TypeOrder]bool) (list []string, both int) {
			for o := range a {
				if b[o] {
					both++
				} else {
					list = append(list, o.String())
				}
			}
			slices.Sort(list)
			return list, both
		}
		wantFresh, wantBoth := only(wantNow, wantThen)
		wantGone, _ := only(wantThen, wantNow)
		fresh, gone, both := now.Since(then)
		if !slices.Equal(texts(fresh), wantFresh) || !slices.Equal(texts(gone), wantGone) || both != wantBoth {
			t.Fatalf("program %d: new %v, gone %v, both %d, want %v, %v, %d", prog, fresh, gone, both, wantFresh, wantGone, wantBoth)
		}
		differ += len(fresh) * len(gone)
		if fresh, gone, both := now.Since(now); len(fresh)+len(gone) > 0 || both != len(wantNow) {
			t.Fatalf("program %d: it differs from itself: %v, %v", prog, fresh, gone)
		}
		if fresh, gone, both := now.Since(&coverage.Orders{}); len(fresh) != len(wantNow) || len(gone)+both > 0 {
			t.Fatalf("program %d: since nothing: %v, %v, %d", prog, fresh, gone, both)
		}
	}
	if differ == 0 {
		t.Error("no program has both new orders and ones that are gone")
	}
}

func texts(list []coverage.TypeOrder) (out []string) {
	for _, o := range list {
		out = append(out, o.String())
	}
	slices.Sort(out)
	return out
}

// Names of the program are shown in one line, with control characters escaped.
func TestTypeOrdersAreShown(t *testing.T) {
	got := fmt.Sprint(coverage.TypeOrder{Actor: "a\nb", First: "\x1b[31mred", Second: strings.Repeat("long", 100)})
	if strings.ContainsAny(got, "\n\x1b") || len([]rune(got)) > 200 || !strings.Contains(got, `a\nb`) {
		t.Errorf("%q", got)
	}
}
