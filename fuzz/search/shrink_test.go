package search

import (
	"context"
	"fmt"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/jostle-go/jostle/fuzz/subjects"
	"github.com/jostle-go/jostle/shrink"
)

func TestShrinkSubjects(t *testing.T) {
	for _, s := range subjects.All() {
		count := map[string]int{}
		var times []time.Duration
		for seed := uint64(1); seed <= 20; seed++ {
			p := Property{Name: s.Name, Test: s.Name, Func: s.Property(false)}
			res := Sample(context.Background(), p, Options{Runs: 20000, Seed: seed, Workers: 1})
			if res.Finding == nil {
				t.Errorf("%s: nothing", s.Name)
				continue
			}
			start := time.Now()
			out := Shrink(context.Background(), p, res.Finding, shrink.Options{})
			if out.Finding == nil {
				t.Errorf("%s: cannot", s.Name)
				continue
			}
			times = append(times, time.Since(start))
			count[fmt.Sprintf("%d ext %d steps %d constraints %.90s | %.40s", out.Best.External, out.Best.Steps, len(out.Best.Case.Schedule.Before), strings.Join(out.Finding.Draws, " "), res.Finding.Case.Signature)]++
		}
		sort.Slice(times, func(i, j int) bool { return times[i] < times[j] })
		fmt.Printf("%s  median %v, most %v\n", s.Name, times[len(times)/2].Round(time.Millisecond), times[len(times)-1].Round(time.Millisecond))
		for k, n := range count {
			fmt.Printf("     %2d  %s\n", n, k)
		}
	}
}
