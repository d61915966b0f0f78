package fuzz

import (
	"os"
	"strings"
	"testing"
)

// FuzzSubject is a target of go test -fuzz for the subject that JOSTLE_SAMPLE
// names, in its broken form; without that it is the mended writer, which
// nothing must break.
func FuzzSubject(f *testing.F) {
	if name := os.Getenv("JOSTLE_SAMPLE"); strings.HasPrefix(name, "fuzz-") {
		Target(f, subjectNamed(strings.TrimPrefix(name, "fuzz-")).Property(false))
		return
	}
	Target(f, subjectNamed("writer").Property(true))
}

// Any bytes are some run: none crash, hang or count as a pass without a run.
func TestAnyBytesAreSomeRun(t *testing.T) {
	g := newTarget(t.Name(), subjectNamed("writer").Property(true))
	defer g.runner.Close()
	for _, data := range [][]byte{nil, {0}, []byte("writer"), make([]byte, 1<<20), []byte(strings.Repeat("\xff", 1<<20))} {
		g.fuzz(t, data)
		if g.last.System == nil || g.last.System.Steps() == 0 {
			t.Errorf("%d bytes: nothing was run", len(data))
		}
	}
}

// The same bytes are the same run, also with a runner that has run others.
func TestSameBytesSameRun(t *testing.T) {
	g := newTarget(t.Name(), subjectNamed("writer").Property(true))
	defer g.runner.Close()
	hashes := map[string]uint64{}
	for round := range 2 {
		for i := range uint64(200) {
			data := randomDraft(i)[:i%60]
			g.fuzz(t, data)
			hash := g.last.System.Trace().Hash
			if was, ok := hashes[string(data)]; ok && was != hash {
				t.Errorf("round %d: %x gives %x and %x", round, data, was, hash)
			}
			hashes[string(data)] = hash
		}
	}
}
