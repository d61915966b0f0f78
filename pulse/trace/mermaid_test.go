package trace

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// mermaidLine matches every line that a diagram may have: no text holds what the
// parser of Mermaid takes for the end of a line, a comment or a directive.
var mermaidLine = regexp.MustCompile(`^(sequenceDiagram|` +
	`    participant a\d+ as TEXT|` +
	`    a\d+(->>|-->>|-x)a\d+: TEXT|` +
	`    Note (over a\d+(,a\d+)?|right of a\d+): TEXT(<br/>TEXT)*)$`)

var (
	mermaidCode = regexp.MustCompile(`#\d+;`)
	mermaidSafe = regexp.MustCompile(`(as|:) ([^#;:%<>&$\x00-\x1f]+(<br/>)?)+$`)
)

func TestMermaidLines(t *testing.T) {
	trace := storyTrace()
	trace.Sends[trace.Steps[1].Send].Body = "end; par #quot; %%comment\r\n$$x$$ <b>&amp;</b> note over a0: wrap:"
	for line := range strings.Lines(trace.Mermaid()) {
		line = strings.TrimSuffix(line, "\n")
		bare := mermaidCode.ReplaceAllString(line, "_")
		if bare != "sequenceDiagram" {
			if !mermaidSafe.MatchString(bare) {
				t.Errorf("unsafe text in %q", line)
			}
			bare = mermaidSafe.ReplaceAllString(bare, "$1 TEXT")
		}
		if !mermaidLine.MatchString(bare) {
			t.Errorf("%q is no line of a diagram", line)
		}
	}
}

// TestMermaidText: decoding returns the original text.
func TestMermaidText(t *testing.T) {
	for _, want := range []string{"", "plain", `a: b; c #d <e> & "f" %% $$`, "#35;", "&#35;", "naïve → ☃", "\x01\x1f\n"} {
		got := mermaidCode.ReplaceAllStringFunc(mermaidText(want), func(code string) string {
			n, err := strconv.Atoi(code[1 : len(code)-1])
			if err != nil {
				t.Fatal(err)
			}
			return string(rune(n))
		})
		if got != want {
			t.Errorf("%q is written as %q, which reads %q", want, mermaidText(want), got)
		}
	}
}
