package search

import (
	"flag"
	"fmt"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/props"
)

// A heard is a test that rapid fails, and that keeps what is logged.
type heard struct {
	said   []string
	failed bool
}

func (r *heard) Helper()                           {}
func (r *heard) Name() string                      { return "TestUnderRapid" }
func (r *heard) Log(args ...any)                   { r.said = append(r.said, fmt.Sprint(args...)) }
func (r *heard) Logf(format string, args ...any)   { r.Log(fmt.Sprintf(format, args...)) }
func (r *heard) Skip(args ...any)                  { r.Log(args...); runtime.Goexit() }
func (r *heard) Skipf(format string, args ...any)  { r.Skip(fmt.Sprintf(format, args...)) }
func (r *heard) SkipNow()                          { runtime.Goexit() }
func (r *heard) Error(args ...any)                 { r.Log(args...); r.failed = true }
func (r *heard) Errorf(format string, args ...any) { r.Error(fmt.Sprintf(format, args...)) }
func (r *heard) Fatal(args ...any)                 { r.Error(args...); runtime.Goexit() }
func (r *heard) Fatalf(format string, args ...any) { r.Fatal(fmt.Sprintf(format, args...)) }
func (r *heard) FailNow()                          { r.failed = true; runtime.Goexit() }
func (r *heard) Fail()                             { r.failed = true }
func (r *heard) Failed() bool                      { return r.failed }

var chartLine = regexp.MustCompile(`(?m)^ *(\d+)  \S`)

// underRapid returns how many steps rapid's own shrinker leaves of a failure of a
// property that it draws the order of messages for: those of its last chart.
func underRapid(t *testing.T, property func(*props.T), seed uint64) (steps int) {
	t.Helper()
	for name, value := range map[string]string{"rapid.seed": fmt.Sprint(seed), "rapid.checks": "20000", "rapid.nofailfile": "true"} {
		was := flag.Lookup(name).Value.String()
		if err := flag.Set(name, value); err != nil {
			t.Fatal(err)
		}
		defer flag.Set(name, was)
	}
	r := &heard{}
	over := make(chan struct{})
	go func() { // which FailNow ends
		defer close(over)
		rapid.Check(r, props.Rapid(property))
	}()
	<-over
	text := strings.Join(r.said, "\n")
	at := strings.LastIndex(text, "Failed test output:")
	if !r.failed || at < 0 {
		t.Fatalf("seed %d: rapid finds nothing:\n%s", seed, text)
	}
	return len(chartLine.FindAllString(text[at:], -1))
}
