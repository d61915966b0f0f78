package finding

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/fuzz/subjects"
	"github.com/jostle-go/jostle/props"
)

// A heard is a test under rapid that records what is logged.
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

// underRapid returns the number of steps that rapid's own shrinker leaves of a failure, read from the last printed
// chart. rapid draws the order of the property's messages.
func underRapid(property func(*props.T)) (steps int) {
	r := &heard{}
	over := make(chan struct{})
	go func() { // which FailNow ends
		defer close(over)
		rapid.Check(r, props.Rapid(property))
	}()
	<-over
	text := strings.Join(r.said, "\n")
	if at := strings.LastIndex(text, "Failed test output:"); r.failed && at >= 0 {
		return len(chartLine.FindAllString(text[at:], -1))
	}
	return -1 // it finds nothing
}

const asRapid = "JOSTLE_TEST_AS_RAPID"

// TestAsRapid is the test that byRapid runs in another process, because rapid takes its seed only from the command
// line.
func TestAsRapid(*testing.T) {
	names := os.Getenv(asRapid)
	if names == "" {
		return
	}
	for name := range strings.SplitSeq(names, ",") {
		s, _ := subjects.ByName(name)
		fmt.Printf("left %s %d\n", s.Name, underRapid(s.Property(false)))
	}
}

// byRapid returns how many steps rapid leaves of the failures of subjects, for each of some
// seeds.
func byRapid(t *testing.T, seeds int, list []subjects.Subject) map[string][]int {
	t.Helper()
	var names []string
	for _, s := range list {
		names = append(names, s.Name)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	left := map[string][]int{}
	for seed := range seeds {
		cmd := exec.Command(exe, "-test.run=^TestAsRapid$", "-rapid.checks=20000", "-rapid.nofailfile", fmt.Sprintf("-rapid.seed=%d", seed+1))
		cmd.Env = append(os.Environ(), asRapid+"="+strings.Join(names, ","))
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v:\n%s", err, out)
		}
		for line := range strings.Lines(string(out)) {
			var name string
			var steps int
			if n, _ := fmt.Sscanf(line, "left %s %d", &name, &steps); n == 2 {
				left[name] = append(left[name], steps)
			}
		}
	}
	return left
}
