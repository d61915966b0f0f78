//go:build !linux && !darwin

package campaign_test

import "testing"

// Skips: where a process cannot be kept from writing files.
func fill(t *testing.T, full bool) {
	if full {
		t.Skip("no disk can be filled here")
	}
}

// alive reports whether there is a process, as far as that can be told: never.
func alive(int) bool { return false }
