package fuzz

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/jostle-go/jostle/fuzz/explore"
)

// What is said of an exploration while it goes on: nothing of a short one.
func TestReporter(t *testing.T) {
	at := func(ms, runs int) explore.Progress {
		return explore.Progress{Elapsed: time.Duration(ms) * time.Millisecond, Runs: runs}
	}
	done := func(ms, runs int) explore.Progress {
		p := at(ms, runs)
		p.Done = true
		return p
	}
	for _, c := range []struct {
		name     string
		terminal bool
		told     []explore.Progress
		want     string
	}{
		{"short", true, []explore.Progress{at(20, 1), at(900, 2), done(999, 3)}, ""},
		{"over before it was asked", true, []explore.Progress{done(4000, 3)}, ""},
		{"a terminal", true, []explore.Progress{at(900, 1), at(1000, 2), at(1500, 3), at(2000, 4), done(2100, 5)},
			"\r    T: 2 runs, 1.0 s, no failures\r    T: 4 runs, 2.0 s, no failures\r    T: 5 runs, 2.1 s, no failures\n"},
		{"short for a log", false, []explore.Progress{at(1000, 1), at(4900, 2), done(4999, 3)}, ""},
		{"a log", false, []explore.Progress{at(1000, 1), at(5000, 2), at(6000, 3), at(9900, 4), at(10_000, 5), done(10_100, 6)},
			"    T: 2 runs, 5.0 s, no failures\n    T: 5 runs, 10 s, no failures\n    T: 6 runs, 10 s, no failures\n"},
	} {
		var b bytes.Buffer
		r := reporterTo(named{&b, "T"}, c.terminal)
		for _, p := range c.told {
			r.tell(p)
		}
		if b.String() != c.want {
			t.Errorf("%s: got\n%q\nwant\n%q", c.name, b.String(), c.want)
		}
	}
}

func TestIsTerminal(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if isTerminal(file) || isTerminal(io.Discard) {
		t.Error("a file, or what is none, is taken for a terminal")
	}
}
