package bench

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/corpus/golden"
	"github.com/jostle-go/jostle/fuzz/subjects"
	"github.com/jostle-go/jostle/fuzz/subjects/load"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/pulse"
)

// TestCoverageCurves: each arm shows as many receive pairs as the table of testdata says.
// Everything depends on seeds alone. By day only the first program is measured.
func TestCoverageCurves(t *testing.T) {
	trial.Long(t)
	programs, holds := coveragePrograms()[:1], golden.Rows
	if golden.Whole() {
		programs, holds = coveragePrograms(), golden.File
	}
	c, err := measureCoverage(context.Background(), coverageOptions{Programs: programs})
	if err != nil {
		t.Fatal(err)
	}
	holds(t, "testdata/coverage.txt", c.Text())
	files := []string{"testdata/coverage-barber.svg", "testdata/coverage-chain-repair.svg", "testdata/coverage-raft.svg"}
	for i, p := range programs {
		golden.File(t, files[i], c.Plot(p.Name))
	}
}

// Invalid options are refused, and an interrupted measurement returns no table.
func TestCoverageIsRefused(t *testing.T) {
	over, cancel := context.WithCancel(context.Background())
	cancel()
	small := []subjects.Subject{{Name: "fails", Mended: func(*pulse.System) func() error { return func() error { return errors.New("always") } }}}
	for _, c := range []struct {
		ctx  context.Context
		o    coverageOptions
		want string
	}{
		{context.Background(), coverageOptions{Seeds: -1}, "less than zero"},
		{context.Background(), coverageOptions{Runs: -1}, "less than zero"},
		{context.Background(), coverageOptions{Most: -1}, "less than zero"},
		{context.Background(), coverageOptions{Programs: small}, "fails with seed 1 by random"},
		{over, coverageOptions{}, "canceled"},
	} {
		if got, err := measureCoverage(c.ctx, c.o); got != nil || err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, %v", c.o, got, err)
		}
	}
}

// For a small program the number of orders is known. A program without receive pairs also
// has a row and a picture.
func TestCoverageOfSmallPrograms(t *testing.T) {
	c, err := measureCoverage(context.Background(), coverageOptions{Seeds: 1, Runs: 3, Programs: []subjects.Subject{
		{Name: "three", Mended: load.Senders(3, 1).Build},
		{Name: "none", Mended: func(*pulse.System) func() error { return func() error { return nil } }},
	}})
	if err != nil {
		t.Fatal(err)
	}
	for _, cell := range c.Cells {
		want := map[string]int{"three": 6}[cell.Program]
		if cell.Possible != want || cell.Seen > want || cell.Together > want || len(cell.Curve) != 3 {
			t.Errorf("%+v", cell)
		}
	}
	for _, picture := range []string{c.Plot("three"), c.Plot("none"), c.Plot("no such"), (&coverageTable{}).Plot("<&>"), (&coverageTable{}).Text()} {
		if strings.Contains(picture, "NaN") || strings.Contains(picture, "<&>") {
			t.Error(picture)
		}
	}
}
