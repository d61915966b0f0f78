package worker

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestTooLarge: a process above its memory limit is asked to collect garbage. It is
// killed only if it is still too large afterwards, if it grows much meanwhile, or if it
// does not answer.
func TestTooLarge(t *testing.T) {
	for _, c := range []struct {
		name  string
		beats []Beat
		late  bool // the last beat comes after the time allowed for collecting
		asked int
		want  string
	}{
		{"never over", []Beat{{Memory: 90}, {Memory: 100}}, false, 0, "false false"},
		{"garbage", []Beat{{Memory: 101}, {Memory: 150}, {Memory: 80, Collected: true}, {Memory: 90}}, false, 1, "false false false false"},
		{"garbage twice", []Beat{{Memory: 101}, {Memory: 80, Collected: true}, {Memory: 110}, {Memory: 50, Collected: true}}, false, 2, "false false false false"},
		{"kept", []Beat{{Memory: 101}, {Memory: 150}, {Memory: 102, Collected: true}}, false, 1, "false false true"},
		{"it falls by itself", []Beat{{Memory: 101}, {Memory: 80}, {Memory: 120}}, false, 2, "false false false"},
		{"it grows on", []Beat{{Memory: 101}, {Memory: 501}}, false, 1, "false true"},
		{"no answer", []Beat{{Memory: 101}, {Memory: 102}}, true, 1, "false true"},
	} {
		var asked bytes.Buffer
		p := &Process{Command: Command{Memory: 100}, requests: json.NewEncoder(&asked)}
		var got []string
		for i, b := range c.beats {
			if c.late && i == len(c.beats)-1 {
				p.collects = time.Now().Add(-2 * collecting)
			}
			got = append(got, fmt.Sprint(p.note(&Message{Beat: &b}) != ""))
		}
		if text := strings.Join(got, " "); text != c.want || strings.Count(asked.String(), string(collect)) != c.asked {
			t.Errorf("%s: ended %s, want %s; asked %q, want %d times", c.name, text, c.want, asked.String(), c.asked)
		}
	}
}
