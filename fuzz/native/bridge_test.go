package native

import "testing"

// The engine's bytes reach different orders: a bridge that always reported
// the same slots would be of no use.
func TestBridgeSeesOrders(t *testing.T) {
	h := harness(t)
	seen := map[[slots / 64]uint64]bool{}
	for i := range uint64(500) {
		h.Run(RandomBytes(i))
		seen[h.bridge.seen] = true
	}
	if len(seen) < 20 {
		t.Errorf("500 inputs give %d sets of slots", len(seen))
	}
}
