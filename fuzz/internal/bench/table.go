package bench

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"time"
)

// An End says why a search ended.
type End string

// The ends of searches.
const (
	Found     End = "found" // the bug was found
	OutOfRuns End = "runs"  // the search reached its limit of runs
	OutOfTime End = "time"  // the search reached its limit of time
)

// A Search is one search for the bug of a subject.
type Search struct {
	Subject, Arm string
	Seed         uint64
	Runs         int // the number of runs, including the run that found the bug
	Most         int // the maximum number of runs
	End          End
	Time         time.Duration // rounded to a microsecond
}

// A Table is a list of searches.
type Table struct{ Searches []Search }

// columns are the column names of a table as CSV.
var columns = []string{"subject", "arm", "seed", "runs", "most", "end", "seconds"}

// writeCSV writes the searches as comma-separated values, after a line with the column
// names.
func (t *Table) writeCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	lines := [][]string{columns}
	for _, s := range t.Searches {
		lines = append(lines, []string{s.Subject, s.Arm, strconv.FormatUint(s.Seed, 10), strconv.Itoa(s.Runs), strconv.Itoa(s.Most),
			string(s.End), strconv.FormatFloat(s.Time.Seconds(), 'f', 6, 64)})
	}
	return out.WriteAll(lines)
}

// readCSV reads the output of writeCSV.
func readCSV(r io.Reader) (*Table, error) {
	in := csv.NewReader(r)
	in.FieldsPerRecord = len(columns)
	lines, err := in.ReadAll()
	if err != nil {
		return nil, err
	}
	if len(lines) == 0 || !slices.Equal(lines[0], columns) {
		return nil, fmt.Errorf("line 1: the columns are not %q", columns)
	}
	t := &Table{}
	seen := map[Search]bool{}
	for i, line := range lines[1:] {
		s, err := parse(line)
		if err == nil && seen[s.key()] {
			err = errors.New("the search occurs twice")
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+2, err)
		}
		seen[s.key()] = true
		t.Searches = append(t.Searches, s)
	}
	return t, nil
}

func parse(line []string) (Search, error) {
	seed, err1 := strconv.ParseUint(line[2], 10, 64)
	runs, err2 := strconv.Atoi(line[3])
	most, err3 := strconv.Atoi(line[4])
	end := End(line[5])
	seconds, err4 := strconv.ParseFloat(line[6], 64)
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return Search{}, err
	}
	const longest = float64(1<<63) / float64(time.Second)
	switch {
	case line[0] == "" || line[1] == "":
		return Search{}, errors.New("the subject or the arm is missing")
	case end != Found && end != OutOfRuns && end != OutOfTime:
		return Search{}, fmt.Errorf("a search cannot end with %q", end)
	case runs < 1 || runs > most || (end == OutOfRuns) != (runs == most) && end != Found:
		return Search{}, fmt.Errorf("a search that ended with %q cannot have made %d of %d runs", end, runs, most)
	case !(seconds >= 0 && seconds < longest):
		return Search{}, fmt.Errorf("a search cannot take %v seconds", seconds)
	}
	return Search{line[0], line[1], seed, runs, most, end, time.Duration(math.Round(seconds * float64(time.Second)))}, nil
}

// key returns a copy of the search without its result, for use as a map key.
func (s Search) key() Search {
	return Search{Subject: s.Subject, Arm: s.Arm, Seed: s.Seed, Most: s.Most}
}

// Subjects returns the names of the subjects, in order of appearance.
func (t *Table) Subjects() []string { return t.names(func(s Search) string { return s.Subject }) }

// Arms returns the names of the arms, in order of appearance.
func (t *Table) Arms() []string { return t.names(func(s Search) string { return s.Arm }) }

func (t *Table) names(of func(Search) string) (list []string) {
	for _, s := range t.Searches {
		if name := of(s); !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// A Cell has the searches for the bug of one subject with one arm.
type Cell []Search

// Cell returns the searches for the bug of a subject with an arm.
func (t *Table) Cell(subject, arm string) (c Cell) {
	for _, s := range t.Searches {
		if s.Subject == subject && s.Arm == arm {
			c = append(c, s)
		}
	}
	return c
}

// Runs returns the number of runs of each search.
func (c Cell) Runs() []observation {
	return c.observe(func(s Search) float64 { return float64(s.Runs) })
}

// Seconds returns the duration of each search.
func (c Cell) Seconds() []observation {
	return c.observe(func(s Search) float64 { return s.Time.Seconds() })
}

func (c Cell) observe(at func(Search) float64) (list []observation) {
	for _, s := range c {
		list = append(list, observation{at(s), s.End == Found})
	}
	return list
}

// Found returns the number of searches that found the bug.
func (c Cell) Found() (n int) {
	for _, s := range c {
		if s.End == Found {
			n++
		}
	}
	return n
}

// end returns the largest number of runs of any search in the cell. A median that is not
// reached is larger.
func (c Cell) end() (most float64) {
	for _, s := range c {
		most = max(most, float64(s.Runs))
	}
	return most
}

// hard returns the subjects for which the arm "random" has a median of more than hardFrom
// runs.
func (t *Table) hard() (list []string) {
	for _, subject := range t.Subjects() {
		if c := t.Cell(subject, Random); len(c) > 0 && min(c.end(), survival(c.Runs()).Median()) > hardFrom {
			list = append(list, subject)
		}
	}
	return list
}
