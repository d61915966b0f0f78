package bench

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jostle-go/jostle/fuzz/internal/coverage"
	"github.com/jostle-go/jostle/fuzz/internal/words"
	"github.com/jostle-go/jostle/fuzz/search"
	"github.com/jostle-go/jostle/fuzz/subjects"
	"github.com/jostle-go/jostle/fuzz/subjects/barber"
	"github.com/jostle-go/jostle/fuzz/subjects/chainrepair"
	"github.com/jostle-go/jostle/fuzz/subjects/raftvotecount"
	"github.com/jostle-go/jostle/props"
)

// coveragePrograms returns the measured programs: larger ones with many possible receive
// pairs, each with one input. They are in their correct forms, so that no search ends
// early.
func coveragePrograms() []subjects.Subject {
	return []subjects.Subject{
		{Name: "barber, 5 customers", Mended: barber.Config{Customers: 5, Chairs: 2, Mended: true}.Build},
		{Name: "chain-repair", Mended: chainrepair.Config{Nodes: 4, Repairs: 2, Writes: 3, Readers: 2, Mended: true}.Build},
		{Name: "raft, 5 nodes", Mended: raftvotecount.Config{Mended: true}.Build},
	}
}

// coverageOptions are the settings of measureCoverage. By
// default it measures all programs, with the arms of the curves.
type coverageOptions struct {
	Programs []subjects.Subject // built without their bugs
	Arms     []Arm
	Seeds    int // number of searches for each program and arm, seeds from 1; zero: 5
	Runs     int // runs of each search; zero: 2,000
	// Most limits the runs of the exhaustive search
	// that counts all possible orders; zero: 20,000.
	Most int
}

func (o coverageOptions) withDefaults() (coverageOptions, error) {
	if o.Seeds < 0 || o.Runs < 0 || o.Most < 0 {
		return o, fmt.Errorf("bench: %d seeds, %d runs and at most %d orders: none may be less than zero", o.Seeds, o.Runs, o.Most)
	}
	if len(o.Programs) == 0 {
		o.Programs = coveragePrograms()
	}
	if len(o.Arms) == 0 {
		o.Arms, _ = ArmsByName(Random, "pct", "pctcp", "pos", "urw", "bita", "guided", "portfolio") // these exist
	}
	set := func(n *int, to int) {
		if *n == 0 {
			*n = to
		}
	}
	set(&o.Seeds, 5)
	set(&o.Runs, 2000)
	set(&o.Most, 20_000)
	return o, nil
}

// A coverageTable is the result of measureCoverage.
type coverageTable struct {
	Runs  int // of each search
	Cells []coverageCell
}

// A coverageCell has the results of the searches of one program by one arm. It depends on
// the seeds alone.
type coverageCell struct {
	Program, Arm string
	// Curve has the number of ordered receive pairs seen after a number of runs: after
	// each power of two and of ten, and after all runs. It is the median over the seeds,
	// or the larger of the two middle values.
	Curve []coverage.Point
	// Seen is the last point of Curve. Covered is the number of pairs seen in both orders.
	Seen, Covered int
	// Possible is the number of all possible orders, or zero if unknown.
	Possible int
	// Together is the number of orders that all searches of the program have seen. Left
	// is how many of these have a reverse that was not seen and is open or unknown.
	Together, Left int
}

// measureCoverage has each arm make the same number of runs of each program, and counts
// the receive pairs that these show. When the context is done, it returns only an error.
func measureCoverage(ctx context.Context, o coverageOptions) (*coverageTable, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	all := &coverageTable{Runs: o.Runs}
	for _, p := range o.Programs {
		possible := 0
		property := search.Property{Name: p.Name, Test: p.Name, Func: p.Smallest(true)}
		if orders, exact := search.Coverable(ctx, property, 1, o.Most); exact {
			possible = orders.Seen()
		}
		first, together := len(all.Cells), &coverage.Orders{}
		for _, arm := range o.Arms {
			cell := coverageCell{Program: p.Name, Arm: arm.Name, Possible: possible}
			if err := o.measure(ctx, property, arm, &cell, together); err != nil {
				return nil, err
			}
			all.Cells = append(all.Cells, cell)
		}
		n := together.Count()
		for i := range all.Cells[first:] {
			cell := &all.Cells[first+i]
			cell.Together, cell.Left = n.Seen, n.Open+n.Unknown
		}
	}
	return all, nil
}

// measure makes the searches of one cell, and adds the orders that they see to the
// parameter together.
func (o coverageOptions) measure(ctx context.Context, p search.Property, arm Arm, cell *coverageCell, together *coverage.Orders) error {
	var covered []int
	curves, marks := map[int][]int{}, marksUntil(o.Runs)
	for seed := range uint64(o.Seeds) {
		orders := &coverage.Orders{Source: uint64(together.Runs())} // a source that no other search uses
		res := search.Sample(ctx, p, search.Options{Runs: o.Runs, Seed: seed + 1, Portfolio: arm.Portfolio, Passed: func(_ string, res *props.Result) {
			orders.Add(res.System.Trace(), coverage.Run{})
			if n := orders.Runs(); slices.Contains(marks, n) {
				curves[n] = append(curves[n], orders.Seen())
			}
		}})
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case res.Finding != nil:
			return fmt.Errorf("bench: %s fails with seed %d by %s: its coverage says nothing", p.Name, seed+1, arm.Name)
		}
		together.Merge(orders)
		covered = append(covered, orders.Count().Covered)
	}
	for _, runs := range marks {
		cell.Curve = append(cell.Curve, coverage.Point{Runs: runs, Orders: middle(curves[runs])})
	}
	cell.Seen, cell.Covered = cell.Curve[len(cell.Curve)-1].Orders, middle(covered)
	return nil
}

// marksUntil returns the numbers of runs at which orders are counted: powers of two and
// of ten, and the last.
func marksUntil(last int) (list []int) {
	for n := 1; n < last; n *= 2 {
		list = append(list, n)
	}
	for n := 10; n < last; n *= 10 {
		list = append(list, n)
	}
	slices.Sort(list)
	return append(list, last)
}

// ordersAfter returns the value of a curve after a number of runs.
func ordersAfter(curve []coverage.Point, runs int) (orders int) {
	for _, p := range curve {
		if p.Runs <= runs {
			orders = p.Orders
		}
	}
	return orders
}

// middle returns the median, or zero for an empty list.
func middle(list []int) int {
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	return list[len(list)/2]
}

// Text returns the table for people.
func (c *coverageTable) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Receive pairs (PR) shown after so many runs, and how many times as many as by plain random (x); after %s runs\n"+
		"also how many pairs were seen in both orders. Medians. Together: shown by all searches of the program. Left: how\n"+
		"many of these were never seen in the other order, which is not known to be impossible. All: the number of receive\n"+
		"pairs, where all runs of the program could be made.\n\n", words.Grouped(c.Runs))
	columnsOf(&b, func(row func(...string)) {
		marks := slices.DeleteFunc([]int{1, 10, 100, 1000}, func(n int) bool { return n >= c.Runs })
		marks = append(marks, c.Runs)
		head := []string{"program", "arm"}
		for _, n := range marks {
			head = append(head, words.Grouped(n), "x")
		}
		row(append(head, "pairs", "together", "left", "all")...)
		for _, cell := range c.Cells {
			line := []string{cell.Program, cell.Arm}
			for _, n := range marks {
				orders, ratio := ordersAfter(cell.Curve, n), ""
				if r := c.cell(cell.Program, Random); r != nil && ordersAfter(r.Curve, n) > 0 {
					ratio = fmt.Sprintf("%.2f", float64(orders)/float64(ordersAfter(r.Curve, n)))
				}
				line = append(line, words.Grouped(orders), ratio)
			}
			possible := "not known"
			if cell.Possible > 0 {
				possible = words.Grouped(cell.Possible)
			}
			row(append(line, words.Grouped(cell.Covered), words.Grouped(cell.Together), words.Grouped(cell.Left), possible)...)
		}
	})
	return b.String()
}

// cell returns a cell, or nil.
func (c *coverageTable) cell(program, arm string) *coverageCell {
	for i := range c.Cells {
		if c.Cells[i].Program == program && c.Cells[i].Arm == arm {
			return &c.Cells[i]
		}
	}
	return nil
}

// Plot returns the curves of a program as an SVG picture: the share of orders that
// each arm has seen, by number of runs. 100% is the number of possible orders. If
// that is unknown, it is the number that all searches together have seen.
func (c *coverageTable) Plot(program string) string {
	most, of := 1, "that all searches have shown"
	for _, cell := range c.Cells {
		if cell.Program == program {
			most = max(most, cell.Together, cell.Possible)
			if cell.Possible > 0 {
				of = "that there are"
			}
		}
	}
	d := &drawing{end: max(10, float64(c.Runs))}
	d.open(fmt.Sprintf("%s: share of the %s receive pairs %s, by runs", program, words.Grouped(most), of))
	arm := 0
	for _, cell := range c.Cells {
		if cell.Program != program {
			continue
		}
		var path strings.Builder
		for i, p := range cell.Curve {
			fmt.Fprintf(&path, "%c%.1f %.1f", "ML"[min(i, 1)], d.x(float64(p.Runs)), d.y(float64(p.Orders)/float64(most)))
		}
		d.line(arm, cell.Arm, path.String())
		arm++
	}
	d.put("</svg>")
	return d.String()
}
