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
	"github.com/jostle-go/jostle/pulse/stack"
)

// Variable is the environment variable with the path of a record. If it is set, the
// process replays only the runs of that record.
const Variable = "JOSTLE_FLIGHT"

// ExecVariable is the environment variable with the program that runs test binaries, and with its arguments,
// as flag -exec of go test has them.
const ExecVariable = "JOSTLE_EXEC"

// An Outcome is the result of replaying a record.
type Outcome struct {
	// Died is set if the new process began the runs of the record, and died before the
	// end of the runs.
	Died bool
	// Text says which runs were in progress when the process of the record died, and
	// what the replay did.
	Text string
}

// waitForPipes limits how long the replay waits for other processes that keep the output
// of the ended process open.
const waitForPipes = 3 * time.Second

// A Launch says how the test binary of this process is started.
type Launch struct {
	Tool    string   // the command that builds and runs it, such as "go test"
	Verb    string   // what makes the runs, such as "fuzz.Check"
	Package string   // its package, as an argument of Tool
	Base    []string // the environment of a new process, or nil for that of this process
	Env     []string // what the environment of a new process has in addition
	// Endless is set if a run that does not end in time has not failed. Its process may have been
	// killed because it was slow.
	Endless bool
	verbose bool // set if a new process prints each test that it runs
}

// Command returns the shell command that runs the tests that a pattern selects, with the arguments that this
// process has for the tests.
func (by Launch) Command(pattern string) string {
	text := words.Command(by.Tool, pattern, by.Package)
	if _, others := apart(os.Args[1:]); len(others) > 0 {
		text += " -args " + words.Arguments(others)
	}
	return text
}

// Again replays the runs of the record in a new process. It starts the current test
// binary in the folder of the package, to run only the test of the record. The process
// is killed after the limit.
func (l *Left) Again(limit time.Duration, by Launch) Outcome {
	if len(l.On) == 0 {
		return Outcome{Text: l.headline(by.Verb) + ": there is no run to replay"}
	}
	err := setState(l.Path(), waiting)
	var out Tail
	var end *os.ProcessState
	var cut bool
	if err == nil {
		by.Env = append([]string{Variable + "=" + l.Path()}, by.Env...)
		end, cut, err = by.Start(&out, l.Test, l.Dir, limit)
	}
	what := "replayed, the run kills its process again"
	switch s := stateOf(l.Path()); {
	case err != nil:
		return Outcome{Text: fmt.Sprintf("%s: the run cannot be replayed: %v", l.headline(by.Verb), err)}
	case s == waiting:
		return Outcome{Text: fmt.Sprintf("%s: the run could not be replayed: the test did not reach the run within %s (%s)", l.headline(by.Verb), words.Elapsed(limit), end)}
	case s == landed && (cut || decided(end)):
		return Outcome{Text: l.headline(by.Verb) + ": replayed in its own process, the run ended normally"}
	case by.Endless && s == flying && decided(end):
		return Outcome{Text: l.headline(by.Verb) + ": replayed, the run was given up, and its process went on"}
	case cut && s == flying:
		what = "replayed, the run does not end within " + words.Elapsed(limit)
		if by.Endless {
			return Outcome{Text: l.headline(by.Verb) + ": " + what}
		}
	case s == landed:
		what = "replayed, the run ended, but handling its failure killed the process"
	}
	return Outcome{Died: true, Text: fmt.Sprintf("DIED %s: %s: %s\n%s",
		l.headline(by.Verb), what, end, words.Indented(fmt.Sprintf("%s\nagain: %s=%s %s\neach test run replays this run first until it ends normally; to forget it, remove that file",
			out.LastWords(), Variable, words.Quoted(l.Path()), by.Command(words.Pattern(l.Test)))))}
}

// headline returns a text that says which runs were in progress when the process of the
// record died. The parameter verb names what made the runs.
func (l *Left) headline(verb string) string {
	at := "before the first run"
	for i, run := range l.On {
		if i == 0 {
			at = "in " + run.String()
		} else {
			at += ", or " + run.String()
		}
	}
	return fmt.Sprintf("the last process died %s, %s of %s, seed %d", at, verb, l.Test, l.Seed)
}

// decided reports whether a process ended because its test had passed or failed.
func decided(end *os.ProcessState) bool { return end.ExitCode() == 0 || end.ExitCode() == 1 }

// Start runs only the given test in a new process of the current test binary, in the folder
// dir. It returns how the process ended, and whether it was stopped at the limit.
func (by Launch) Start(out *Tail, test, dir string, limit time.Duration) (end *os.ProcessState, cut bool, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, false, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit+waitForPipes)
	defer cancel()
	args := append(split(os.Getenv(ExecVariable)), self)
	args = append(args, arguments(Selection(test), limit, by.verbose, os.Args[1:])...)
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir, cmd.WaitDelay = dir, waitForPipes
	if cmd.Env = slices.Concat(by.Base, by.Env); by.Base == nil {
		cmd.Env = append(os.Environ(), by.Env...)
	}
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Run(); cmd.Process == nil {
		return nil, false, err
	}
	// The error of Run is ignored, because it may only say that another process keeps
	// the pipe open.
	return cmd.ProcessState, ctx.Err() != nil || strings.HasPrefix(out.Reason(), "panic: test timed out after "), nil
}

// Selection returns the pattern for -run that selects the given test, and of its subtests those that -run of
// this process selects.
func Selection(test string) string {
	flags, _ := apart(os.Args[1:])
	for _, arg := range flags {
		if name, pattern, _ := strings.Cut(strings.TrimLeft(arg, "-"), "="); name == "test.run" {
			return words.Selection(test, pattern)
		}
	}
	return words.Pattern(test)
}

// split splits the value of flag -exec as go test does: at white space outside of quotes. A quote begins
// only at the start of a word.
func split(text string) (list []string) {
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimSpace(text) {
		end := " \t\n\r"
		if quote := text[:1]; strings.Contains("'\"", quote) {
			text, end = text[1:], quote
		}
		at := strings.IndexAny(text, end)
		if at < 0 {
			return append(list, text)
		}
		list = append(list, text[:at])
		text = text[at+1:]
	}
	return list
}

// A Verdict is the result of a test.
type Verdict uint8

// The results of a test.
const (
	Fails Verdict = iota
	Skips
	Passes
)

// Verdict runs only the given test in a new process, as Start does.
func (by Launch) Verdict(out *Tail, test, dir string, limit time.Duration) Verdict {
	by.verbose = true
	switch end, _, err := by.Start(out, test, dir, limit); {
	case err != nil || end.ExitCode() != 0:
		return Fails
	case strings.Contains(string(out.text), "--- SKIP: "+test+" ("):
		return Skips
	}
	return Passes
}

// arguments returns the arguments of the replaying process, given the arguments own of
// this process. It keeps all arguments except flags of package testing. Of these flags
// it keeps those that a run may depend on.
func arguments(pattern string, limit time.Duration, verbose bool, own []string) []string {
	list := []string{"-test.run=" + pattern, "-test.timeout=" + limit.String(), "-test.count=1", "-test.paniconexit0"}
	flags, others := apart(own)
	for _, arg := range flags {
		name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		if slices.Contains([]string{"test.short", "test.skip", "test.v", "test.cpu", "test.parallel"}, name) {
			list = append(list, arg)
		}
	}
	if verbose {
		list = append(list, "-test.v=true")
	}
	return append(list, others...)
}

// apart separates the flags of package testing from other arguments. Each flag is joined with its value.
func apart(own []string) (flags, others []string) {
	for i := 0; i < len(own); i++ {
		arg := own[i]
		name, isTesting := strings.CutPrefix(strings.TrimLeft(arg, "-"), "test.")
		if !isTesting || !strings.HasPrefix(arg, "-") {
			others = append(others, arg)
			continue
		}
		if !strings.Contains(name, "=") && !slices.Contains(switches, name) && i+1 < len(own) {
			i++
			arg += "=" + own[i]
		}
		flags = append(flags, arg)
	}
	return flags, others
}

// switches are the flags of package testing without a value. After a flag that is not a
// switch, the next argument may be the value.
var switches = []string{"artifacts", "benchmem", "failfast", "fullpath", "fuzzworker", "paniconexit0", "short", "v"}

// A Tail keeps at least the last mostTail bytes of the output.
const mostTail = 256 << 10

// A Tail is an io.Writer that keeps the end of the output written to it.
type Tail struct{ text []byte }

// Write appends p. It never fails.
func (t *Tail) Write(p []byte) (int, error) {
	t.text = append(t.text, p...)
	if n := len(t.text); n > 2*mostTail {
		t.text = append(t.text[:0], t.text[n-mostTail:]...)
	}
	return len(p), nil
}

// The limits of the output that LastWords returns.
const (
	mostSaid   = 20 // the maximum number of lines from the line that Reason finds
	mostBefore = 5  // the maximum number of lines before the line that Reason finds
)

// lastWords are the beginnings of lines that say why a process ended. The first text may
// also be in the middle of a line.
var lastWords = []string{"NO PROGRESS for ", dataRace, "fatal error: ", "panic: ", "runtime: ", "SIG", "unexpected fault address"}

// String returns the output.
func (t *Tail) String() string { return string(t.text) }

// LastWords returns the lines of output that say why the process died (see Reason), with
// some lines before and after them. It returns the last lines if Reason finds nothing.
func (t *Tail) LastWords() string {
	lines, at := t.reason()
	if at < 0 {
		at = len(lines) - mostSaid
	}
	return strings.Join(lines[max(0, at-mostBefore):min(len(lines), max(0, at)+mostSaid)], "\n")
}

// Reason returns the line that says why the process ended, or "" if there is no such
// line. For a data race it adds the names of the functions with the two accesses.
func (t *Tail) Reason() string {
	lines, at := t.reason()
	if at < 0 {
		return ""
	}
	text := strings.TrimSpace(lines[at])
	if text == dataRace {
		var names []string
		for _, f := range stack.Accesses(strings.Join(lines[at+1:], "\n")) {
			names = append(names, f.Function[strings.LastIndex(f.Function, "/")+1:])
		}
		if len(names) > 0 {
			text += " between " + strings.Join(names, " and ")
		}
	}
	return text
}

const dataRace = "WARNING: DATA RACE"

// reason returns all lines, and the index of the line that says why the process ended.
// The index is -1 if no line does.
func (t *Tail) reason() (lines []string, at int) {
	lines = strings.Split(strings.TrimSpace(string(t.text)), "\n")
	return lines, slices.IndexFunc(lines, func(line string) bool {
		return slices.ContainsFunc(lastWords, func(word string) bool {
			return strings.HasPrefix(line, word) || word == lastWords[0] && strings.Contains(line, word)
		})
	})
}
