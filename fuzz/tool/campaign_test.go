// Skips: unless JOSTLE_CAMPAIGN says for how long a campaign on all subjects is to take.
package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/jostle-go/jostle/fuzz/internal/campaign"
	"github.com/jostle-go/jostle/fuzz/internal/words"
	"github.com/jostle-go/jostle/fuzz/subjects"
)

// enough is the time in which a campaign on all subjects must find all bugs.
const enough = 20 * time.Minute

// TestCampaignOfSubjects runs `jostle fuzz` on all subjects with their bugs, two workers at
// once, for the time in JOSTLE_CAMPAIGN. It prints throughput, findings and memory:
//
//	JOSTLE_CAMPAIGN=20m go test -v -timeout 0 -run TestCampaignOfSubjects ./fuzz/tool
//
// Each finding is shrunk and explained, no finding is listed twice, and memory does not
// grow. In 20 minutes all bugs are found.
func TestCampaignOfSubjects(t *testing.T) {
	set := os.Getenv("JOSTLE_CAMPAIGN")
	if set == "" {
		t.Skip("JOSTLE_CAMPAIGN does not say for how long: set it to a time such as 20m")
	}
	long, err := time.ParseDuration(set)
	if err != nil || long <= 0 {
		t.Fatalf("JOSTLE_CAMPAIGN is %q: set it to a time such as 20m", set)
	}
	t.Setenv("JOSTLE_BROKEN", "1")
	t.Setenv("JOSTLE_OUT", t.TempDir())
	var out, errs bytes.Buffer
	began := time.Now()
	args := []string{"fuzz", "github.com/jostle-go/jostle/fuzz/subjects", "--property", "TestCampaign", "--for", long.String(), "--workers", "2", "--json",
		"--state", filepath.Join(t.TempDir(), "state.json")}
	if code := run(t.Context(), args, &out, &errs); code != failed {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	var events []campaign.Event
	for d := json.NewDecoder(&out); d.More(); {
		var e campaign.Event
		if err := d.Decode(&e); err != nil {
			t.Fatal(err)
		}
		events = append(events, e)
	}
	text := showFindings(t, events, long >= enough) + showMemory(t, events)
	last := events[len(events)-1]
	t.Logf("%s on %d processors (%s, %s), ended by %s after %v\n%s, %s orders of two receives: %.0f runs a second\n%s", words.Elapsed(long), runtime.NumCPU(), runtime.GOARCH,
		runtime.Version(), last.Text, time.Since(began).Round(time.Second), words.Count(last.Runs, "run"), words.Grouped(last.Orders), float64(last.Runs)/last.Seconds, text)
}

// showFindings returns a table of the findings. It fails the test if a finding is reported
// twice or is not shrunk and explained.
func showFindings(t *testing.T, events []campaign.Event, all bool) string {
	t.Helper()
	var table strings.Builder
	found, twice := map[string]int{}, map[string]bool{}
	for _, e := range events {
		f := e.Finding
		if e.Kind == campaign.Noted {
			fmt.Fprintf(&table, "%6.0f s  note: %s: %s\n", e.Seconds, e.Subject, e.Text)
		}
		if f == nil {
			continue
		}
		_, name, _ := strings.Cut(e.Subject, "TestCampaign/")
		found[name]++
		if key := name + " " + f.Signature + " " + f.Condition; twice[key] {
			t.Errorf("%s: %s was found twice", name, f.Headline())
		} else {
			twice[key] = true
		}
		steps := "not shrunk"
		switch {
		case f.Shrunk == "":
			t.Errorf("%s: %s was not shrunk:\n%s", name, f.Headline(), f.Text(0))
		case f.Orders() == "":
			t.Errorf("%s: %s is not explained:\n%s", name, f.Headline(), f.Text(0))
		default:
			steps = words.Count(len(f.Steps), "step")
		}
		fmt.Fprintf(&table, "%6.0f s  %-22s run %9s  %10s  %s\n", e.Seconds, name, words.Grouped(f.Run), steps, f.Signature)
	}
	var missing []string
	for _, s := range subjects.All() {
		if found[s.Name] == 0 {
			missing = append(missing, s.Name)
		}
	}
	if all && len(missing) > 0 {
		t.Errorf("not found: %s", strings.Join(missing, ", "))
	}
	fmt.Fprintf(&table, "%d of %d bugs are found; not: %s\n", len(subjects.All())-len(missing), len(subjects.All()), strings.Join(missing, ", "))
	return table.String()
}

// showMemory returns a table of how much memory there was each minute, and fails the test
// if it grows in the second half of the campaign.
func showMemory(t *testing.T, events []campaign.Event) string {
	t.Helper()
	var table strings.Builder
	var most [2]campaign.Event // in each half
	long := events[len(events)-1].Seconds
	fmt.Fprintf(&table, "%8s  %12s  %12s  %12s  (MB)\n", "", "runs", "the campaign", "its workers")
	for i, e := range events {
		if e.Kind != campaign.Went && e.Kind != campaign.Ended {
			continue
		}
		if i == len(events)-1 || e.Seconds >= 59 || long < 300 {
			fmt.Fprintf(&table, "%6.0f s  %12s  %12d  %12d\n", e.Seconds, words.Grouped(e.Runs), e.Memory>>20, e.Workers>>20)
		}
		half := &most[0]
		if e.Seconds > long/2 {
			half = &most[1]
		}
		half.Memory, half.Workers = max(half.Memory, e.Memory), max(half.Workers, e.Workers)
	}
	const spare = 64 << 20
	if before, after := most[0], most[1]; long > 300 && (after.Memory > before.Memory*5/4+spare || after.Workers > before.Workers*5/4+spare) {
		t.Errorf("memory grows: at most %d and %d MB in the first half, and %d and %d in the second",
			before.Memory>>20, before.Workers>>20, after.Memory>>20, after.Workers>>20)
	}
	return table.String()
}
