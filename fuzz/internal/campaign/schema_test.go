package campaign_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jostle-go/jostle/corpus/golden"
	"github.com/jostle-go/jostle/fuzz/internal/campaign"
	"github.com/jostle-go/jostle/fuzz/internal/record"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
)

// eventSchema returns the JSON schema of events.
func eventSchema(t *testing.T) *golden.Schema {
	t.Helper()
	s, err := golden.NewSchema(campaign.EventSchema())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestEventsAreAsDescribed: a campaign finds failures and deaths, and its
// properties end in all possible ways. All its events conform to the schema.
func TestEventsAreAsDescribed(t *testing.T) {
	trial.Long(t)
	s := eventSchema(t)
	dir := t.TempDir()
	kinds := map[campaign.Kind]int{}
	var last campaign.Event
	o := campaign.Options{Runs: 2000, Workers: 2, Say: time.Millisecond, File: filepath.Join(dir, "none", "state.json"), Pages: true, Tell: func(e campaign.Event) {
		kinds[e.Kind]++
		last = e
		text, err := json.Marshal(e)
		if err == nil {
			err = s.Check(text)
		}
		if err != nil {
			t.Errorf("%v\n%s", err, text)
		}
	}}
	campaignOf(t, dir, o, "TestTwoBugs", "TestExits", "TestFew")
	for _, k := range []campaign.Kind{campaign.Found, campaign.Finished, campaign.Went, campaign.Ended} {
		if kinds[k] == 0 {
			t.Errorf("there was no event of the kind %s: %v", k, kinds)
		}
	}
	if kinds[campaign.Ended] != 1 || last.Kind != campaign.Ended || last.Text != "runs" {
		t.Errorf("the last event is %+v, and %d are an end", last, kinds[campaign.Ended])
	}
}

// TestAllIsDescribed: the schema has exactly the names
// of the fields of events, each with a description.
func TestAllIsDescribed(t *testing.T) {
	s := eventSchema(t)
	for name, c := range map[string]struct {
		of   *golden.Schema
		goes []reflect.Type
	}{
		"Event":    {s, []reflect.Type{reflect.TypeFor[campaign.Event]()}},
		"Progress": {s.Properties["Properties"].Items, []reflect.Type{reflect.TypeFor[campaign.Progress]()}},
		"Arm":      {s.Properties["Properties"].Items.Properties["Arms"].Items, []reflect.Type{reflect.TypeFor[campaign.Arm]()}},
		"Finding":  {s.Properties["Finding"], []reflect.Type{reflect.TypeFor[campaign.Finding](), reflect.TypeFor[record.Record]()}},
	} {
		var want []string
		for _, typ := range c.goes {
			for f := range typ.Fields() {
				if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" || !f.Anonymous {
					want = append(want, cmp.Or(name, f.Name))
				}
			}
		}
		slices.Sort(want)
		if got := slices.Sorted(maps.Keys(c.of.Properties)); !slices.Equal(got, want) {
			t.Errorf("%s has %q, want %q", name, got, want)
		}
		for name, p := range c.of.Properties {
			if p.Description == "" {
				t.Errorf("%s is not described", name)
			}
		}
	}
	for _, k := range []campaign.Kind{campaign.Found, campaign.Noted, campaign.Finished, campaign.Went, campaign.Ended} {
		if !slices.Contains(s.Properties["Kind"].Enum, any(string(k))) {
			t.Errorf("the kind %s is not described", k)
		}
	}
	states := []campaign.State{campaign.Waiting, campaign.Searching, campaign.Complete, campaign.Saturated, campaign.GivenUp, campaign.Over}
	if got := s.Properties["Properties"].Items.Properties["State"].Enum; fmt.Sprint(got) != fmt.Sprint(states) {
		t.Errorf("states: %v, want %v", got, states)
	}
	if len(s.Properties["Kind"].Enum) != 5 {
		t.Errorf("kinds: %v", s.Properties["Kind"].Enum)
	}
}

// TestSchemaCanary: the schema refuses invalid events.
func TestSchemaCanary(t *testing.T) {
	s := eventSchema(t)
	good := `{"Kind":"went","Runs":1,"Orders":0,"Seconds":0.5,"Text":"x"}`
	if err := s.Check([]byte(good)); err != nil {
		t.Error(err)
	}
	for _, edit := range [][2]string{
		{`"went"`, `"dance"`}, {`"Runs":1,`, ``}, {`"Runs":1`, `"Runs":1.5`}, {`"Runs":1`, `"Runs":-1`}, {`"Text"`, `"Texts"`}, {`"x"`, `1`},
		{`"Text":"x"`, `"Finding":{}`}, {`"Text":"x"`, `"Finding":[]`}, {`"Text":"x"`, `"Left":-1`},
		{`"Text":"x"`, `"Properties":{}`}, {`"Text":"x"`, `"Properties":[1]`}, {`"Text":"x"`, `"Properties":[{}]`},
	} {
		bad := strings.Replace(good, edit[0], edit[1], 1)
		if s.Check([]byte(bad)) == nil {
			t.Errorf("%s is an event", bad)
		}
	}
}
