package finding

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/jostle-go/jostle/corpus/golden"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/props"
)

// The programs of this test have published bugs. No pass of the shrinker was written for one of them. The first
// eight programs are older than the passes that TestOutside measures, and the others were added after these
// passes.

// An outsideProgram is a program with the known size of its least failing run.
type outsideProgram struct {
	name     string
	property func(*props.T)
	least    [2]int  // the number of messages from outside, and of steps
	draws    []drawn // for each draw, the values that are tried to prove the least size; nil if the size is only the best known
	all      string  // describes the inputs; "" if they are all inputs
}

// outsidePrograms returns the programs of TestOutside.
func outsidePrograms() []outsideProgram { return slices.Concat(firstOutside, laterOutside) }

// TestOutside shrinks failures that random order finds in programs for which the shrinker was not
// made. On average, the result has at most 1.1 times the least number of steps. By day it shrinks
// one failure of some of the programs.
func TestOutside(t *testing.T) {
	trial.Long(t)
	seeds := uint64(1)
	if golden.Whole() {
		seeds = 10
	}
	var table strings.Builder
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "program\tmessages, steps\tthe least\tsteps found\treached of 10\tsteps of the others\t\n")
	for i, o := range outsidePrograms() {
		if i%12 > 0 && !golden.Whole() {
			continue
		}
		var found, others []int
		reached, steps := 0, 0
		for seed := range seeds {
			p := program{o.name, o.property}
			f := search(p, seed+1, 200_000, "random")
			out := onlyShrunk(t, p, f, 100_000)
			mustBeLegal(t, p, &out.Finding.Case)
			found, steps = append(found, f.Steps()), steps+out.Best.Steps
			if size := [2]int{out.Best.External, out.Best.Steps}; size == o.least {
				reached++
			} else {
				others = append(others, out.Best.Steps)
				if slices.Compare(size[:], o.least[:]) < 0 {
					t.Errorf("%s, seed %d: %v is less than %v", o.name, seed+1, size, o.least)
				}
			}
		}
		slices.Sort(found)
		if by := seeds * uint64(o.least[1]); 10*steps > 11*int(by) {
			t.Errorf("%s: %d steps instead of %d", o.name, steps, by)
		}
		how := "best known"
		if o.draws != nil {
			how = strings.TrimSuffix("proven: "+o.all, ": ")
		}
		fmt.Fprintf(w, "%s\t%d, %d\t%s\t%d\t%d\t%v\t\n", o.name, o.least[0], o.least[1], how, found[len(found)/2], reached, others)
	}
	w.Flush()
	if golden.Whole() {
		golden.File(t, "testdata/outside.txt", table.String())
	}
}

// TestOutsideLeast runs all inputs of the programs of TestOutside in all orders with at most as
// many steps as the least known failing run. By day it runs only programs with few inputs.
func TestOutsideLeast(t *testing.T) {
	trial.Long(t)
	for _, o := range outsidePrograms() {
		l := leastOfAll{name: o.name, draws: o.draws, size: [3]int{o.least[0], o.least[1]}}
		if o.draws == nil || l.inputs() > 50 && !nightly() {
			continue
		}
		x := newAllInputsOf(&l, o.property)
		if err := x.each(l.draws, nil); err != nil {
			t.Errorf("%s: %v", o.name, err)
		}
		if x.size != o.least || len(x.met) != l.inputs() {
			t.Errorf("%s: the least of %d inputs is %v, want %v of %d", o.name, len(x.met), x.size, o.least, l.inputs())
		}
		t.Logf("%s: %v is the least of %d inputs in %d runs", o.name, x.size, l.inputs(), x.runs)
		x.runner.Close()
	}
}

// structs returns the values of a struct whose fields have the given values.
func structs(fields ...drawn) (d drawn) {
	d = drawn{{}}
	for _, f := range fields {
		var longer drawn
		for _, words := range d {
			for _, v := range f {
				longer = append(longer, slices.Concat(words, v))
			}
		}
		d = longer
	}
	return d
}
