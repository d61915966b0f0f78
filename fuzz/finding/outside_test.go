package finding

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jostle-go/jostle/fuzz/subjects"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/shrink"
)

type outsideProgram struct {
	name     string
	property func(*props.T)
}

func TestMeasure(t *testing.T) {
	seeds, _ := strconv.Atoi(os.Getenv("SEEDS"))
	if seeds == 0 {
		t.Skip()
	}
	all := slices.Concat(firstOutside, laterOutside)
	for _, s := range subjects.Easy() {
		all = append(all, outsideProgram{s.Name, s.Property(false)})
	}
	want := strings.Fields(os.Getenv("ONLY"))
	for _, o := range all {
		if len(want) > 0 && !slices.Contains(want, o.name) {
			continue
		}
		sizes, counts, froms := []string{}, map[string]int{}, []int{}
		var steps, runs, ms []int
		least := 0
		var best *Shrunk
		for seed := range seeds {
			p := program{t.Name(), o.property}
			f := search(p, uint64(seed)+1, 200_000, "random")
			if f == nil {
				t.Errorf("%s: seed %d finds nothing", o.name, seed+1)
				continue
			}
			r := p.runner()
			by := &shrinking{runner: r, early: f.Case.EarlyTimers}
			first, why := by.first(f)
			if why != "" {
				t.Errorf("%s: %s", o.name, why)
				continue
			}
			start := cpu()
			out := Shrunk{Result: shrink.Shrink(context.Background(), by, first, shrink.Options{Runs: 100000})}
			ms = append(ms, int((cpu() - start).Milliseconds()))
			var cerr string
			if out.Finding, cerr = by.finding(out.Best.Case); cerr != "" {
				t.Errorf("%s: %s", o.name, cerr)
			}
			runs = append(runs, out.Runs)
			if counts[size(&out)]++; counts[size(&out)] == 1 {
				sizes = append(sizes, size(&out))
			}
			steps, froms = append(steps, out.Best.Steps), append(froms, first.Steps)
			if best == nil || out.Best.Compare(&best.Best) < 0 {
				best = &out
			}
			if os.Getenv("SHOW") != "" {
				res := r.Run(props.Plan{Inputs: out.Best.Case.Inputs})
				fmt.Printf("   %s seed %d: %s %v runs %d\n", o.name, seed+1, size(&out), res.Values, out.Runs)
			}
			r.Close()
		}
		if best == nil {
			continue
		}
		least = best.Best.Steps
		sum := 0
		for _, n := range steps {
			sum += n
		}
		slices.Sort(runs)
		slices.Sort(ms)
		slices.Sort(froms)
		text := ""
		slices.SortFunc(sizes, func(a, b string) int { return counts[b] - counts[a] })
		for _, s := range sizes {
			text += fmt.Sprintf(" (%s)x%d", s, counts[s])
		}
		fmt.Printf("%-16s from %3d best %-10s reached %d/%d ratio %.2f runs %d (max %d) ms %d:%s\n", o.name, froms[len(froms)/2], size(best), counts[size(best)], len(steps),
			float64(sum)/float64(len(steps)*least), runs[len(runs)/2], runs[len(runs)-1], ms[len(ms)/2], text)
	}
}

func cpu() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano())
}
