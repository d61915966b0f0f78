package trace

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/corpus/golden"
)

// mermaidLine matches every line that a diagram may have: Mermaid's parser
// must not take any text for a line end, a comment or a directive.
var mermaidLine = regexp.MustCompile(`^(sequenceDiagram|` +
	`    participant a\d+ as TEXT|` +
	`    a\d+(->>|-->>|-x)a\d+: TEXT|` +
	`    rect rgba\(130, 80, 223, 0\.2\)|    end|` +
	`    Note (over a\d+(,a\d+)?|right of a\d+): TEXT(<br/>TEXT)*)$`)

var (
	mermaidCode = regexp.MustCompile(`#\d+;`)
	mermaidSafe = regexp.MustCompile(`(as|:) ([^#;:%<>&$\x00-\x1f]+(<br/>)?)+$`)
)

func TestMermaidLines(t *testing.T) {
	trace := storyTrace()
	const hostile = "end; par #quot; %%comment\r\n$$x$$ <b>&amp;</b> note over a0: wrap:"
	trace.Sends[trace.Steps[1].Send].Body = hostile
	for line := range strings.Lines(trace.MermaidWith(3, []string{hostile, "two"}, func(int) []string { return []string{"one", hostile} })) {
		line = strings.TrimSuffix(line, "\n")
		bare := mermaidCode.ReplaceAllString(line, "_")
		if bare != "sequenceDiagram" && bare != setOff && bare != "    end" {
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

// TestMermaidMarks checks what is marked: two messages, one of them never
// received, and the step in which the run failed.
func TestMermaidMarks(t *testing.T) {
	trace := storyTrace()
	last := len(trace.Sends) - 1
	text := trace.MermaidWith(2, []string{"fails in 1 of 2 orders:", "where a comes before b"}, func(send int) []string {
		switch send {
		case int(trace.Steps[4].Send):
			return []string{"before <b>", "after c"}
		case last:
			return []string{"after d"}
		}
		return nil
	})
	golden.File(t, "testdata/marks.mermaid.golden", text)
	if plain := trace.MermaidWith(int(None), nil, func(int) []string { return nil }); plain != trace.Mermaid() {
		t.Errorf("without marks it is\n%s", plain)
	}
	if empty := (&Trace{}).MermaidWith(7, nil, nil); empty != "sequenceDiagram\n" {
		t.Errorf("of an empty trace it is\n%s", empty)
	}
}
