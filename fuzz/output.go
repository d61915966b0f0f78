package fuzz

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/pulse/trace"
)

// An output is a test to which a verb prints. It escapes control characters, so that no
// text of a program, a case or a name reaches the terminal as an escape sequence.
// Everything that this package prints goes through it.
type output struct{ testing.TB }

func visible(args []any) string {
	return trace.Visible(strings.TrimSuffix(fmt.Sprintln(args...), "\n"))
}

func visiblef(format string, args []any) string { return trace.Visible(fmt.Sprintf(format, args...)) }

func (o output) Log(args ...any) {
	o.Helper()
	o.TB.Log(visible(args))
}

func (o output) Logf(format string, args ...any) {
	o.Helper()
	o.TB.Logf("%s", visiblef(format, args))
}

func (o output) Error(args ...any) {
	o.Helper()
	o.TB.Error(visible(args))
}

func (o output) Errorf(format string, args ...any) {
	o.Helper()
	o.TB.Errorf("%s", visiblef(format, args))
}

func (o output) Fatal(args ...any) {
	o.Helper()
	o.TB.Fatal(visible(args))
}

func (o output) Fatalf(format string, args ...any) {
	o.Helper()
	o.TB.Fatalf("%s", visiblef(format, args))
}

func (o output) Skip(args ...any) {
	o.Helper()
	o.TB.Skip(visible(args))
}

func (o output) Skipf(format string, args ...any) {
	o.Helper()
	o.TB.Skipf("%s", visiblef(format, args))
}

// print writes text to the test's output without a file and line, which Log would add.
func (o output) print(text string) { fmt.Fprint(o.Output(), trace.Visible(text)) }

// warn writes text to standard error. For a passing test without -v, go test shows
// standard error if no packages were named, and nothing otherwise. It does not show a
// test's own output when it ends the process.
func (o output) warn(text string) { fmt.Fprint(os.Stderr, trace.Visible(text)) }

// beside writes text, with the name of the test, to where progress goes.
func (v *verb) beside(text string) {
	text = fmt.Sprintf("    %s: %s\n", v.t.Name(), strings.ReplaceAll(text, "\n", "\n        "))
	fmt.Fprint(v.aside(), trace.Visible(text))
}

// aside returns where the progress of a verb is written: Config.Progress or standard
// error. Package report escapes control characters.
func (v *verb) aside() io.Writer {
	if v.Progress != nil {
		return v.Progress
	}
	return os.Stderr
}
