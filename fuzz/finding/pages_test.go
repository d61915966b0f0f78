package finding

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/corpus/golden"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

// TestPages checks the pages that are written next to the cases of two subjects.
func TestPages(t *testing.T) {
	for _, name := range []string{"writer", "threadring"} {
		out := shrunkSubject(t, name)
		out.Finding.Case.Property, out.Finding.Case.Test = name, "Test"
		path := filepath.Join(t.TempDir(), "a.case")
		if err := out.Finding.WritePages(nil, path); err != nil {
			t.Fatal(err)
		}
		for _, ext := range []string{".html", ".json", ".mmd"} {
			text, err := os.ReadFile(strings.TrimSuffix(path, ".case") + ext)
			if err != nil {
				t.Fatal(err)
			}
			golden.File(t, "testdata/"+name+ext+".golden", elapsed.ReplaceAllString(string(text), "shrunk ${1}in TIME"))
		}
	}
}

// TestPagesThatCannotBeWritten: if the pages cannot be written, the case is still saved, and the error says so.
func TestPagesThatCannotBeWritten(t *testing.T) {
	for _, ext := range []string{".html", ".json", ".mmd"} {
		_, f := foundBy(t, listed, 1)
		folder := corpus.FolderOf(t.TempDir(), f.Case.Property)
		path, err := f.Save(folder)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(strings.TrimSuffix(path, ".case")+ext, 0o755); err != nil {
			t.Fatal(err)
		}
		r := props.NewRunner("listed", listed)
		defer r.Close()
		if err := f.WritePages(r, path); err == nil || !strings.Contains(err.Error(), "the case is saved, but not its pages: ") {
			t.Errorf("%s: %v", ext, err)
		}
		if cases, problems := folder.Load(); len(cases) != 1 || len(problems) > 0 {
			t.Errorf("%s: %d cases, %v", ext, len(cases), problems)
		}
	}
}

// A moody actor has a String method that panics at every second call.
type moody struct{ asked *int }

func (m *moody) Receive(*pulse.Ctx, any) {}

func (m *moody) String() string {
	if *m.asked++; *m.asked%2 == 0 {
		panic("do not ask")
	}
	return "</svg><script>"
}

// TestLooksDisturbNothing: observing the actors' values changes no verdict. The values are shown as text.
func TestLooksDisturbNothing(t *testing.T) {
	asked := 0
	out := shrunkBy(t, func(t *props.T) {
		sys := t.System()
		sys.Send(sys.Spawn("<u>&amp;\x1b[31m", &moody{&asked}), "\x00<script>")
		sys.Run()
		t.Error("<i>fails</i>")
	}, 1, 100)
	if out.Finding.Replays != 2 || out.Finding.Seen == nil || asked == 0 {
		t.Errorf("%+v", out.Finding)
	}
	html := htmlOf(out.Finding)
	for _, no := range []string{"<script", "<u>", "<i>", "\x1b", "\x00"} {
		if strings.Contains(html, no) {
			t.Errorf("the page has %q", no)
		}
	}
	for _, want := range []string{"&lt;u&gt;&amp;amp;", "&lt;/svg&gt;&lt;script&gt;", "&lt;i&gt;fails&lt;/i&gt;"} {
		if !strings.Contains(html, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// TestLargePages checks the page of a run with many actors. The page omits the actors' states and has everything else.
func TestLargePages(t *testing.T) {
	out := shrunkBy(t, func(t *props.T) {
		sys := t.System()
		for range 400 {
			sys.Send(sys.Spawn("a", &moody{new(int)}), 1)
		}
		sys.Run()
		t.Error("fails")
	}, 1, 10)
	p := out.Finding.Record("")
	if len(p.Steps) != 400 || p.Steps[399].Handler == "" || p.Steps[399].SentAt == "" || p.Steps[399].Label != "1" || len(p.Steps[0].After) > 0 {
		t.Errorf("%d steps, the last %+v", len(p.Steps), p.Steps[len(p.Steps)-1])
	}
}

// TestUnlookedPages: a finding of which little is known has a page, too.
func TestUnlookedPages(t *testing.T) {
	_, f := foundBy(t, func(t *props.T) { t.Error("no system") }, 1)
	r := props.NewRunner("p", func(t *props.T) { t.Error("no system") })
	defer r.Close()
	path := filepath.Join(t.TempDir(), "a.case")
	if err := f.WritePages(r, path); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(strings.TrimSuffix(path, ".case") + ".html")
	if err != nil || !strings.Contains(string(text), "no system") || strings.Contains(string(text), "<svg") {
		t.Errorf("%v\n%s", err, text)
	}
}

type opened struct{}

func (o *opened) Receive(ctx *pulse.Ctx, msg any) { ctx.Become(&closed{}) }

type closed struct{}

func (c *closed) Receive(*pulse.Ctx, any) { panic("closed") }

// A moving actor changes its handler to a method, and later to a closure.
type moving struct{ left int }

func (m *moving) Receive(ctx *pulse.Ctx, msg any) {
	ctx.Become(pulse.Func(m.moved))
	ctx.Send(ctx.Self(), msg)
}

func (m *moving) moved(ctx *pulse.Ctx, msg any) {
	ctx.Send(ctx.Self(), msg)
	ctx.Become(pulse.Func(func(*pulse.Ctx, any) { panic(m.left) }))
}

// TestHandlersOfSteps: the page shows each step with the handler that the actor had before the step, also for the step
// that fails.
func TestHandlersOfSteps(t *testing.T) {
	first, then, moves, moved, closure := "", "", "", "", ""
	text, err := os.ReadFile("pages_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(string(text), "\n") {
		if strings.HasPrefix(line, "func (o *opened) Receive") {
			first, then = fmt.Sprintf("pages_test.go:%d", i+1), fmt.Sprintf("pages_test.go:%d", i+5)
		}
		if strings.HasPrefix(line, "func (m *moving) Receive") {
			moves, moved, closure = fmt.Sprintf("pages_test.go:%d", i+1), fmt.Sprintf("pages_test.go:%d", i+6), fmt.Sprintf("pages_test.go:%d", i+8)
		}
	}
	for _, c := range []struct {
		name string
		send func(sys *pulse.System)
		want []string
	}{
		{"fails at once", func(sys *pulse.System) { sys.Send(sys.Spawn("a", &closed{}), 1) }, []string{then}},
		{"becomes another", func(sys *pulse.System) {
			a := sys.Spawn("a", &opened{})
			sys.Send(sys.Spawn("b", pulse.Func(func(ctx *pulse.Ctx, _ any) {
				ctx.Send(a, 1)
				ctx.Send(a, 2)
			})), "go")
		}, []string{"any", first, then}},
		{"becomes another in its first step", func(sys *pulse.System) {
			a := sys.Spawn("a", &opened{})
			sys.Send(a, 1)
			sys.Send(a, 2)
		}, []string{first, then}},
		{"becomes a method, then a closure", func(sys *pulse.System) { sys.Send(sys.Spawn("a", &moving{}), 1) }, []string{moves, moved, closure}},
	} {
		out := shrunkBy(t, func(t *props.T) {
			sys := t.System()
			c.send(sys)
			sys.Run()
		}, 1, 100)
		steps := out.Finding.Record("").Steps
		for i, want := range c.want {
			if want != "any" && steps[i].Handler != want {
				t.Errorf("%s: step %d is handled at %q, want %q", c.name, i, steps[i].Handler, want)
			}
		}
		if c.want[0] == moves && !slices.Equal(steps[1].After, []string{"a now: a function: its variables cannot be read"}) ||
			c.want[0] == moves && !slices.Equal(steps[0].After, []string{"a now: the method moved: its variables cannot be read"}) {
			t.Errorf("%s: kept %q, then %q", c.name, steps[0].After, steps[1].After)
		}
		if last := steps[len(steps)-1]; !last.Failed {
			t.Errorf("%s: the last step did not fail", c.name)
		}
	}
}

func htmlOf(f *Finding) string {
	r := f.Record("")
	return string(r.HTML())
}
