package hash

import "testing"

// TestSplitmix compares Splitmix with the published numbers for seed 1234567,
// and Nth with Splitmix.
func TestSplitmix(t *testing.T) {
	state := uint64(1234567)
	for i, want := range []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423} {
		if got := Splitmix(&state); got != want {
			t.Errorf("number %d is %d, want %d", i, got, want)
		}
		if got := Nth(1234567, uint64(i)); got != want {
			t.Errorf("Nth(%d) is %d, want %d", i, got, want)
		}
	}
}
