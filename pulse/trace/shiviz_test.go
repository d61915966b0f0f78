package trace

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
)

// A shivizEvent is one event as ShiViz reads it.
type shivizEvent struct {
	host  string
	clock map[string]int
	text  string
}

// readShiviz reads a log by the pattern in its first line, as ShiViz does, and
// checks what ShiViz requires: a host's own clock entry counts its events from
// 1, and no clock counts more events than the log has.
func readShiviz(t *testing.T, log string) []shivizEvent {
	t.Helper()
	first, rest, _ := strings.Cut(log, "\n")
	pattern := regexp.MustCompile(strings.ReplaceAll(first, "(?<", "(?P<"))
	var events []shivizEvent
	seen := map[string]int{}
	for _, match := range pattern.FindAllStringSubmatch(rest, -1) {
		event := shivizEvent{host: match[1], text: match[3]}
		if err := json.Unmarshal([]byte(match[2]), &event.clock); err != nil {
			t.Fatalf("clock %s: %v", match[2], err)
		}
		seen[event.host]++
		if event.clock[event.host] != seen[event.host] {
			t.Fatalf("event %d of %s has the clock %v", seen[event.host], event.host, event.clock)
		}
		for host, n := range event.clock {
			if n < 1 || n > seen[host] {
				t.Fatalf("%q knows event %d of %s, which has had %d", event.text, n, host, seen[host])
			}
		}
		events = append(events, event)
	}
	return events
}

// TestShivizClocks: the clocks in the log order the steps as HappensBefore does.
func TestShivizClocks(t *testing.T) {
	for seed := range uint64(300) {
		trace := newRandomTrace(seed)
		var steps []shivizEvent
		for _, event := range readShiviz(t, trace.ShiViz()) {
			if event.host != "test" {
				steps = append(steps, event)
			}
		}
		if len(steps) != len(trace.Steps) {
			t.Fatalf("random trace %d: %d events of actors for %d steps", seed, len(steps), len(trace.Steps))
		}
		for a := range steps {
			for b := range steps {
				knows := a != b && steps[b].clock[steps[a].host] >= steps[a].clock[steps[a].host]
				if knows != trace.HappensBefore(a, b) {
					t.Fatalf("random trace %d: the clocks of steps %d and %d say %v\n%s", seed, a, b, knows, trace.ShiViz())
				}
			}
		}
	}
}

func TestShivizOfStory(t *testing.T) {
	trace := storyTrace()
	events := readShiviz(t, trace.ShiViz())
	if want := len(trace.Steps) + 4; len(events) != want { // the log also has an event for the start and for each of three rests
		t.Errorf("%d events, expected %d", len(events), want)
	}
}

func TestShivizHosts(t *testing.T) {
	got := shivizHosts(Names{"test", "a b", "a\u00a0b", "a_b", "c"})
	want := []string{"test", "a_b", "a_b'", "a_b''", "c"}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("hosts %q, expected %q", got, want)
	}
}
