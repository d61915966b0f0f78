package tool

import (
	"strings"
	"testing"

	"github.com/jostle-go/jostle/fuzz/internal/binary"
	"github.com/jostle-go/jostle/fuzz/internal/campaign"
	"github.com/jostle-go/jostle/fuzz/internal/worker"
)

// TestFailedFirst: properties that failed or had a complaint in the last run come first, and all others
// stay in their order.
func TestFailedFirst(t *testing.T) {
	b := &binary.Binary{Package: "p"}
	subject := func(test string) campaign.Subject {
		return campaign.Subject{Binary: b, Property: worker.Property{Test: test, Name: test}}
	}
	r := &campaign.Report{Outcomes: []campaign.Outcome{{Subject: subject("a")}, {Subject: subject("b"), Findings: []*campaign.Finding{{}}},
		{Subject: subject("c")}, {Subject: subject("d"), Complaints: []string{"it was not run"}}}}
	s := &searcher{}
	for _, want := range []string{"abcde", "bdace"} {
		list := []campaign.Subject{subject("a"), subject("b"), subject("c"), subject("d"), subject("e")}
		s.failedFirst(list)
		var got strings.Builder
		for _, s := range list {
			got.WriteString(s.Property.Test)
		}
		if got.String() != want {
			t.Errorf("the order is %s, want %s", got.String(), want)
		}
		s.remember(r)
	}
	r.Outcomes[1].Findings = nil
	s.remember(r)
	if s.failed["p b"] || !s.failed["p d"] {
		t.Errorf("failed are %v", s.failed)
	}
}
