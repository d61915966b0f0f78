package corpus

import (
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/corpus/golden"
	"github.com/jostle-go/jostle/pulse/choice"
)

// writerCase is the case of the writer's failure.
func writerCase() Case {
	return Case{
		Property:  "resultsAreStored",
		Signature: "property: stored # of # results",
		Comment: []string{"writer_test.go:31: stored 0 of 1 results", "drew actions = 1", "",
			"test ──execute──▶ action", "action ──done──▶ terminator", "terminator ──flush──▶ writer",
			"action ──write(1)──▶ writer          ← sent first, received last"},
		Hash: 0x6b1f0e2d9c8a7543,
		Test: "TestResultsAreStored", Strategy: "pos", Seed: 31,
		Inputs: []choice.Input{{Label: "actions", Seed: 0x9e3779b97f4a7c15, Words: []uint64{1, 47}}},
		Record: choice.Record{
			Deliveries: []uint64{0x8a51c04f2e9d1b67, 0x03be4f1d9a7720c5, 0x5d0e9c3f41b82a96, 0xf9176a2b0c8de354},
			Choices:    []choice.Choice{{Kind: choice.Program, N: 5, Value: 2}, {Kind: choice.Drop, N: 2, Value: 0}},
		},
	}
}

// oddCase has values that are hard to write as text.
func oddCase() Case {
	c := Case{
		Property:  "Test literal/a \"b\"/ü",
		Signature: "panic at a.go: \"no\"\n\x00\xff…",
		Comment:   []string{"", "  indented", "# twice", "a\ttab", "end", "test \"x\"", ""},
		Hash:      1<<64 - 1,
		Test:      "TestOdd/a \"b\"/ü", Strategy: "", Seed: 1<<64 - 1,
		Inputs: []choice.Input{{}, {Label: "two words", Seed: 1}, {Label: "\"\\\n", Words: []uint64{0, 1<<64 - 1, 16}}},
	}
	for k := range choice.Swarm + 1 {
		c.Record.Choices = append(c.Record.Choices, choice.Choice{Kind: k, N: 1<<32 - 1, Value: 1<<32 - 2 - uint32(k)})
	}
	for i := range uint64(9) {
		c.Record.Deliveries = append(c.Record.Deliveries, i<<60)
	}
	return c
}

// plannedCase is a case that was never run. It has a schedule and settings.
func plannedCase() Case {
	return Case{Signature: "stuck at clerk",
		Property: "planned", Test: "TestPlanned",
		Settings: []Setting{{Name: "delivery", Value: "unordered"}, {Name: "note", Value: "a \"b\""}},
		Schedule: choice.Schedule{
			Seed:       7,
			Priorities: []choice.Priority{{ID: 1 << 63, P: choice.Plain}, {ID: 2, P: 0}},
			Before:     []choice.Constraint{{First: 3, Second: 4}},
			Choices:    []choice.Choice{{Kind: choice.Fault, N: 4, Value: 3}},
		},
	}
}

func encode(t *testing.T, c Case) string {
	t.Helper()
	text, err := Encode(c)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// samples are the cases whose texts are stored in testdata.
var samples = map[string]func() Case{
	"writer":  writerCase,
	"odd":     oddCase,
	"planned": plannedCase,
	"empty":   func() Case { return Case{} },
	"held": func() Case {
		c := writerCase()
		c.Record.Deliveries = slices.Insert(c.Record.Deliveries, 2, choice.Hold, choice.Hold)
		return c
	},
	"why": whyCase, "pointed": pointedCase, "undecided": undecidedCase,
	"explained": func() Case {
		c := writerCase()
		c.Condition = "flush from \"terminator\" before write(1) from action at writer"
		return c
	},
}

// whyCase has every field of an explanation.
func whyCase() Case {
	c := writerCase()
	c.Condition, c.Doubtful, c.Faces = "flush before write", true, []string{"panic at a.go: \"no\"", "stuck at clerk"}
	flush := Message{"flush", "writer", "bank.flush at bank.writer", 2}
	write := Message{"write(1) from \"action\"", "writer", "bank.write at bank.writer", -1}
	c.Explanation = &Explanation{Orders: 7, Failing: 3, Complete: true, Exact: true, Mixed: true, Reduced: true, Skipped: true, Cut: true,
		Constraints: []Constraint{{InCondition, 1, flush, write, true, nil}, {InOwn, 0, Message{Send: -1}, flush, false, nil},
			{InSample, 0, write, flush, false, &Share{1, 50, true}}, {InSample, 0, flush, write, true, &Share{0, 50, false}}},
		Depth: 2, Unnamed: 60, Interruptible: true, Preemptions: 3, Given: []choice.Kind{choice.Drop, choice.Drop, choice.Clock}, Sampled: &Sampled{Share{40, 100, false}, Share{90, 90, false}, 300},
		Draws: []string{"any", "", "≥ 3", ""}, Needs: []Need{{choice.Drop, 2}}, Told: "fails\nsometimes"}
	return c
}

// pointedCase returns a case with every field of a point of no return, except the
// fields that undecidedCase has.
func pointedCase() Case {
	c := writerCase()
	flush := Message{"flush", "writer", "bank.flush at bank.writer", 2}
	write := Message{"write(1) from \"action\"", "writer", "bank.write at bank.writer", -1}
	c.Explanation = &Explanation{Orders: 2, Failing: 1, Complete: true, Point: &Point{Step: 2, Message: flush,
		Before: Share{55, 100, false}, After: Share{100, 100, false}, Other: &write, Instead: &Share{0, 100, false},
		Chances: []Chance{{0, Share{13, 50, false}}, {2, Share{55, 100, false}}}}}
	return c
}

// undecidedCase returns a case with a point of no return in which no step decides.
func undecidedCase() Case {
	c := writerCase()
	all := Share{100, 100, false}
	c.Explanation = &Explanation{Orders: 2, Failing: 2, Point: &Point{Step: -1, Message: Message{Send: -1}, Before: all, After: all,
		Spared: []Spared{{1, "crash of writer", Share{0, 50, false}}}, Draws: []string{"actions"}}}
	return c
}

// TestPointNeedsItsVersion: a case with a point of no return has version 7, because version 6 did not have the point's
// line.
func TestPointNeedsItsVersion(t *testing.T) {
	text := strings.Replace(encode(t, pointedCase()), "jostle case 7", "jostle case 6", 1)
	if _, err := Decode("a.case", []byte(text)); err == nil {
		t.Error("a point is read in a case of version 6")
	}
}

// TestOldComments: comments in files of version 5 and older are parsed as
// data.
func TestOldComments(t *testing.T) {
	for _, c := range []struct {
		comment, condition, told string
		doubtful                 bool
	}{
		{"# a.go:1: no\n# fails in 1 of 2 orders: exactly where x\n#     or y\n# drew n = 1\n#\n# chart\n", "x", "fails in 1 of 2 orders: exactly where x\n    or y", false},
		{"# a.go:1: no\n# can fail in all 2 orders\n# see ticket 7\n", "x", "can fail in all 2 orders\nsee ticket 7", false},
		{"# a.go:1: no\n# fails in all 2 orders\n", "", "", false},
		{"# a.go:1: no\n# did not repeat when it was saved\n", "", "", true},
		{"", "x", "", false},
	} {
		want := Case{Condition: c.condition}
		text := strings.Replace(encode(t, want), "\n\n", "\n"+c.comment+"\n", 1)
		got, err := Decode("a.case", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		said := ""
		if got.Explanation != nil {
			said = got.Explanation.Told
		}
		if said != c.told || got.Doubtful != c.doubtful {
			t.Errorf("%q says %q, doubtful %t, expected %q, %t", c.comment, said, got.Doubtful, c.told, c.doubtful)
		}
		text = strings.Replace(encode(t, got), "\n#", "\n# by hand\n#", 1)
		again, err := Decode("a.case", []byte(text))
		if err != nil || !reflect.DeepEqual(again.Explanation, got.Explanation) || again.Doubtful != got.Doubtful {
			t.Errorf("saved again, with another comment: %+v, %v", again, err)
		}
	}
}

func TestRoundTrip(t *testing.T) {
	for name, sample := range samples {
		t.Run(name, func(t *testing.T) {
			text := encode(t, sample())
			golden.File(t, "testdata/"+name+".golden", text)
			want := sample()
			want.Path = "a.case"
			for _, form := range []string{text, "\ufeff" + text, "\ufeff" + strings.ReplaceAll(text, "\n", "\r\n"), strings.ReplaceAll(text, "\n", "\r\n"), strings.TrimSuffix(text, "\n")} {
				got, err := Decode("a.case", []byte(form))
				if err != nil {
					t.Fatal(err)
				}
				if !reflect.DeepEqual(got, want) {
					t.Errorf("decoded\n%+v, expected\n%+v", got, want)
				}
				if again := encode(t, got); again != text {
					t.Errorf("encoded again:\n%s", again)
				}
			}
		})
	}
}

// The line early-timers has the number of timers that the search allowed to fire early.
// A case without such timers has no such line.
func TestEarlyTimersRoundTrip(t *testing.T) {
	want := plannedCase()
	want.EarlyTimers, want.Path = 2, "a.case"
	text := encode(t, want)
	if !strings.Contains(text, "\"\nearly-timers 2\nschedule ") {
		t.Errorf("encoded as\n%s", text)
	}
	if got, err := Decode("a.case", []byte(text)); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("decoded\n%+v, %v, expected\n%+v", got, err, want)
	}
}

// The choices that were added after version 1 are saved by name, like the others.
func TestLaterChoicesRoundTrip(t *testing.T) {
	want := plannedCase()
	want.Path = "a.case"
	for k := choice.Swarm + 1; ; k++ {
		if _, known := choice.KindOf(k.String()); !known {
			break
		}
		want.Record.Choices = append(want.Record.Choices, choice.Choice{Kind: k, N: 3, Value: 2})
	}
	text := encode(t, want)
	if !strings.Contains(text, "\nchoice crash 2 of 3\nchoice loss 2 of 3\n") {
		t.Errorf("encoded as\n%s", text)
	}
	if got, err := Decode("a.case", []byte(text)); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("decoded\n%+v, %v, expected\n%+v", got, err, want)
	}
}

// TestOldFormats checks that the texts of older versions are read as the same cases. Cases of version 1 have no
// property.
func TestOldFormats(t *testing.T) {
	old, _ := filepath.Glob("testdata/*-v*.golden")
	for _, path := range old {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name, version, _ := strings.Cut(strings.TrimSuffix(filepath.Base(path), ".golden"), "-v")
		if !strings.HasPrefix(string(text), "jostle case "+version+"\n") {
			t.Errorf("%s begins with another version", path)
		}
		want := samples[name]()
		if want.Path = "a.case"; version == "1" {
			want.Property = ""
		}
		got, err := Decode("a.case", text)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: decoded\n%+v, %v, expected\n%+v", path, got, err, want)
		}
		if err := got.Of(want.Test); version == "1" && err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	if len(old) != 4+4+5 {
		t.Errorf("there are %d texts of versions 1, 2 and 3, expected 4, 4 and 5", len(old))
	}
}

// Version 3 added the mark that a run continues in plain order.
func TestThenPlain(t *testing.T) {
	want := writerCase()
	want.Path, want.Record.Plain = "a.case", true
	text := encode(t, want)
	if got, err := Decode("a.case", []byte(text)); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("decoded\n%+v, %v, expected\n%+v", got, err, want)
	}
	other := want
	if other.Record.Plain = false; other.key() == want.key() || other.Same(&want) {
		t.Error("a case that goes on in plain order is taken for one that does not")
	}
	text = strings.Replace(text, "case 4", "case 2", 1)
	if _, err := Decode("a.case", []byte(text)); err == nil || !strings.Contains(err.Error(), `"then", expected "hash"`) {
		t.Errorf("in a case of version 2: %v", err)
	}
}

// Version 4 added an optional line that makes files different from each other. The line has
// more than half of the bytes of a file, and shares no 64 consecutive bytes with another
// case.
func TestUnlike(t *testing.T) {
	pieces := map[string]bool{}
	for n := range 100 {
		want := numbered(n)
		want.Path = "a.case"
		text := encode(t, want)
		whole := string(unlike([]byte(text)))
		if got, err := Decode("a.case", []byte(whole)); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("decoded\n%+v, %v, expected\n%+v", got, err, want)
		}
		line := strings.Split(whole[strings.Index(whole, "\nunlike ")+1:], "\n")[0]
		if without := strings.Replace(whole, line+"\n", "", 1); without != text || 2*len(line) <= len(whole) {
			t.Fatalf("%d bytes of %d are in the line, without it the text is\n%s", len(line), len(whole), without)
		}
		for ; len(line) >= 64; line = line[64:] {
			if pieces[line[:64]] {
				t.Fatalf("case %d has a piece of an earlier one", n)
			}
			pieces[line[:64]] = true
		}
	}
	text := strings.Replace(string(unlike([]byte(encode(t, writerCase())))), "case 4", "case 3", 1)
	if _, err := Decode("a.case", []byte(text)); err == nil || err.Error() != `a.case:20: "unlike", expected "end": `+restore {
		t.Errorf("in a case of version 3: %v", err)
	}
	long := make([]byte, 1<<18+1)
	if len(unlike(long)) != len(long) {
		t.Error("a text of more than 256 KB has such a line")
	}
}

// Version 3 added the condition. Files of version 2 have none.
func TestConditionOfAnOldVersion(t *testing.T) {
	text := strings.Replace(encode(t, samples["explained"]()), "case 4", "case 2", 1)
	const want = `a.case:13: "condition", expected "strategy": ` + restore
	if _, err := Decode("a.case", []byte(text)); err == nil || err.Error() != want {
		t.Errorf("the error is\n%v, expected\n%s", err, want)
	}
}

// TestComments checks how a comment is saved, and that people may change it.
func TestComments(t *testing.T) {
	e := writerCase()
	e.Comment = []string{"a \t", "two\nlines", "bell\a, \xff and \r\n", "\u00a0"}
	text := encode(t, e)
	want := "jostle case 4\n# a\n# two\n# lines\n# bell\ufffd, \ufffd and\n#\n#\n\nproperty "
	if !strings.HasPrefix(text, want) {
		t.Errorf("the text is\n%s", text)
	}
	text = strings.Replace(text, want, "jostle case 4\n\n#no space\n\n\n#  two\t\nproperty ", 1)
	got, err := Decode("a.case", []byte(text))
	if err != nil || !reflect.DeepEqual(got.Comment, []string{"no space", " two"}) {
		t.Errorf("the comment is %q, %v", got.Comment, err)
	}
}

func TestEncodeErrors(t *testing.T) {
	bad := writerCase()
	bad.Record.Choices[1].Value = 2
	planned := plannedCase()
	planned.Schedule.Choices[0].N = 0
	tests := []struct {
		c    Case
		want string
	}{
		{bad, "corpus: choice 1 cannot be stored: value 2 of 2 answers, expected less than 2"},
		{planned, "corpus: choice 0 cannot be stored: 0 answers, expected at least 1"},
	}
	for _, test := range tests {
		text, err := Encode(test.c)
		if err == nil || err.Error() != test.want || text != nil {
			t.Errorf("got %q and %v, expected %s", text, err, test.want)
		}
	}
}

// faults are changes to the text of writerCase, with the errors that they cause.
var faults = []struct{ name, old, new, want string }{
	{"another file", "jostle case 4", "{\"json\": 1}", `1: "{\"json\": 1}", expected "jostle case 7": this is not a case: restore`},
	{"no version", "case 4\n", "case\n", `1: "jostle case", expected "jostle case 7": this is not a case: restore`},
	{"version 0", "case 4\n", "case 0\n", `1: "jostle case 0", expected "jostle case 7": this is not a case: restore`},
	{"newer version", "case 4\n", "case 8\n", `1: a case of version 8, written by a newer jostle; this one reads versions up to 7: update`},
	{"no hash sign", "# test", " test", `5: " test ──execute──▶ action", expected a line that begins with # or with property: restore`},
	{"no property", "property \"r", "prop \"r", `10: "prop", expected "property": restore`},
	{"version 1 with a property", "case 4\n", "case 1\n", `10: "property", expected "test": restore`},
	{"no test", "test \"T", "tst \"T", `11: "tst", expected "test": restore`},
	{"no quotes", `"TestResultsAreStored"`, "TestResultsAreStored", `11: "TestResultsAreStored", expected a string in double quotes: restore`},
	{"other quotes", `"TestResultsAreStored"`, "`T`", "11: \"`T`\", expected a string in double quotes: restore"},
	{"open quotes", `Stored"`, "Stored", `10: "\"resultsAreStored", expected a string in double quotes: restore`},
	{"open quotes of a test", `TestResultsAreStored"`, "TestResultsAreStored", `11: "\"TestResultsAreStored", expected a string in double quotes: restore`},
	{"bad escape", `"pos"`, `"\pos"`, `13: "\"\\pos\"", expected a string in double quotes: restore`},
	{"more on a line", `"pos"`, `"pos" "random"`, `13: "\"random\"", expected the end of the line: restore`},
	{"no signature", "signature", "signed", `12: "signed", expected "signature": restore`},
	{"short seed", "\nseed 0", "\nseed ", `14: "00000000000001f", expected 16 hexadecimal digits: restore`},
	{"seed without digits", "\nseed 0", "\nseed x", `14: "x00000000000001f", expected 16 hexadecimal digits: restore`},
	{"a seed that is missing", " seed 9e3779b97f4a7c15", "", `15: "words", expected "seed": restore`},
	{"no words", " 1 2f", "", `15: the end of the line, expected a hexadecimal number of at most 16 digits: restore`},
	{"a large word", "2f", "10000000000000000", `15: "10000000000000000", expected a hexadecimal number of at most 16 digits: restore`},
	{"unknown kind", "choose", "guess", `16: "guess", expected a kind of choice, such as "choose" or "drop": update`},
	{"no of", "2 of 5", "2 5", `16: "5", expected "of": restore`},
	{"a large answer", "2 of 5", "5 of 5", `16: answer 5 of 5 answers, expected an answer below the number of answers: restore`},
	{"no answers", "2 of 5", "0 of 0", `16: answer 0 of 0 answers, expected an answer below the number of answers: restore`},
	{"huge", "2 of 5", "2 of 4294967296", `16: "4294967296", expected a number of at most 4294967295: restore`},
	{"negative", "2 of 5", "-1 of 5", `16: "-1", expected a number of at most 4294967295: restore`},
	{"setting without a value", "input \"actions\"", "setting \"a\"\ninput \"actions\"", `15: the end of the line, expected a string in double quotes: restore`},
	{"no early timers", "input \"actions\"", "early-timers 0\ninput \"actions\"", `15: 0 early timers, expected a number of at least 1, or no early-timers line: restore`},
	{"schedule of plain order", "hash", "schedule 0000000000000000\nhash", `19: a schedule of seed 0, expected a nonzero seed, or no schedule line for plain order (oldest message first): restore`},
	{"constraint of one step", "hash", "before 0000000000000001\nhash", `19: the end of the line, expected 16 hexadecimal digits: restore`},
	{"answer that is none", "hash", "answer fault 4 of 4\nhash", `19: answer 4 of 4 answers, expected an answer below the number of answers: restore`},
	{"order of lines", "choice drop 0 of 2\ndeliveries", "deliveries 0000000000000000\nchoice drop 0 of 2\ndeliveries", `18: "choice", expected "hash": restore`},
	{"short identity", "f9176a2b0c8de354", "f9176a2b", `18: "f9176a2b", expected 16 hexadecimal digits: restore`},
	{"a hold of version 4", "03be4f1d9a7720c5", "hold", `18: "hold", expected 16 hexadecimal digits: restore`},
	{"two spaces", " 03be", "  03be", `18: two spaces, expected one: restore`},
	{"no hash", "hash 6b1f0e2d9c8a7543\n", "", `19: "end", expected "hash": restore`},
	{"after the end", "end\n", "end\nhash 1\nend\n", `21: "hash 1" after the end line, expected no more: restore`},
	{"a conflict", "signature", "<<<<<<< HEAD\nsignature", `12: "<<<<<<< HEAD" is a mark of a merge conflict: one side`},
	{"a conflict from the first line on", "jostle case 4\n", "<<<<<<< ours\njostle case 4\n", `1: "<<<<<<< ours" is a mark of a merge conflict: one side`},
	{"half of a conflict", "hash", "=======\nhash", `19: "=======" is a mark of a merge conflict: one side`},
	{"the other half", "end\n", "end\n>>>>>>> branch\n", `21: ">>>>>>> branch" is a mark of a merge conflict: one side`},
	{"the base of a conflict", "test \"", "||||||| 1a2b3c4\ntest \"", `11: "||||||| 1a2b3c4" is a mark of a merge conflict: one side`},
	{"a conflict with lines as on Windows", "signature", "<<<<<<< HEAD\r\nsignature", `12: "<<<<<<< HEAD" is a mark of a merge conflict: one side`},
	{"a version far ahead", "case 4\n", "case 99999999999999999999\n", `1: "jostle case 99999999999999999999", expected "jostle case 7": this is not a case: restore`},
	{"UTF-16", "jostle", "\xff\xfej\x00", `1: the file is in UTF-16, expected UTF-8: save it as UTF-8`},
	{"an empty condition", "strategy \"", "condition \"\"\nstrategy \"", `13: an empty condition, expected a text or no condition line: restore`},

	{"a long line", "# test", strings.Repeat("x", 100) + "\n#", `5: "` + strings.Repeat("x", 40) + `"…, expected "property": restore`},
}

func TestDecodeErrors(t *testing.T) {
	text := encode(t, writerCase())
	for _, fault := range faults {
		t.Run(fault.name, func(t *testing.T) {
			changed := strings.Replace(text, fault.old, fault.new, 1)
			if changed == text {
				t.Fatalf("%q is not in the text", fault.old)
			}
			want := strings.Replace(fault.want, ": restore", ": "+restore, 1)
			want = strings.Replace(want, ": one side", ": "+oneSide, 1)
			want = "dir/a.case:" + strings.Replace(want, ": update", ": "+update, 1)
			c, err := Decode("dir/a.case", []byte(changed))
			if err == nil || err.Error() != want || !reflect.DeepEqual(c, Case{}) {
				t.Errorf("the error is\n%v, expected\n%s", err, want)
			}
		})
	}
}

// TestCutOff checks that no prefix of a file is read as a whole case. From the second line on, the error names what is
// missing.
func TestCutOff(t *testing.T) {
	text := encode(t, writerCase())
	for n := range len(text) - 1 { // the last byte is the end of the last line
		_, err := Decode("a.case", []byte(text[:n]))
		switch {
		case err == nil:
			t.Fatalf("the first %d bytes are a case:\n%s", n, text[:n])
		case n > len("jostle case 4") && !strings.Contains(err.Error(), "the file has been cut off here: its last line is "):
			t.Fatalf("after %d bytes: %v", n, err)
		}
	}
	for text, want := range map[string]string{
		"":                        "a.case:1: the file is empty, expected \"jostle case 7\": " + restore,
		"\r\n":                    "a.case:1: the end of the line, expected \"jostle case 7\": this is not a case: " + restore,
		"jostle case 4\ntest \"T": "a.case:2: the file has been cut off here: its last line is \"test \\\"T\", expected \"end\": " + restore,
	} {
		if _, err := Decode("a.case", []byte(text)); err == nil || err.Error() != want {
			t.Errorf("%q: %v, expected\n%s", text, err, want)
		}
	}
}

// A file of millions of lines is not a case. Reading it must not use up the
// memory.
func TestManyLines(t *testing.T) {
	const want = "a.case:1: the file has 5242881 lines, expected at most 4194304: " + restore
	text := []byte("jostle case 4\n" + strings.Repeat("\n", 5<<20))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := Decode("a.case", text)
	runtime.ReadMemStats(&after)
	if err == nil || err.Error() != want {
		t.Errorf("the error is %v", err)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > uint64(2*len(text)) {
		t.Errorf("it takes %d bytes to say so", took)
	}
}

func FuzzDecode(f *testing.F) {
	for _, sample := range samples {
		text, err := Encode(sample())
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
		f.Add(append([]byte(byteOrderMark), text...))
	}
	old, err := filepath.Glob("testdata/*-v*.golden")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range old {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	text, _ := Encode(writerCase())
	for _, fault := range faults {
		f.Add([]byte(strings.Replace(string(text), fault.old, fault.new, 1)))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		a, err := Decode("a.case", text)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "a.case:") {
				t.Fatal(err)
			}
			return
		}
		stored, err := Encode(a)
		if err != nil {
			t.Fatalf("%q is a case that cannot be stored: %v", text, err)
		}
		b, err := Decode("a.case", stored)
		if err != nil || !reflect.DeepEqual(a, b) {
			t.Fatalf("%q is %+v, stored as %q, which is %+v, %v", text, a, stored, b, err)
		}
	})
}

// FuzzEncode checks that a case with any texts and numbers is read as it was written.
func FuzzEncode(f *testing.F) {
	f.Add("p", "TestP", "panic: \"no\"\n", "a before b", "=======\n<<<<<<< HEAD\nend", "\ufeffn", uint64(1), uint64(1<<63), uint32(2), uint32(5))
	f.Add("", "\xff", "", "", "\r\n \t\u2028", "\x00", uint64(0), uint64(0), uint32(0), uint32(1))
	f.Fuzz(func(t *testing.T, property, test, signature, condition, comment, label string, seed, word uint64, value, n uint32) {
		answer := choice.Choice{Kind: choice.Kind(value % uint32(choice.Swarm+1)), N: max(n, 1), Value: value % max(n, 1)}
		c := Case{Property: property, Test: test, Signature: signature, Condition: condition, Comment: Comment([]string{comment}), Strategy: label,
			Seed: seed, Hash: word, EarlyTimers: int(n % 3), Path: "a.case",
			Settings: []Setting{{Name: label, Value: comment}}, Inputs: []choice.Input{{Label: label, Seed: word, Words: []uint64{seed, word}}},
			Record:   choice.Record{Deliveries: []uint64{seed, word, 0, seed, word}, Choices: []choice.Choice{answer}},
			Schedule: choice.Schedule{Seed: word, Priorities: []choice.Priority{{ID: seed, P: word}}, Before: []choice.Constraint{{First: seed}}, Choices: []choice.Choice{answer}}}
		text, err := Encode(c)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Decode("a.case", text)
		if err != nil || !reflect.DeepEqual(got, c) {
			t.Fatalf("%+v\nis written as\n%s\nand read as\n%+v, %v", c, text, got, err)
		}
	})
}
