package campaign_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"regexp"
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

// camelCase matches names such as leftOut.
var camelCase = regexp.MustCompile("^[a-z]+([A-Z][a-z]+)*$")

// TestAllIsDescribed: the schema has exactly the names
// of the fields of events, each with a description. All names have one style.
func TestAllIsDescribed(t *testing.T) {
	s := eventSchema(t)
	for name, c := range map[string]struct {
		of   *golden.Schema
		goes []reflect.Type
	}{
		"Event":    {s, []reflect.Type{reflect.TypeFor[campaign.Event]()}},
		"Progress": {s.Properties["properties"].Items, []reflect.Type{reflect.TypeFor[campaign.Progress]()}},
		"Arm":      {s.Properties["properties"].Items.Properties["arms"].Items, []reflect.Type{reflect.TypeFor[campaign.Arm]()}},
		"Doing":    {s.Properties["doing"].Items, []reflect.Type{reflect.TypeFor[campaign.Doing]()}},
		"Finding":  {s.Properties["finding"], []reflect.Type{reflect.TypeFor[campaign.Finding](), reflect.TypeFor[record.Record]()}},
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
			if p.Description == "" || !camelCase.MatchString(name) {
				t.Errorf("%s is not described, or no name like leftOut", name)
			}
		}
	}
	for _, k := range []campaign.Kind{campaign.Found, campaign.Noted, campaign.Finished, campaign.Went, campaign.Ended} {
		if !slices.Contains(s.Properties["kind"].Enum, any(string(k))) {
			t.Errorf("the kind %s is not described", k)
		}
	}
	states := []campaign.State{campaign.Waiting, campaign.Searching, campaign.Complete, campaign.Saturated, campaign.GivenUp, campaign.Over}
	if got := s.Properties["properties"].Items.Properties["state"].Enum; fmt.Sprint(got) != fmt.Sprint(states) {
		t.Errorf("states: %v, want %v", got, states)
	}
	if len(s.Properties["kind"].Enum) != 5 {
		t.Errorf("kinds: %v", s.Properties["kind"].Enum)
	}
}

// TestSchemaCanary: the schema refuses invalid events.
func TestSchemaCanary(t *testing.T) {
	s := eventSchema(t)
	good := `{"kind":"went","runs":1,"orders":0,"seconds":0.5,"text":"x"}`
	if err := s.Check([]byte(good)); err != nil {
		t.Error(err)
	}
	for _, edit := range [][2]string{
		{`"went"`, `"dance"`}, {`"runs":1,`, ``}, {`"runs":1`, `"runs":1.5`}, {`"runs":1`, `"runs":-1`}, {`"text"`, `"texts"`}, {`"x"`, `1`},
		{`"text":"x"`, `"finding":{}`}, {`"text":"x"`, `"finding":[]`}, {`"text":"x"`, `"left":-1`},
		{`"text":"x"`, `"properties":{}`}, {`"text":"x"`, `"properties":[1]`}, {`"text":"x"`, `"properties":[{}]`},
	} {
		bad := strings.Replace(good, edit[0], edit[1], 1)
		if s.Check([]byte(bad)) == nil {
			t.Errorf("%s is an event", bad)
		}
	}
}
