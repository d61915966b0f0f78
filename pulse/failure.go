package pulse

import (
	"fmt"
	"reflect"
	"regexp"
	"runtime"
	"strings"

	"github.com/jostle-go/jostle/pulse/stack"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A Kind says in what way a run failed.
type Kind uint8

const (
	// Property: what must hold did not.
	KindProperty Kind = iota
	// Panic: a handler or a process panicked and no supervisor dealt with it.
	KindPanic
	// Stuck: the run is at rest and someone waits for what cannot come.
	KindStuck
	// Orphans: messages were sent to actors that had ended.
	KindOrphans
	// Budget: the run took too many steps or sent too many messages.
	KindBudget
	// Eventuality: what must come about never did.
	KindEventuality
	// Isolation: a message was changed after it was sent.
	KindIsolation
	// Nondeterminism: the same case ran differently.
	KindNondeterminism
	// Misuse: the system was used in a way that it cannot be.
	KindMisuse
	// Decision: the strategy answered what is no answer.
	KindStrategy

	kinds
)

var kindNames = [kinds]string{"property", "panic", "stuck", "orphans", "budget", "eventuality",
	"isolation", "nondeterminism", "misuse", "decision"}

func (k Kind) String() string {
	if k < kinds {
		return kindNames[k]
	}
	return fmt.Sprintf("pulse.Kind(%d)", uint8(k))
}

// A Failure is what a run failed with.
type Failure struct {
	Kind   Kind
	Text   string  // what happened, in one line
	Detail string  // more lines, each indented by four spaces; may be empty
	Site   string  // the function that failed, or what stands for it; part of the signature
	Step   int     // the step in which it happened; -1 when in none
	Stack  []Frame // of a panic, cut to the user's code, innermost first
	Value  any     // what was panicked with
}

// A Frame is one line of a stack.
type Frame = stack.Frame

// Error returns the failure in words, on several lines when there is more to say.
func (f *Failure) Error() string {
	if f.Detail == "" {
		return f.Text
	}
	return f.Text + "\n" + f.Detail
}

// Signature tells two failures apart: kind, site, and for a panic or a
// property what was said, with its numbers and quoted parts left out. It holds
// no line numbers, no stack and no names of actors, so that neither an edit
// elsewhere nor another order changes it.
func (f *Failure) Signature() string {
	s := f.Kind.String()
	if f.Site != "" {
		s += " at " + f.Site
	}
	switch f.Kind {
	case KindPanic:
		s += ": " + blank(firstLine(thrown(f.Value)))
	case KindProperty:
		s += ": " + blank(firstLine(f.Text))
	}
	return s
}

// thrown shows what was panicked with: nothing by its address.
func thrown(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case error, fmt.Stringer:
		return fmt.Sprint(v)
	}
	return describe(v)
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// varying is what differs between two occurrences of one failure: addresses,
// numbers and quoted parts.
var varying = regexp.MustCompile(`0x[0-9a-f]+|[0-9]+|"[^"]*"`)

// blank replaces what varies.
func blank(s string) string {
	return varying.ReplaceAllStringFunc(s, func(part string) string {
		if part[0] == '"' {
			return `""`
		}
		return "#"
	})
}

// Fail ends the run with a failure: what was found wrong by someone who
// watches it. In a step it does not return.
func (s *System) Fail(f *Failure) {
	if !s.mayCall("Fail") {
		return
	}
	if f == nil {
		s.misuse("Fail(nil): give it what was found wrong")
	}
	s.fail(f)
	if s.running {
		s.throw(f)
	}
}

// throw ends the running step, also when the user's code recovers.
func (s *System) throw(f *Failure) {
	s.after |= workIntruder
	panic(f)
}

// fail keeps the first failure of a run.
func (s *System) fail(f *Failure) {
	if s.failure == nil {
		s.failure = f
	}
}

// misuse is the one way in which wrong calls are answered: in a step the run
// fails, outside of one the caller panics with the failure.
func (s *System) misuse(format string, args ...any) {
	f := &Failure{Kind: KindMisuse, Text: fmt.Sprintf(format, args...), Step: int(s.step)}
	if s.running && s.cur != trace.Test {
		f.Text += " (in " + s.where() + ")"
	}
	var pcs [64]uintptr
	f.setFrames(pcs[:runtime.Callers(2, pcs[:])])
	if s.running {
		s.fail(f)
		s.throw(f)
	}
	panic(f)
}

func (s *System) badStrategy(format string, args ...any) {
	f := &Failure{Kind: KindStrategy, Step: int(s.step), Site: fmt.Sprintf("%T", s.strategy),
		Text: fmt.Sprintf("strategy %T ", s.strategy) + fmt.Sprintf(format, args...)}
	s.fail(f)
	s.throw(f)
}

// quit ends a run because the strategy says so, if it is one that may.
func (s *System) quit() bool {
	j, ok := s.strategy.(Judge)
	if !ok {
		return false
	}
	text := "the strategy gave up"
	if err := j.Err(); err != nil {
		text = err.Error()
	}
	s.fail(&Failure{Kind: KindNondeterminism, Text: text, Step: int(s.steps)})
	return true
}

// flooded fails a run that has too many messages on their way.
func (s *System) flooded() {
	if s.failure != nil { // and the user's code has recovered
		s.throw(s.failure)
	}
	f := &Failure{Kind: KindBudget, Step: int(s.step), Site: "messages", Text: fmt.Sprintf(
		"more than %d messages wait to be received%s: is there an end to what %s sends? Options.Pending allows more",
		s.flood, s.in(), s.nameOf(s.cur))}
	s.fail(f)
	s.throw(f)
}

// poured fails a run of which one step sends without end to where nothing
// waits: the record of that must not take all memory.
func (s *System) poured() {
	if s.failure != nil {
		s.throw(s.failure)
	}
	f := &Failure{Kind: KindBudget, Step: int(s.step), Site: "messages", Text: fmt.Sprintf(
		"more than %d messages sent%s: is there an end to what %s sends? Options.Pending allows more",
		s.flood, s.in(), s.nameOf(s.cur))}
	s.fail(f)
	s.throw(f)
}

// exhausted fails a run that has taken all the steps that it may.
func (s *System) exhausted() {
	s.fail(&Failure{Kind: KindBudget, Step: int(s.step), Site: "steps", Detail: s.repeating(), Text: fmt.Sprintf(
		"the run has not come to rest after %d steps: does it ever? Options.Steps allows more", s.limit)})
}

// kindOfStep names a step without its number, so that repetition shows.
func (s *System) kindOfStep(st *trace.Step) string {
	if st.Send < 0 {
		return st.Kind.String() + " of " + s.nameOf(st.Actor)
	}
	return s.nameOf(st.Actor) + " ← " + label(&s.sends[st.Send])
}

// longestCycle is how many steps a repeating pattern may have to be recognised.
const longestCycle = 32

// repeating shows the steps that the end of a run repeats.
func (s *System) repeating() string {
	if !s.recording {
		return "    (record the run to see its last steps)"
	}
	t := s.Trace()
	kinds := make([]string, 0, 3*longestCycle)
	for i := max(0, len(t.Steps)-3*longestCycle); i < len(t.Steps); i++ {
		kinds = append(kinds, s.kindOfStep(&t.Steps[i]))
	}
	n := period(kinds)
	what := "the last steps repeat"
	if n == 0 {
		n, what = min(8, len(kinds)), "the last steps"
	}
	return "    " + what + ": " + strings.Join(kinds[len(kinds)-n:], ", ")
}

// period returns the length of the shortest pattern that a list ends with
// three times, or 0.
func period(list []string) int {
	for n := 1; 3*n <= len(list); n++ {
		same := true
		for i := len(list) - 2*n; i < len(list) && same; i++ {
			same = list[i] == list[i-n]
		}
		if same {
			return n
		}
	}
	return 0
}

// in names the running step: " in writer ← flush".
func (s *System) in() string {
	if w := s.where(); w != "the test" {
		return " in " + w
	}
	return ""
}

// where names the running step, or the test.
func (s *System) where() string {
	if s.cur == trace.Test || int(s.cur) >= len(s.trace.Actors) {
		return "the test"
	}
	if s.recording && s.step >= 0 && int(s.step) < len(s.trace.Steps) {
		return s.Trace().StepLabel(int(s.step))
	}
	return s.nameOf(s.cur)
}

// setFrames fills Stack, Site and Detail from program counters, by the user's
// code alone, and returns the function of this package that called it.
func (f *Failure) setFrames(pcs []uintptr) (caller string) {
	calls, caller := trimmer.Inner(pcs)
	f.Stack = stack.Frames(calls)
	if len(f.Stack) > 0 {
		f.Site = f.Stack[0].Func
		f.Detail = stack.Lines(f.Stack)
	}
	return caller
}

const ours = "github.com/jostle-go/jostle/pulse."

// trimmer leaves this package out of stacks.
var trimmer = stack.NewTrimmer(reflect.TypeFor[System]().PkgPath())

// decides says that a function of this package calls code that is no actor's:
// a strategy, an observer or a function of Faults.
func decides(function string) bool {
	switch strings.TrimPrefix(function, ours+"(*System).") {
	case "begin", "choose", "loop", "tellObservers", "exposed", "listStrikes":
		return true
	}
	return false
}

// describe shows a message in an error.
func describe(msg any) string { return trace.Label(msg) }

// label shows a message on its way.
func label(d *trace.Send) string { return trace.Label(d.Body) }
