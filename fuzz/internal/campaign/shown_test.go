package campaign_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/fuzz/internal/campaign"
)

// TestShownByFailures: what a saved case has shown, an order of all that were run before the
// search, a run that was made smaller, or one that has ended its process is not listed as never
// seen, now and in the file of the campaign. "Reserved before Cancel" was listed next to a run
// that shows it.
func TestShownByFailures(t *testing.T) {
	const open = "reserve from relay before cancel from buyer at order" // and never cancel before reserve
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
