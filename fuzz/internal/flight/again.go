package flight

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/jostle-go/jostle/fuzz/internal/words"
)

// Variable is the environment variable that names the record of which a process is
// to make the run again, and nothing else.
const Variable = "JOSTLE_FLIGHT"

// An Outcome is what came of runs that were made again.
type Outcome struct {
	// Died reports that the process began with them and did not come to their end.
	Died bool
	// Text says in words what the last process was at and what came of it now.
	Text string
}

// waitForPipes is how long a process that has ended may leave its output to others.
const waitForPipes = 3 * time.Second

// Again makes the runs of the record again: in this program, started anew for the
// test alone, in the folder of the package. The process ends after the limit, if not
// before.
func (l *Left) Again(limit time.Duration) Outcome {
	if len(l.On) == 0 {
		return Outcome{Text: l.headline() + ": there is no run to be made again"}
	}
	err := setState(l.Path(), waiting)
	var said, status string
	var cut bool
	if err == nil {
		said, status, cut, err = l.start(limit)
	}
	what := "made again, that ends its process too"
	switch s := stateOf(l.Path()); {
	case err != nil:
		return Outcome{Text: fmt.Sprintf("%s: that cannot be made again: %v", l.headline(), err)}
	case s == waiting:
		return Outcome{Text: fmt.Sprintf("%s: that could not be made again: within %s the test did not come to it (%s)", l.headline(), words.Elapsed(limit), status)}
	case s == landed && (cut || status == passed || status == failed):
		return Outcome{Text: l.headline() + ": made again in a process of its own, it came to its end"}
	case cut && s == flying:
		what = "made again, it does not come to its end within " + words.Elapsed(limit)
	case s == landed:
		what = "made again, it came to its end, and what was done with its failure ended the process"
	}
	return Outcome{Died: true, Text: fmt.Sprintf("DIED %s: %s: %s\n%s",
		l.headline(), what, status, words.Indented(fmt.Sprintf("%s\nagain: %s=%s %s\nmade again first from now on, until it ends well; to forget it, remove that file",
			said, Variable, words.Quoted(l.Path()), words.Command(l.Test, l.Dir))))}
}

// headline says at what the last process was.
func (l *Left) headline() string {
	at := "before the first run"
	for i, run := range l.On {
		if i == 0 {
			at = "in " + run.String()
		} else {
			at += ", or " + run.String()
		}
	}
	return fmt.Sprintf("the last process died %s, fuzz.%s of %s, seed %d", at, l.Verb, l.Test, l.Seed)
}

// How a process ends whose test passed or failed.
const (
	passed = "exit status 0"
	failed = "exit status 1"
)

// start has another process make the runs again. It returns what that said, how it
// ended, and whether the limit ended it.
func (l *Left) start(limit time.Duration) (said, status string, cut bool, err error) {
	self, err := os.Executable()
	if err != nil {
		return "", "", false, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit+waitForPipes)
	defer cancel()
	var out Tail
	cmd := exec.CommandContext(ctx, self, arguments(words.Pattern(l.Test), limit, os.Args[1:])...)
	cmd.Dir, cmd.WaitDelay = l.Dir, waitForPipes
	cmd.Env = append(os.Environ(), Variable+"="+l.Path())
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); cmd.Process == nil {
		return "", "", false, err
	}
	// An error may also say that another process kept the pipe.
	return out.LastWords(), cmd.ProcessState.String(), ctx.Err() != nil || strings.HasPrefix(out.Reason(), "panic: test timed out after "), nil
}

// arguments returns those of the process that makes a run again, given those of
// this one: what belongs to the test stays, and of what belongs to package testing
// only what a run may depend on.
func arguments(pattern string, limit time.Duration, own []string) []string {
	list := []string{"-test.run=" + pattern, "-test.timeout=" + limit.String(), "-test.count=1", "-test.paniconexit0"}
	var rest []string
	for i := 0; i < len(own); i++ {
		arg := own[i]
		name, isTesting := strings.CutPrefix(strings.TrimLeft(arg, "-"), "test.")
		name, _, hasValue := strings.Cut(name, "=")
		if isTesting && strings.HasPrefix(arg, "-") && !hasValue && !slices.Contains(switches, name) && i+1 < len(own) {
			i++
			arg += "=" + own[i]
		}
		switch {
		case !isTesting || !strings.HasPrefix(arg, "-"):
			rest = append(rest, arg)
		case slices.Contains([]string{"short", "cpu", "parallel"}, name):
			list = append(list, arg)
		}
	}
	return append(list, rest...)
}

// switches are the flags of package testing that need no value. The value of another may
// stand in the argument after it.
var switches = []string{"artifacts", "benchmem", "failfast", "fullpath", "fuzzworker", "paniconexit0", "short", "v"}

// mostTail is how much is kept of what a process writes.
const mostTail = 256 << 10

// A Tail keeps the end of what is written to it.
type Tail struct{ text []byte }

// Write never fails.
func (t *Tail) Write(p []byte) (int, error) {
	t.text = append(t.text, p...)
	if n := len(t.text); n > 2*mostTail {
		t.text = append(t.text[:0], t.text[n-mostTail:]...)
	}
	return len(p), nil
}

// Of what a process wrote so many lines are shown, and so many before the line that
// tells most.
const (
	mostSaid   = 20
	mostBefore = 5
)

// What a line begins with, or has in it, that says why a process ends.
var lastWords = []string{"NO PROGRESS for ", dataRace, "fatal error: ", "panic: ", "runtime: ", "SIG", "unexpected fault address"}

// LastWords returns the lines of a dead process that tell most: those about the first
// that says why it ends, or else the last ones.
func (t *Tail) LastWords() string {
	lines, at := t.reason()
	if at < 0 {
		at = len(lines) - mostSaid
	}
	return strings.Join(lines[max(0, at-mostBefore):min(len(lines), max(0, at)+mostSaid)], "\n")
}

// Reason returns the line that says why a process ends, "" when there is none. That of a
// data race has also where the two accesses are.
func (t *Tail) Reason() string {
	lines, at := t.reason()
	if at < 0 {
		return ""
	}
	text := strings.TrimSpace(lines[at])
	if text == dataRace {
		if list := racing(lines[at+1:]); len(list) > 0 {
			text += " between " + strings.Join(list, " and ")
		}
	}
	return text
}

const dataRace = "WARNING: DATA RACE"

// racing returns the functions of the two accesses in a report of the race detector,
// sorted. Which of them wrote is left out: of one race that may be told in several ways.
func racing(lines []string) (list []string) {
	wanted := false
	for _, line := range lines {
		if strings.Contains(line, " at 0x") && len(list) < 2 {
			wanted = true
			continue
		}
		name, isCall := strings.CutPrefix(line, "  ")
		if !wanted || !isCall || strings.HasPrefix(name, " ") || strings.HasPrefix(name, "runtime.") || strings.HasPrefix(name, "internal/") {
			continue
		}
		list = append(list, strings.TrimSuffix(name[strings.LastIndex(name, "/")+1:], "()"))
		wanted = false
	}
	slices.Sort(list)
	return list
}

// reason returns all lines, and which of them says why the process ends, -1 if none does.
func (t *Tail) reason() (lines []string, at int) {
	lines = strings.Split(strings.TrimSpace(string(t.text)), "\n")
	return lines, slices.IndexFunc(lines, func(line string) bool {
		return slices.ContainsFunc(lastWords, func(word string) bool {
			return strings.HasPrefix(line, word) || word == lastWords[0] && strings.Contains(line, word)
		})
	})
}
