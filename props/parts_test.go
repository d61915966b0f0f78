package props

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestParts: the parts of a draw are the ranges of the case's words that each
// generator has read. Elements of lists are marked.
func TestParts(t *testing.T) {
	pair := rapid.Custom(func(t *rapid.T) [2]int {
		return [2]int{rapid.IntRange(0, 1).Draw(t, "a"), rapid.IntRange(0, 3).Filter(func(i int) bool { return i > 0 }).Draw(t, "b")}
	})
	var told []string
	r := NewRunner("parts", func(t *T) {
		Draw(t, rapid.IntRange(1, 4), "n")
		OneOf(t, "one of", 1, 2, 3)
		Draw(t, rapid.SliceOfN(pair, 1, 2), "list")
		t.System().Run()
	})
	defer r.Close()
	for seed := range uint64(300) {
		res := r.Run(Plan{Seed: seed, Parts: true})
		told = told[:0]
		elements, thrown, list := 0, 0, fmt.Sprint(res.Values[2])
		for _, p := range res.Parts {
			if p.At < 0 || p.At > p.End || p.End > res.Reads[p.Draw] || p.Draw == 1 {
				t.Fatalf("seed %d: %+v of a draw of %d words", seed, p, res.Reads[p.Draw])
			}
			switch {
			case p.Of == "":
				thrown++
			case p.Element && p.End > p.At+1:
				elements++
			}
			told = append(told, fmt.Sprintf("%d %d-%d %s", p.Draw, p.At, p.End, p.Of))
		}
		if want := strings.Count(list, "[") - 1; elements != want {
			t.Fatalf("seed %d: %d elements in %s:\n%s", seed, elements, list, strings.Join(told, "\n"))
		}
		if thrown > 0 && seed > 20 { // some word belongs to a value that Filter rejected
			return
		}
	}
	t.Error("no word was thrown away")
}

// TestPartsOnDemand: a plan that does not ask for parts gets none.
func TestPartsOnDemand(t *testing.T) {
	r := NewRunner("parts", func(t *T) { Draw(t, rapid.Int(), "n"); t.System().Run() })
	defer r.Close()
	for _, want := range []bool{true, false, true} {
		if res := r.Run(Plan{Parts: want}); (len(res.Parts) > 0) != want {
			t.Errorf("asked for parts: %v; there are %v", want, res.Parts)
		}
	}
}
