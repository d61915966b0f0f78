package native

import (
	"testing"

	"github.com/jostle-go/jostle/fuzz/subjects/writer"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse/hash"
)

// The engine's bytes reach different orders: a bridge that always reported
// the same slots would be of no use.
func TestBridgeSeesOrders(t *testing.T) {
	r := props.NewRunner(t.Name(), writer.Property(true))
	defer r.Close()
	var b Bridge
	seen := map[[slots / 64]uint64]bool{}
	for i := range uint64(500) {
		d := Draft{Seed: hash.Seed(i, 0)}
		for n := range uint64(props.WordsPerDraw) {
			d.Words = append(d.Words, hash.Seed(i, 1+n))
		}
		for n := range uint64(48) {
			d.Priorities = append(d.Priorities, byte(hash.Seed(i, 1000+n)))
		}
		b.Begin()
		r.Run(props.Plan{Words: d.Words, Seed: d.Seed, Strategy: Play(&d), Observer: &b})
		b.Hit()
		seen[b.seen] = true
	}
	if len(seen) < 20 {
		t.Errorf("500 inputs give %d sets of slots", len(seen))
	}
}
