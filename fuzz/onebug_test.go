package fuzz

import (
	"strings"
	"testing"

	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/props"
)

// order is the order in which a crowd's words come.
func order(t *props.T, n int) (words string) {
	sys := t.System()
	trial.Crowd(sys, n, func(word string) { words += word })
	sys.Run()
	return words
}

var bugSamples = map[string]func(*testing.T){
	// 15 lists of words come before a.
	"bug-lists": func(t *testing.T) {
		Config{KeepOn: true}.Explore(t, func(t *props.T) {
			before, _, _ := strings.Cut(order(t, 4), "a")
			if early := strings.Split(before, ""); len(early) > 0 {
				t.Errorf("came early: %v", early)
			}
		})
	},
	"bug-lines": func(t *testing.T) {
		Config{KeepOn: true}.Explore(t, func(t *props.T) {
			switch words := order(t, 3); words[0] {
			case 'b':
				t.Errorf("%s has come first", words[:1])
			case 'c':
				t.Errorf("%s has come first", words[:1])
			}
		})
	},
}

// TestOneBugIsCountedOnce: a failure with other values is no other failure, and one on
// another line is.
func TestOneBugIsCountedOnce(t *testing.T) {
	for sample, want := range map[string]int{"bug-lists": 1, "bug-lines": 2} {
		dir := t.TempDir()
		out := runSample(t, sample, dir)
		if n := strings.Count(out, "        saved: "); n != want || len(casesIn(t, dir)) != want {
			t.Errorf("%s is counted as %d, in files %q, expected %d:\n%s", sample, n, casesIn(t, dir), want, out)
		}
	}
}
