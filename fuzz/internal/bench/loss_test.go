package bench

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/jostle-go/jostle/fuzz/subjects"
)

// A loss is an arm that finds bugs later now than in the table.
type loss struct {
	Subject string // empty: all subjects together
	Arm     string
	Chance  float64 // the p-value of the difference
	was, is string  // in the table and now: the median, and how many searches found the bug
}

func (l loss) String() string {
	if l.Subject == "" {
		return fmt.Sprintf("arm %s finds bugs later, all subjects together (p = %.1g, log-rank)", l.Arm, l.Chance)
	}
	return fmt.Sprintf("arm %s finds the bug of %s later (p = %.1g, log-rank): %s; the table has %s", l.Arm, l.Subject, l.Chance, l.is, l.was)
}

// losses compares new searches with the table by the log-rank test, and returns the
// arms that have become worse. It tests each arm on each subject, and on all
// subjects together. If nothing has become worse, the chance of any loss is below
// one percent, however many cells there are (Holm, 1979). The new searches may have
// a lower limit of runs. Cells that only one of the tables has are not compared.
//
// While the code is the same, the same seeds give the same results. The two tables
// are then equal, except that the new one may have fewer seeds. Only such a choice
// of seeds could cause a loss.
func (t *Table) losses(fresh *Table) []loss {
	const mostChance = 0.01
	var all []loss
	for _, arm := range fresh.Arms() {
		var together logRank
		for _, subject := range fresh.Subjects() {
			is, was := fresh.Cell(subject, arm), t.Cell(subject, arm)
			if len(is) == 0 || len(was) == 0 {
				continue
			}
			most := is.most()
			l := compareSearches(is.Runs(), was.Runs()) // the old searches do not count after the end of the last new one
			together.Add(l)
			all = append(all, loss{subject, arm, l.later(), told(cutOff(was.Runs(), most), most), told(is.Runs(), most)})
		}
		all = append(all, loss{Arm: arm, Chance: together.later()})
	}
	slices.SortStableFunc(all, func(a, b loss) int {
		switch {
		case a.Chance < b.Chance:
			return -1
		case a.Chance > b.Chance:
			return 1
		}
		return 0
	})
	for i, l := range all {
		if l.Chance*float64(len(all)-i) > mostChance {
			return all[:i]
		}
	}
	return all
}

// most returns the limit of runs of a cell's searches.
func (c Cell) most() float64 {
	most := c[0].Most
	for _, s := range c {
		most = min(most, s.Most)
	}
	return float64(most)
}

// told formats the result of a list of searches.
func told(list []observation, most float64) string {
	found := 0
	for _, o := range list {
		if o.Found {
			found++
		}
	}
	return fmt.Sprintf("%d of %d found it in %s runs, the median is %s", found, len(list), number(most), reached(survival(list).Median(), most))
}

// again repeats the searches that can reveal a loss: those of cells in which
// at least half of the searches found the bug within the limit. In other
// cells a worse arm would hardly look different, and searches take longest.
func (t *Table) again(ctx context.Context, o Options) (*Table, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	fresh := &Table{}
	for _, s := range o.Subjects {
		one := o
		one.Subjects, one.Arms = []subjects.Subject{s}, nil
		for _, a := range o.Arms {
			if survival(t.Cell(s.Name, a.Name).Runs()).Median() <= float64(o.Runs) {
				one.Arms = append(one.Arms, a)
			}
		}
		if len(one.Arms) == 0 {
			continue // an empty list of arms would mean all arms
		}
		part, err := Measure(ctx, one)
		if err != nil {
			return nil, err
		}
		fresh.Searches = append(fresh.Searches, part.Searches...)
	}
	return fresh, nil
}

// missing returns the subjects and arms of the options that the table does not have, as
// text, or "".
func (t *Table) missing(o Options) (string, error) {
	o, err := o.withDefaults()
	var list []string
	lacks := func(subject, arm string) bool { return len(t.Cell(subject, arm)) == 0 }
	var arms []Arm
	for _, a := range o.Arms {
		if slices.ContainsFunc(o.Subjects, func(s subjects.Subject) bool { return !lacks(s.Name, a.Name) }) {
			arms = append(arms, a)
		} else {
			list = append(list, "any subject by "+a.Name)
		}
	}
	for _, s := range o.Subjects {
		if !slices.ContainsFunc(arms, func(a Arm) bool { return !lacks(s.Name, a.Name) }) {
			list = append(list, s.Name+" by any arm")
			continue
		}
		for _, a := range arms {
			if lacks(s.Name, a.Name) {
				list = append(list, s.Name+" by "+a.Name)
			}
		}
	}
	return strings.Join(list, ", "), err
}

// cutOff returns the observations as if each search had ended at the given time.
func cutOff(list []observation, at float64) []observation {
	list = slices.Clone(list)
	for i, o := range list {
		if o.At > at {
			list[i] = observation{at, false}
		}
	}
	return list
}

// later is the one-sided p-value: the probability that equal lists look as if the first
// were later by at least as much.
func (l logRank) later() float64 { return math.Erfc(-l.Z()/math.Sqrt2) / 2 }
