package fuzz

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/pulse/trace"
)

// An output is a test to which a verb prints. Everything that this package prints goes
// through one, with its control characters escaped: no text of a program, of a case or of a
// name reaches a terminal as an escape sequence.
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

// print writes lines to the test's output, without the position in this package that Log
// would put before them.
func (o output) print(text string) { fmt.Fprint(o.Output(), trace.Visible(text)) }

// warn writes a text to standard error. Of a test that passes without -v, go test shows
// what it wrote there when it was called for one package without naming it, and nothing when
// packages were named. A test's own output is not shown when go test ends the process.
func (o output) warn(text string) { fmt.Fprint(os.Stderr, trace.Visible(text)) }

// beside writes a text to where progress goes, with the name of the test.
func (v *verb) beside(text string) {
	text = fmt.Sprintf("    %s: %s\n", v.t.Name(), strings.ReplaceAll(text, "\n", "\n        "))
	fmt.Fprint(v.aside(), trace.Visible(text))
}

// aside returns where the progress of a verb is written, which package report makes visible:
// what its call has named, or standard error.
func (v *verb) aside() io.Writer {
	if v.Progress != nil {
		return v.Progress
	}
	return os.Stderr
}
