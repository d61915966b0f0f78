package campaign_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/fuzz/internal/campaign"
)

// TestShownByFailures: an order that a failing run shows must not be listed as
// never seen, in the report or in the state file. The run may be a saved case,
// one of an exhaustive search, a shrunk run, or one that ended its process.
// "Reserved before Cancel" used to be listed next to a run with this order.
func TestShownByFailures(t *testing.T) {
	const open = "reserve from relay before cancel from buyer at order" // the reverse, cancel before reserve, was seen
	dir := t.TempDir()
	for _, c := range []struct {
		name, test, where string
		runs              int
		want              []string
	}{
		{"made smaller", "TestCanceled", "run ", 64, []string{open}},
		{"saved", "TestCanceled", "saved case ", 64, []string{open}},
		{"before the search", "TestCanceledFew", "run 2 of 2 (explore", 1, nil},
		{"the end of a process", "TestCanceledEnd", "run ", 320, nil},
	} {
		o := campaign.Options{Seed: 1, Runs: c.runs, File: filepath.Join(t.TempDir(), "state.json")}
		r := campaignOf(t, dir, o, c.test)
		read, err := campaign.Read(o.File)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range []*campaign.Report{r, read} {
			var got []string
			out := &r.Outcomes[0]
			for _, n := range out.Orders.OpenNames() {
				got = append(got, n.Name)
			}
			if !slices.Equal(got, c.want) || len(out.Findings) != 1 || out.Orders.Runs() != out.Runs {
				t.Errorf("%s: never seen are %q, want %q; %d findings, orders of %d runs, and %d were made", c.name, got, c.want, len(out.Findings), out.Orders.Runs(), out.Runs)
			}
			for _, f := range out.Findings {
				if !strings.HasPrefix(f.Where, c.where) {
					t.Errorf("%s: it was found by %s", c.name, f.Where)
				}
			}
		}
	}
}
