package choice

import "testing"

// TestWords checks the numbers of a draw: the given ones, then those of splitmix64, whose
// first numbers from seed 1234567 are published.
func TestWords(t *testing.T) {
	in := Input{Seed: 1234567, Words: []uint64{7, 9}}
	want := []uint64{7, 9, 6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431}
	for n := range want {
		if got := in.Word(n); got != want[n] {
			t.Errorf("word %d is %d, expected %d", n, got, want[n])
		}
	}
}
