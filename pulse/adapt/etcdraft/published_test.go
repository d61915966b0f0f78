package etcdraft_test

import (
	"os"
	"testing"

	"github.com/jostle-go/jostle/fuzz"
)

// TestPublished holds that raft as it is published keeps what it promises, whatever goes
// wrong: 1,500 runs, with JOSTLE_NIGHTLY=1 100,000.
func TestPublished(t *testing.T) {
	runs := 1500
	if os.Getenv("JOSTLE_NIGHTLY") != "" {
		runs = 100_000
	}
	fuzz.Config{Runs: runs}.Check(t, everything)
}
