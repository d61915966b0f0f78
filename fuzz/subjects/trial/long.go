package trial

import "testing"

// Long skips a test with -short. Tests that take more than half a second of processor time call it.
//
// Skips: with -short.
func Long(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.SkipNow()
	}
}
