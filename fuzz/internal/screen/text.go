// Package screen writes to terminals. A Screen keeps a few lines below all other output, a View
// makes such lines from the progress of a campaign, and a Stepper shows a run step by step.
package screen

import (
	"strings"

	"github.com/jostle-go/jostle/pulse/trace"
)

// Inline returns a text on one line, with control characters escaped.
func Inline(text string) string {
	return strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(trace.Visible(text))
}

// Cut returns text if it occupies at most width columns. Otherwise it returns a prefix of the text
// followed by "…".
func Cut(text string, width int) string {
	if trace.Width(text) <= width {
		return text
	}
	n := 0
	for i, r := range text {
		if n += trace.Columns(r); n > width-1 {
			return text[:i] + "…"
		}
	}
	return text
}
