package native

import (
	"strings"
	"testing"

	"github.com/jostle-go/jostle/fuzz/subjects/writer"
	"github.com/jostle-go/jostle/props"
)

// harness runs a property that holds.
func harness(t *testing.T) *Harness {
	r := props.NewRunner(t.Name(), writer.Property(true))
	t.Cleanup(r.Close)
	return &Harness{Runner: r}
}

// Any bytes are some run: none crash, hang or count as a pass without a run.
func TestAnyBytesAreSomeRun(t *testing.T) {
	h := harness(t)
	for _, data := range [][]byte{nil, {0}, []byte("writer"), make([]byte, 1<<20), []byte(strings.Repeat("\xff", 1<<20))} {
		if res := h.Run(data); res.Failure != nil || res.System == nil || res.System.Steps() == 0 {
			t.Errorf("%d bytes: nothing was run, or it failed", len(data))
		}
	}
}

// The same bytes are the same run, also with a runner that has run others.
func TestSameBytesSameRun(t *testing.T) {
	h := harness(t)
	hashes := map[string]uint64{}
	for round := range 2 {
		for i := range uint64(200) {
			data := RandomBytes(i)[:i%60]
			res := h.Run(data)
			hash := res.System.Trace().Hash
			if was, ok := hashes[string(data)]; ok && was != hash {
				t.Errorf("round %d: %x gives %x and %x", round, data, was, hash)
			}
			hashes[string(data)] = hash
		}
	}
}
