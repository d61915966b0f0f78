package fuzz

import (
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/props"
)

// FuzzSubject is a target of go test -fuzz for the subject that JOSTLE_SAMPLE
// names, in its broken form; without that it is the mended writer, which
// nothing must break.
func FuzzSubject(f *testing.F) {
	if property := targetSamples[os.Getenv("JOSTLE_SAMPLE")]; property != nil {
		Target(f, property)
		return
	}
	if name := os.Getenv("JOSTLE_SAMPLE"); strings.HasPrefix(name, "fuzz-") {
		Target(f, subjectNamed(strings.TrimPrefix(name, "fuzz-")).Property(false))
		return
	}
	Target(f, subjectNamed("writer").Property(true))
}

// targetSamples are properties that FuzzSubject runs in a process of its own.
var targetSamples = map[string]func(*props.T){
	"fuzz-overdraws": overdraws,
	"fuzz-missed":    missesSome,
	"fuzz-skipped":   skips,
	"fuzz-rare":      rarely,
}

// rarely reaches a situation in one of 64 runs, more seldom than the inputs
// that the engine begins with.
func rarely(t *props.T) {
	n := props.Draw(t, rapid.Uint64(), "n")
	t.System().Run()
	t.Sometimes("rare", n%64 == 17)
}

// A target tells by plain go test what its runs never reached, and that they
// test nothing. It used to pass.
func TestTargetJudgesAtTheEnd(t *testing.T) {
	for sample, want := range map[string]string{
		"fuzz-missed":  `sometimes "it rains": reached in none of 1008 runs: the test tests less than it seems to`,
		"fuzz-skipped": "all of 1008 runs were skipped: nothing was tested (not today)",
		"fuzz-rare":    "--- PASS: FuzzSubject",
	} {
		if out := runSample(t, sample, t.TempDir()); !strings.Contains(out, want) {
			t.Errorf("%s:\n%s\nwant %s", sample, out, want)
		}
	}
}
