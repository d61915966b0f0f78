package screen

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode"

	"github.com/jostle-go/jostle/corpus/golden"
	"github.com/jostle-go/jostle/fuzz/internal/record"
	"github.com/jostle-go/jostle/pulse/trace"
)

// hostile is program output with control characters.
const hostile = "x\x1b[2J\u202e\r\ny\tz\x9b"

// obeyed reports whether a terminal treats a character as a control character.
func obeyed(r rune) bool { return r != '\n' && (unicode.IsControl(r) || unicode.In(r, unicode.Cf)) }

// small is a run of four steps that together use every field of a step.
func small() *record.Walk {
	message := func(from, to int, label string, sentIn int) record.Message {
		return record.Message{From: from, To: to, Label: label, SentIn: sentIn, SentAt: "bank.go:12"}
	}
	return &record.Walk{
		Actors: []string{"test", "account", "north", hostile}, Receivers: []int{2, 1, 3, 1}, Failed: 3, Failure: "overdrawn: " + hostile,
		Draws: []string{"sum = 3", hostile}, Logs: []string{"begins"}, Waiting: []record.Message{message(0, 2, "late", -1)}, More: 3,
		Moments: []record.Moment{
			{Step: record.Step{Message: message(0, 2, "order", -1), Handler: "bank.go:30"}, Now: []record.Field{{Text: "a function"}}},
			{Step: record.Step{Message: message(2, 1, "deposit(3)", 0), Number: 1, Handler: "bank.go:20", After: []string{"north now: " + hostile}}, Time: "1.5s",
				Before:  []record.Field{{Name: "balance", Text: "0"}, {Name: "owner", Text: hostile}, {Name: "old", Text: "1"}, {Text: "its disk: a"}, {Text: "its disk: b"}},
				Now:     []record.Field{{Name: "balance", Text: "3"}, {Name: "owner", Text: hostile}, {Text: "its disk: a"}, {Text: "its disk: c"}, {Name: "new", Text: "2"}},
				Others:  []record.Message{message(3, 1, hostile, -1), message(0, 2, "late", 0)},
				More:    7,
				Choices: []string{"Choose(3) is 1"}, Faults: []string{"fault: loss of the next message"}},
			{Step: record.Step{Message: record.Message{From: -1, To: 3, Label: "crash of " + hostile, SentIn: -1}, Number: 2, Kind: "crash"}, Fixed: true, Before: []record.Field{{Name: "n", Text: "1"}}},
			{Step: record.Step{Message: message(3, 1, "withdraw(5)", 0), Number: 3, Failed: true, Log: []string{hostile, "two\nlines"}}, Fixed: true},
		},
	}
}

// whole returns a fetch function that always returns the whole run.
func whole(w *record.Walk) func(int, int) (*record.Walk, error) {
	return func(int, int) (*record.Walk, error) { return w, nil }
}

// transcript returns the stepper's output for a sequence of commands.
func transcript(t *testing.T, s *Stepper, commands ...string) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(s.Show())
	for _, c := range commands {
		text, quit := s.Do(c)
		fmt.Fprintf(&b, "> %q\n%s", c, text)
		if quit {
			b.WriteString("that is all\n")
		}
	}
	return b.String()
}

func TestWalk(t *testing.T) {
	s, err := NewStepper(whole(small()))
	if err != nil {
		t.Fatal(err)
	}
	text := transcript(t, s, "n", "n", "", "n", "n", "n", "a", "p", "p", "p", "p", "p", "p", " 2 ", "a account", "b", "b north", "a nobody here\x1b[1m", "a test", "b x\\x1b[2J",
		"b x\x1b[2J\u202e\r\ny\tz\x9b", "e", "a", "b account", "b", "f", "s", "d", "l", "3", "l", "e", "l", "4", "5", "99", "-1", "99999999999999999999", "n 2", "dance\x1b[2J", "h", "q")
	golden.File(t, "testdata/walk.golden", text)
	if strings.ContainsFunc(text, obeyed) {
		t.Error("there are characters that a terminal obeys")
	}
}

// TestOtherRuns: a run without steps, one that
// passed, and one that failed after its last step.
func TestOtherRuns(t *testing.T) {
	held, late := small(), small()
	held.Failed, held.Failure, held.Waiting, held.More, held.Draws, held.Logs = -1, "", nil, 0, nil, nil
	late.Failed = len(late.Receivers)
	held.Moments[3].Failed, late.Moments[3].Failed = false, false
	var b strings.Builder
	for _, w := range []*record.Walk{{Failed: 0, Failure: "no system", Logs: []string{"a"}}, {Failed: -1}, held, late} {
		s, err := NewStepper(whole(w))
		if err != nil {
			t.Fatal(err)
		}
		b.WriteString(transcript(t, s, "f", "e", "n", "p", "s", "a", "l", "d"))
		b.WriteString("\n")
	}
	golden.File(t, "testdata/others.golden", b.String())
}

// TestWalkInColumns: on a narrow terminal a receiver without room begins a line, a message is whole where a
// step is shown alone, and loses a field in the list of steps nearby.
func TestWalkInColumns(t *testing.T) {
	w := small()
	w.Moments[1].Label, w.Moments[1].Parts = "append(term: 2, entries: [a b])", []trace.Part{{Begin: 7, End: 14}, {Begin: 16, End: 30}}
	s, err := NewStepper(whole(w))
	if err != nil {
		t.Fatal(err)
	}
	s.Columns = func() int { return 36 }
	shown, _ := s.Do("1")
	nearby, _ := s.Do("l")
	for text, want := range map[string]string{shown: "\n  north ──append(term: 2, entries: [a b])\n    ──▶ account\n", nearby: "\n> 1  north ──append(term: 2, …)\n       ──▶ account\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("want %q in\n%s", want, text)
		}
	}
}

// long is a long run that is fetched in parts.
type long struct {
	steps, most int
	asked       []int
	problem     error
	change      func(*record.Walk)
}

func (l *long) fetch(first, count int) (*record.Walk, error) {
	l.asked = append(l.asked, first)
	if l.problem != nil && len(l.asked) > 1 {
		return nil, l.problem
	}
	w := &record.Walk{Actors: []string{"test", "a", "b"}, Failed: l.steps - 2, First: first, Hash: 7}
	for i := range l.steps {
		w.Receivers = append(w.Receivers, 1+i%2)
	}
	for i := first; i < min(first+min(count, l.most), l.steps); i++ {
		w.Moments = append(w.Moments, record.Moment{Step: record.Step{Number: i, Message: record.Message{From: 0, To: 1 + i%2, Label: fmt.Sprint("m", i), SentIn: -1}, Failed: i == w.Failed},
			Now: []record.Field{{Name: "n", Text: strings.Repeat("x", 300)}}})
	}
	if l.change != nil && len(l.asked) > 1 {
		l.change(w)
	}
	return w, nil
}

// TestLongRuns: of a run of 10,000 steps only a few parts are in memory. Each is
// fetched once while commands stay within it or cross its edge back and forth.
func TestLongRuns(t *testing.T) {
	takesLong(t)
	for _, most := range []int{window, 100} {
		l := &long{steps: 10_000, most: most}
		s, err := NewStepper(l.fetch)
		if err != nil {
			t.Fatal(err)
		}
		for i := range l.steps - 1 {
			if text, _ := s.Do("n"); !strings.HasPrefix(text, fmt.Sprintf("step %d of 9999", i+1)) {
				t.Fatalf("after step %d: %s", i, text)
			}
		}
		if want := (l.steps + most - 1) / most; len(l.asked) != want {
			t.Errorf("%d parts were asked for, want %d", len(l.asked), want)
		}
		s.Do(fmt.Sprint(most - 1))
		l.asked = nil
		for range 100 {
			s.Do("n")
			s.Do("p")
		}
		if len(l.asked) != 1 || len(s.kept) > mostKept {
			t.Errorf("%d parts were asked for at an edge, %d are kept", len(l.asked), len(s.kept))
		}
		if text, _ := s.Do("f"); !strings.HasPrefix(text, "step 9998 of 9999  ✗ fails here\n") {
			t.Error(text)
		}
		if text, _ := s.Do("b b"); !strings.HasPrefix(text, "step 9997 ") {
			t.Error(text)
		}
	}
}

// TestRunsThatCannotBeMadeAgain: if a step cannot be fetched, the stepper says so and shows nothing in its place.
func TestRunsThatCannotBeMadeAgain(t *testing.T) {
	const chance = "step 300 is not known: the program does not repeat itself, so its run cannot be replayed\n"
	for name, c := range map[string]struct {
		l    *long
		want string
	}{
		"it ends":              {&long{problem: errors.New("exit status 3\x1b[2J")}, "step 300 is not known: exit status 3\\x1b[2J\n"},
		"another run":          {&long{change: func(w *record.Walk) { w.Hash = 8 }}, chance},
		"two runs differ":      {&long{change: func(w *record.Walk) { w.Unsteady = "the trace is another" }}, chance},
		"it has become less":   {&long{change: func(w *record.Walk) { w.Moments = nil }}, chance},
		"it begins elsewhere":  {&long{change: func(w *record.Walk) { w.First += 500 }}, chance},
		"the first two differ": {&long{}, chance},
	} {
		c.l.steps, c.l.most = 1000, window
		s, err := NewStepper(func(first, count int) (*record.Walk, error) {
			w, err := c.l.fetch(first, count)
			if name == "the first two differ" {
				w.Unsteady = "the trace is another"
			}
			return w, err
		})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if text, _ := s.Do("300"); text != c.want {
				t.Errorf("%s: %s", name, text)
			}
		}
		if text, _ := s.Do("255"); !strings.HasPrefix(text, "step 255 ") {
			t.Errorf("%s: %s", name, text)
		}
		if text, _ := s.Do("n"); !strings.HasPrefix(text, "step 256 is not known: ") {
			t.Errorf("%s: %s", name, text)
		}
		if text := s.Show(); !strings.HasPrefix(text, "step 255 ") {
			t.Errorf("%s: %s", name, text)
		}
	}
	if _, err := NewStepper(func(int, int) (*record.Walk, error) { return nil, errors.New("no") }); err == nil {
		t.Error("there is a stepper without a run")
	}
}

func TestKeys(t *testing.T) {
	for _, c := range []struct{ keys, want string }{
		{"npfaslq", "n p f a s l q"},
		{" \r\n", "n n n"},
		{"17\r", "17"}, {"170\x7f\rn", "17 n"}, {"1\x08\x08n", "n"}, {"1\x1bnp", "p"},
		{":a north\r", "a north"}, {":\r", ""}, {":a \xc3\xa4b\x7f\x7f\xc3\xbc\r", "a ü"}, {":\x7f\rn", "n n"},
		{"\x1b[A\x1b[B\x1b[C\x1b[D\x1b[H\x1b[F\x1bOC", "p n n p s e n"},
		{"\x1b[3~\x1b[1;5Cn", "n"},   // keys without a function
		{"\x1bxn", "n"},              // Alt together with a letter
		{"\x1b[999999999999nn", "n"}, // an escape sequence longer than any key's
		{"\x03", "q"}, {":abc\x03", "q"}, {"\x04", "q"}, {"\x00\x01\xff\x80n", "n"},
		{":" + strings.Repeat("y", 300) + "\r", strings.Repeat("y", 200)},
	} {
		var k Keys
		var got []string
		for _, b := range []byte(c.keys) {
			if command, complete := k.Take(b); complete {
				got = append(got, command)
			}
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%q: got %q, want %q", c.keys, text, c.want)
		}
	}
}

// FuzzDo: whatever is typed, nothing panics, and no control character reaches the
// terminal.
func FuzzDo(f *testing.F) {
	for _, line := range []string{"n", "17", "a x", "b", "l", "\x1b", "e", "-5", "a \xff"} {
		f.Add(line, line)
	}
	f.Fuzz(func(t *testing.T, first, second string) {
		s, err := NewStepper(whole(small()))
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range []string{first, second} {
			if text, _ := s.Do(line); strings.ContainsFunc(text, obeyed) {
				t.Errorf("%q shows %q", line, text)
			}
		}
		var k Keys
		for _, b := range []byte(first + second) {
			k.Take(b)
		}
	})
}
