package campaign_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/jostle-go/jostle/fuzz/internal/campaign"
)

// readLive returns what other processes can see of a campaign.
func readLive(t *testing.T, state string) (l campaign.Live) {
	t.Helper()
	text, err := os.ReadFile(campaign.LiveFile(state))
	if err == nil {
		err = json.Unmarshal(text, &l)
	}
	if err != nil {
		t.Error(err)
	}
	return l
}

// TestLive: other processes see a finding at once, and at the end what the report says.
func TestLive(t *testing.T) {
	dir := t.TempDir()
	state := filepath.Join(dir, "state.json")
	found := 0
	o := campaign.Options{Runs: 1000, Workers: 2, File: state, Say: time.Millisecond, Tell: func(e campaign.Event) {
		if e.Kind == campaign.Found {
			found++ // this finding is written after this function returns
		} else if found > 1 && e.Kind == campaign.Went {
			if l := readLive(t, state); len(l.Found) != found || l.Found[0].Path == "" || l.Found[0].Headline == "" || l.Ended != "" {
				t.Errorf("after %d findings: %+v", found, l)
			}
		}
	}}
	r := campaignOf(t, dir, o, "TestTwoBugs")
	l := readLive(t, state)
	if l.Ended != r.Ended || l.FoundAll != r.Failures() || l.Seed != r.Seed || l.Process != os.Getpid() || l.Runs < r.Outcomes[0].Runs || len(l.Last.Properties) != 1 || l.Last.Properties[0].Arms != nil {
		t.Errorf("at the end: %+v, want %+v", l, r)
	}
	if !slices.IsSortedFunc(l.Curve, func(a, b campaign.LivePoint) int { return a.Runs - b.Runs }) || len(l.Curve) == 0 {
		t.Errorf("the curve is %v", l.Curve)
	}
	if err := os.WriteFile(campaign.LiveFile(state), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := campaign.Run(t.Context(), nil, o); !errors.Is(err, campaign.ErrForeign) {
		t.Errorf("a file that is no campaign's is overwritten: %v", err)
	}
}

// TestLiveIsBounded: the file of a long campaign with many findings stays small.
func TestLiveIsBounded(t *testing.T) {
	l := campaign.Live{}
	const hours = 100_000
	for i := range hours {
		l.Note(campaign.Event{Kind: campaign.Went, Seconds: float64(i), Runs: i})
		l.Note(campaign.Event{Kind: campaign.Found, Seconds: float64(i), Finding: &campaign.Finding{}})
	}
	l.Note(campaign.Event{Kind: campaign.Ended, Text: "time", Seconds: hours, Runs: hours})
	text, err := json.Marshal(l)
	if err != nil || len(text) > 64<<10 || l.FoundAll != hours || l.Ended != campaign.EndTime {
		t.Errorf("%d bytes, %d findings, ended by %q: %v", len(text), l.FoundAll, l.Ended, err)
	}
	n := len(l.Curve)
	if n < 100 || n > 300 || l.Curve[n-1].Runs != hours {
		t.Fatalf("%d points, the last is %+v", n, l.Curve[n-1])
	}
	for i := 2; i < n-1; i++ {
		if was, is := l.Curve[i-1].Seconds-l.Curve[i-2].Seconds, l.Curve[i].Seconds-l.Curve[i-1].Seconds; is != was {
			t.Fatalf("point %d is %v after the one before, which was %v after its own", i, is, was)
		}
	}
}
