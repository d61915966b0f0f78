package trial

import "testing"

// Long is called by tests that take more than half a second of processor time.
//
// Skips: with -short.
func Long(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.SkipNow()
	}
}
