package screen

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/jostle-go/jostle/fuzz/internal/record"
)

// obeyedTexts are texts that a terminal obeys or displays misleadingly.
var obeyedTexts = []string{"\x1b]0;title\x07", "\x1b[2J\x1b[H", "\x1b[31m", "\x1bP+q\x1b\\", "\r", "\b\b", "\a", "\v\f", "\x00", "\x7f", "\u009b31m", "\u0085",
	"\u202eevil\u202c", "\u2066\u2069", "\u200b", "\u2028", "\ufeff", "\U000e0041", "\xff\x9b2J", "\xe2\x80", "\n", "\t", "'", `"`, `\x1b[0m`, "語", "word", "%s", "</b>", "::error::"}

// hostileText returns a random sequence of obeyedTexts.
func hostileText(random *rand.Rand) string {
	var b strings.Builder
	for range 1 + random.IntN(5) {
		b.WriteString(obeyedTexts[random.IntN(len(obeyedTexts))])
	}
	return b.String()
}

// passed returns the control characters that a text contains.
func passed(text string) string {
	for i, r := range text {
		if r != '\n' && r != '\t' && !unicode.IsPrint(r) || r == utf8.RuneError && !strings.HasPrefix(text[i:], "\ufffd") {
			return fmt.Sprintf("%q", text[max(0, i-20):min(len(text), i+20)])
		}
	}
	return ""
}

// TestOutput: no control character of 1,000 hostile texts is written, however they
// are split into writes. JSON stays equivalent.
func TestOutput(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for range 1000 {
		text := hostileText(random)
		var whole, parts, data bytes.Buffer
		o := NewOutput(&whole, nil)
		fmt.Fprint(o, text)
		p := NewOutput(&parts, nil)
		for rest := text; rest != ""; {
			n := 1 + random.IntN(len(rest))
			if got, err := io.WriteString(p, rest[:n]); got != n || err != nil {
				t.Fatal(got, err)
			}
			rest = rest[n:]
		}
		if err := errors.Join(o.Close(), p.Close()); err != nil {
			t.Fatal(err)
		}
		if bad := passed(whole.String()); bad != "" || whole.String() != parts.String() {
			t.Fatalf("%q is written as %q, in parts %q: %s", text, whole.String(), parts.String(), bad)
		}
		in, err := json.MarshalIndent([]string{text}, "", "\t")
		if err != nil {
			t.Fatal(err)
		}
		var want, got []string
		fmt.Fprint(NewOutput(&data, nil), JSON(in))
		if err := errors.Join(json.Unmarshal(in, &want), json.Unmarshal(data.Bytes(), &got)); err != nil || !slices.Equal(got, want) || passed(data.String()) != "" {
			t.Fatalf("%q is written as %s: %v", in, data.String(), err)
		}
	}
}

// TestOutputCanary: the check detects each of the texts that terminals obey.
func TestOutputCanary(t *testing.T) {
	for _, text := range obeyedTexts[:20] {
		if passed(text) == "" {
			t.Errorf("%q is not seen", text)
		}
	}
}

// TestTerminalOutput: on a terminal lines are broken between words, except in output that programs
// read, and places are links, also at the end of a line and not within longer numbers.
func TestTerminalOutput(t *testing.T) {
	var b bytes.Buffer
	o := NewOutput(&b, nil)
	o.Columns, o.Links = func() int { return 19 }, true
	fmt.Fprint(o, "    failed at step 12 of 100\n")
	fmt.Fprint(o, "begun ")
	fmt.Fprint(o, "and continued beyond the width\n")
	fmt.Fprint(Whole(o), "{\"a\": 1, \"b\": 2, \"c\": 3}\n")
	o.WriteLinked("a.go:2 calls a.go:27 and a_very_long_name_without_spaces\n", map[string]string{"a.go:2": "file:///a.go#2", "a.go:27": "file:///a.go#27"})
	link := func(text, line string) string {
		return "\x1b]8;;file:///a.go#" + line + "\x1b\\" + text + "\x1b]8;;\x1b\\"
	}
	want := "    failed at step\n      12 of 100\nbegun and continued beyond the width\n{\"a\": 1, \"b\": 2, \"c\": 3}\n" +
		link("a.go:2", "2") + " calls\n  " + link("a.go:27", "27") + " and\n  a_very_long_name_without_spaces\n"
	if got := b.String(); got != want {
		t.Errorf("got\n%q, want\n%q", got, want)
	}
	b.Reset()
	o.Links = false
	o.SetRaw(true)
	o.WriteLinked("a.go:2\nb\n", map[string]string{"a.go:2": "file:///a.go#2"})
	if got := b.String(); got != "a.go:2\r\nb\r\n" {
		t.Errorf("without links, raw: %q", got)
	}
}

// full is a writer that fails like a full disk when its room is used up.
type full struct{ room int }

var errFull = errors.New("no space left on device")

func (f *full) Write(p []byte) (int, error) {
	if f.room -= len(p); f.room < 0 {
		return 0, errFull
	}
	return len(p), nil
}

// TestOutputFails: the first error of a write is reported once, and kept.
func TestOutputFails(t *testing.T) {
	told := 0
	o := NewOutput(&full{10}, func(err error) {
		if told++; err != errFull {
			t.Error(err)
		}
	})
	for i := range 4 {
		if _, err := io.WriteString(o, "1234567"); (err != nil) != (i > 0) {
			t.Errorf("write %d: %v", i, err)
		}
	}
	if err := o.Close(); err != errFull || told != 1 {
		t.Errorf("%v, told %d times", err, told)
	}
}

// TestScreensAreVisible prints 1,000 texts above the live screen, draws them in it
// and shows them in the walk through a run. Only escape sequences of this package are
// written.
func TestScreensAreVisible(t *testing.T) {
	takesLong(t)
	random := rand.New(rand.NewPCG(2, 2))
	own := strings.NewReplacer(bold, "", red, "", plain, "", clearBelow, "", clearAll, "", linkTo, "", linkEnd, "", "\x1b[1A", "", "\r", "")
	for range 300 {
		text := func() string { return hostileText(random) }
		var b bytes.Buffer
		columns := 1 + random.IntN(100)
		size := func() (int, int) { return columns, 24 }
		s := &Screen{Out: NewOutput(&b, nil), Size: size, Color: true}
		s.Out.Links, s.Out.Columns = random.IntN(2) == 0, func() int { return columns }
		s.Draw([]Line{{Text: text(), Bold: true}, {Text: text(), Bad: true}})
		s.Print(text(), map[string]string{"word": text()})
		s.Draw([]Line{{Text: text()}})
		s.Close()
		walk := small()
		walk.Actors, walk.Failure, walk.Draws, walk.Logs = []string{text(), text(), text(), text()}, text(), []string{text()}, []string{text()}
		for i := range walk.Moments {
			m := &walk.Moments[i]
			m.Label, m.SentAt, m.Handler, m.After, m.Time = text(), text(), text(), []string{text()}, text()
			m.Before, m.Now = []record.Field{{Name: text(), Text: text()}}, []record.Field{{Name: text(), Text: text()}}
			m.Log, m.Choices, m.Faults = []string{text()}, []string{text()}, []string{text()}
		}
		st, err := NewStepper(whole(walk))
		if err != nil {
			t.Fatal(err)
		}
		sheet := &Sheet{Out: s.Out, Size: size, Heading: text()}
		sheet.Show(st.Show(), text())
		for _, command := range []string{"n", "n", "n", "d", "l", "e", "a " + text(), text()} {
			said, _ := st.Do(command)
			sheet.Show(said, text())
		}
		sheet.Close()
		left := b.String()
		for rows := range 30 {
			left = strings.ReplaceAll(left, fmt.Sprintf("\x1b[%dA", rows), "")
		}
		if bad := passed(own.Replace(left)); bad != "" {
			t.Fatalf("%s comes", bad)
		}
	}
}
