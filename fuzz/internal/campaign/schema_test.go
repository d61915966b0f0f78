package campaign_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jostle-go/jostle/fuzz/internal/campaign"
	"github.com/jostle-go/jostle/fuzz/internal/record"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
)

// A schema is as much of a JSON Schema as that of events uses. Decoding fails for more.
type schema struct {
	Schema      string             `json:"$schema"`
	Title       string             `json:"title"`
	Description string             `json:"description"`
	Type        string             `json:"type"`
	Required    []string           `json:"required"`
	Additional  *bool              `json:"additionalProperties"`
	Properties  map[string]*schema `json:"properties"`
	Enum        []any              `json:"enum"`
	Minimum     *float64           `json:"minimum"`
	Items       *schema            `json:"items"`
}

// eventSchema returns that of events.
func eventSchema(t *testing.T) *schema {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(campaign.EventSchema()))
	d.DisallowUnknownFields()
	s := &schema{}
	if err := d.Decode(s); err != nil {
		t.Fatal(err)
	}
	return s
}

// check returns what a value has that the schema does not allow.
func (s *schema) check(at string, v any) (problems []error) {
	complain := func(format string, args ...any) {
		problems = append(problems, fmt.Errorf(at+": "+format, args...))
	}
	is := map[string]bool{"": true}
	switch v := v.(type) {
	case string:
		is["string"] = true
	case bool:
		is["boolean"] = true
	case float64:
		is["number"], is["integer"] = true, v == math.Trunc(v)
		if s.Minimum != nil && v < *s.Minimum {
			complain("%v is below %v", v, *s.Minimum)
		}
	case []any:
		is["array"] = true
		for i, item := range v {
			if s.Items != nil {
				problems = append(problems, s.Items.check(fmt.Sprintf("%s[%d]", at, i), item)...)
			}
		}
	case map[string]any:
		is["object"] = true
		for _, name := range s.Required {
			if _, has := v[name]; !has {
				complain("%s is missing", name)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if p := s.Properties[name]; p != nil {
				problems = append(problems, p.check(at+"."+name, v[name])...)
			} else if s.Additional != nil && !*s.Additional {
				complain("%s is not described", name)
			}
		}
	}
	if !is[s.Type] {
		complain("%v is no %s", v, s.Type)
	}
	if s.Enum != nil && !slices.Contains(s.Enum, v) {
		complain("%v is none of %v", v, s.Enum)
	}
	return problems
}

// checkEvent returns what is wrong with an event, as JSON.
func (s *schema) checkEvent(text []byte) error {
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		return err
	}
	return errors.Join(s.check("event", v)...)
}

// TestEventsAreAsDescribed: all events of a campaign that finds failures and deaths, whose
// properties end in all ways, obey the schema.
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
			err = s.checkEvent(text)
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

// TestAllIsDescribed: the schema has each name that an event can have and no other, and all
// of them with a description.
func TestAllIsDescribed(t *testing.T) {
	s := eventSchema(t)
	for name, c := range map[string]struct {
		of   *schema
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

// TestSchemaCanary: events that are none are refused.
func TestSchemaCanary(t *testing.T) {
	s := eventSchema(t)
	good := `{"Kind":"went","Runs":1,"Orders":0,"Seconds":0.5,"Text":"x"}`
	if err := s.checkEvent([]byte(good)); err != nil {
		t.Error(err)
	}
	for _, edit := range [][2]string{
		{`"went"`, `"dance"`}, {`"Runs":1,`, ``}, {`"Runs":1`, `"Runs":1.5`}, {`"Runs":1`, `"Runs":-1`}, {`"Text"`, `"Texts"`}, {`"x"`, `1`},
		{`"Text":"x"`, `"Finding":{}`}, {`"Text":"x"`, `"Finding":[]`}, {`"Text":"x"`, `"Left":-1`},
		{`"Text":"x"`, `"Properties":{}`}, {`"Text":"x"`, `"Properties":[1]`}, {`"Text":"x"`, `"Properties":[{}]`},
	} {
		bad := strings.Replace(good, edit[0], edit[1], 1)
		if s.checkEvent([]byte(bad)) == nil {
			t.Errorf("%s is an event", bad)
		}
	}
}
