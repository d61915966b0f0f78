// Skips: unless JOSTLE_BROKEN is set. It is set by tests that run a campaign to
// find the bugs of all subjects, such as TestCampaignOfSubjects of the command.
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
