package fuzz

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/pulse/trace"
)

// An output is a testing.TB that escapes control characters. Everything that this package
// prints goes through an output, so that no text of a program or a case reaches the terminal
// as an escape sequence.
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

// print writes text to the test's output, without the file and line that Log adds.
func (o output) print(text string) { fmt.Fprint(o.Output(), trace.Visible(text)) }

// warn writes text to standard error. Without package arguments, go test prints standard error even
// if the test passes and -v is not set. The text is also printed if the process ends within the
// test.
func (o output) warn(text string) { fmt.Fprint(os.Stderr, trace.Visible(text)) }

// beside writes the name of the test and text to the writer that aside returns.
func (v *verb) beside(text string) {
	text = fmt.Sprintf("    %s: %s\n", v.t.Name(), strings.ReplaceAll(text, "\n", "\n        "))
	fmt.Fprint(v.aside(), trace.Visible(text))
}

// aside returns the writer for the progress of a verb, which is Config.Progress or standard error.
// The caller must escape control characters.
func (v *verb) aside() io.Writer {
	if v.Progress != nil {
		return v.Progress
	}
	return os.Stderr
}
