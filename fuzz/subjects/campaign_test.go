// Skips: unless JOSTLE_BROKEN is set, for a campaign that is to find all bugs:
// TestCampaignOfSubjects of the command is one.
package subjects_test

import (
	"os"
	"testing"

	"github.com/jostle-go/jostle/fuzz"
	"github.com/jostle-go/jostle/fuzz/subjects"
)

// TestCampaign has all subjects with their bugs as properties.
func TestCampaign(t *testing.T) {
	if os.Getenv("JOSTLE_BROKEN") == "" {
		t.Skip("all of these fail: JOSTLE_BROKEN is not set")
	}
	for _, s := range subjects.All() {
		t.Run(s.Name, func(t *testing.T) { fuzz.Check(t, s.Property(false)) })
	}
}
