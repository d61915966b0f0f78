package finding

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

func TestChangedSettings(t *testing.T) {
	was := settingsIn(pulse.Options{Delivery: pulse.DeliveryUnordered, Steps: 10, Faults: pulse.Faults{Drop: 1}})
	is := settingsIn(pulse.Options{Steps: 20, Faults: pulse.Faults{Drop: 1, Crash: 2}})
	want := "delivery was unordered, is default; steps was 10, is 20; crash was default, is 2"
	if got := strings.Join(changedSettings(was, is), "; "); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := changedSettings(was, was); len(got) != 0 {
		t.Errorf("nothing was changed, but: %v", got)
	}
}

// An attachment of a property can neither lose its finding nor damage the corpus, whatever its writer does and whatever
// its name is.
func TestAttachments(t *testing.T) {
	write := func(w io.Writer) error { _, err := io.WriteString(w, "data"); return err }
	r := props.NewRunner("TestX", func(t *props.T) {
		t.System().Run()
		t.Attach("none", nil)
		t.Attach("panics", func(io.Writer) error { panic("no") })
		t.Attach("exits", func(io.Writer) error { runtime.Goexit(); return nil })
		t.Attach("fails", func(io.Writer) error { return errors.New("full") })
		t.Attach("x.case", write)
		t.Attach("../../above", write)
		t.Attach("twice", write)
		t.Attach("twice", write)
		t.Attach("", write)
		t.Errorf("one")
	})
	defer r.Close()
	res := r.Run(props.Plan{})
	f := From(Origin{Property: "p", Test: "TestX"}, &res)
	for i, want := range []string{"none could not be made: it has no Write function", "panics could not be made: its Write function panicked: \"no\"",
		"exits could not be made: its Write function called runtime.Goexit", "fails could not be made: full"} {
		if !strings.HasPrefix(f.Logs[i], want) {
			t.Errorf("log %d is %q, expected %q", i, f.Logs[i], want)
		}
	}
	folder := corpus.FolderOf(t.TempDir(), "p")
	path, err := f.Save(folder)
	if err != nil {
		t.Fatal(err)
	}
	files, _ := os.ReadDir(folder.Dir)
	var names []string
	base := strings.TrimSuffix(filepath.Base(path), ".case")
	for _, file := range files {
		names = append(names, strings.TrimPrefix(file.Name(), base))
	}
	if got := strings.Join(names, " "); got != "-.._.._above -.txt -4-twice -twice -x.case.txt .case" {
		t.Errorf("files %s", got)
	}
	if cases, problems := folder.Load(); len(cases) != 1 || len(problems) != 0 {
		t.Errorf("%d cases, %v", len(cases), problems)
	}
}

type exiting int

func (l exiting) String() string {
	if l == 1 {
		panic("no name")
	}
	runtime.Goexit()
	return ""
}

// A String method that does not return cannot lose a finding: its chart and its draws say what the method did. Before,
// a FailNow in a String method ended the whole test.
func TestStringsThatDoNotReturn(t *testing.T) {
	r := props.NewRunner("TestX", func(t *props.T) {
		n := props.OneOf(t, "n", exiting(2))
		sys := t.System()
		sys.Send(sys.Spawn("shop", pulse.Func(func(*pulse.Ctx, any) {})), n)
		sys.Send(sys.Spawn("shop", pulse.Func(func(_ *pulse.Ctx, msg any) { panic(msg) })), exiting(1))
		sys.Run()
	})
	defer r.Close()
	res := r.Run(props.Plan{})
	f := From(Origin{Property: "p", Test: "TestX"}, &res)
	f.Confirm(r)
	text := f.Text("run 1")
	for _, want := range []string{"panic in shop.2#1", "exiting(1) (String panicked)", "exiting(2) (String called runtime.Goexit)",
		"drew n = exiting(2) (String called runtime.Goexit)", "replayed 2 of 2"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
}

// If a case did not repeat when it was saved, a passing run of the case is not reported as
// mended.
func TestHeld(t *testing.T) {
	for _, c := range []struct {
		name   string
		fails  func(run int) bool // runs 2 and 3 confirm the finding, run 4 replays the case
		shared bool
		want   string
	}{
		{"mended", func(run int) bool { return run <= 3 }, false, "case X passes now (as saved): a regression test, as long as you keep it"},
		{"mended, of a literal", func(run int) bool { return run <= 3 }, true,
			"case X passes now (as saved): a regression test, as long as you keep it; delete it only if no other function literal of the test has this failure"},
		{"never repeated", func(run int) bool { return run == 1 }, false,
			"case X passes now (as saved), and did not repeat when it was saved: not known whether its failure is mended; keep it until the program is deterministic"},
		{"repeated once, of a literal", func(run int) bool { return run <= 2 }, true,
			"case X passes now (as saved), and did not repeat when it was saved: not known whether its failure is mended; keep it until the program is deterministic"},
	} {
		runs := 0
		r := props.NewRunner("TestX", func(t *props.T) {
			runs++
			if t.System().Run(); c.fails(runs) {
				t.Errorf("one")
			}
		})
		res := r.Run(props.Plan{})
		f := From(Origin{Property: "p", Test: "TestX"}, &res)
		f.Confirm(r)
		folder := corpus.FolderOf(t.TempDir(), "p")
		if _, err := f.Save(folder); err != nil {
			t.Fatal(err)
		}
		cases, _ := folder.Load()
		played := Replay(r, &cases[0])
		if got := played.Held("X", c.shared); got != c.want || played.Result.Failure != nil {
			t.Errorf("%s: %v\n%s\nwant\n%s", c.name, played.Result.Failure, got, c.want)
		}
		r.Close()
	}
}

// If a case fails as it was saved, the report has the explanation of its file. The comment in the file is for people
// and changes nothing. A different failing run does not get that explanation.
func TestPlayedFinding(t *testing.T) {
	program := counts{least: 1}
	r := props.NewRunner("p", func(t *props.T) { program.property(t) })
	defer r.Close()
	const said = "its file says: fails in 1 of 2 orders: exactly where x comes before y at a"
	for _, test := range []struct {
		name   string
		change func(*corpus.Case)
		want   string
	}{
		{"as saved", func(*corpus.Case) {}, said},
		{"with a note", func(c *corpus.Case) { c.Comment = slices.Insert(c.Comment, 2, "see ticket 7") }, said},
		{"without a comment", func(c *corpus.Case) { c.Comment = nil }, said},
		{"with the failure alone", func(c *corpus.Case) { c.Comment = c.Comment[:1] }, said},
		{"with another failure", func(c *corpus.Case) { c.Comment[0] = "too few" }, said},
		{"told by an older version", func(c *corpus.Case) { c.Explanation = &corpus.Explanation{Told: "fails\nsometimes"} }, "its file says: fails\nsometimes"},
		{"without an explanation", func(c *corpus.Case) { c.Condition, c.Explanation = "", nil }, ""},
		{"of another signature", func(c *corpus.Case) { c.Signature = "other" }, ""},
		{"stale", func(c *corpus.Case) { c.Hash++ }, ""},
	} {
		c := found(t, r, 3, "x before y").Case
		c.Explanation.Draws = []string{"≥ 3"}
		test.change(&c)
		text, err := corpus.Encode(c)
		if err != nil {
			t.Fatal(err)
		}
		if c, err = corpus.Decode("", text); err != nil {
			t.Fatal(err)
		}
		p := Replay(r, &c)
		f := p.Finding(r, Origin{Property: "p"}, &c)
		if f.Why() != test.want || f.Replays != Tried {
			t.Errorf("%s: it says %q, replayed %d times; expected %q", test.name, f.Why(), f.Replays, test.want)
		}
		if has := strings.Contains(f.Text(""), "drew n = 3 (≥ 3)"); has != (test.want == said) {
			t.Errorf("%s: it tells\n%s", test.name, f.Text(""))
		}
	}
}
