package finding

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
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

// What a property attaches cannot lose its finding, nor poison the corpus:
// not by its writer, nor by its name.
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
	for i, want := range []string{"none could not be made: it has no function that writes it", "panics could not be made: its function panicked: \"no\"",
		"exits could not be made: its function called runtime.Goexit", "fails could not be made: full"} {
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

type leaving int

func (l leaving) String() string {
	if l == 1 {
		panic("no name")
	}
	runtime.Goexit()
	return ""
}

// A String method that does not return cannot lose a finding: its chart and its
// draws say what the method did. FailNow in one used to end the whole test.
func TestStringsThatDoNotReturn(t *testing.T) {
	r := props.NewRunner("TestX", func(t *props.T) {
		n := props.OneOf(t, "n", leaving(2))
		sys := t.System()
		sys.Send(sys.Spawn("shop", pulse.Func(func(*pulse.Ctx, any) {})), n)
		sys.Send(sys.Spawn("shop", pulse.Func(func(_ *pulse.Ctx, msg any) { panic(msg) })), leaving(1))
		sys.Run()
	})
	defer r.Close()
	res := r.Run(props.Plan{})
	f := From(Origin{Property: "p", Test: "TestX"}, &res)
	f.Confirm(r)
	text := f.Text("run 1")
	for _, want := range []string{"panic in shop.2#1", "leaving(1) (String panicked)", "leaving(2) (String called runtime.Goexit)",
		"drew n = leaving(2) (String called runtime.Goexit)", "replayed 2 of 2"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
}
