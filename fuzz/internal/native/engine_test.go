package native

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
)

// last fails if the last of at least two messages arrives first, or if there are nine messages.
func last(t *props.T) {
	n := props.Draw(t, rapid.IntRange(1, 9), "n")
	sys := t.System()
	first := 0
	hall := sys.Spawn("hall", pulse.Func(func(_ *pulse.Ctx, msg any) {
		if first == 0 {
			first = msg.(int)
		}
	}))
	for i := range n {
		sys.Send(sys.Spawn("door", pulse.Func(func(ctx *pulse.Ctx, msg any) { ctx.Send(hall, msg) })), i+1)
	}
	sys.Run()
	switch {
	case n > 1 && first == n:
		t.Error("the last came first")
	case n == 9:
		t.Error("there are nine")
	}
}

// failing searches for bytes whose run fails with the text, in a
// number of steps that fits. It returns the bytes and their case.
func failing(t *testing.T, h *Harness, text string, fits func(steps int) bool) ([]byte, *corpus.Case) {
	t.Helper()
	for n := range uint64(100_000) {
		data := RandomBytes(n)
		res := h.Run(data)
		if res.Failure != nil && res.Failure.Text == text && fits(res.System.Steps()) {
			return data, &corpus.Case{Property: "last", Signature: res.Failure.Lasting(), Seed: h.Seed(), Inputs: choice.CloneInputs(res.Inputs), Record: *res.System.Record().Clone()}
		}
	}
	t.Fatalf("no bytes fail with %q", text)
	return nil, nil
}

// The engine has saved new inputs during its search. Those with the
// same failure as a case are replaced by the case. All others stay.
func TestEngineShrink(t *testing.T) {
	r := props.NewRunner("last", last)
	defer r.Close()
	h := &Harness{Runner: r}
	long, _ := failing(t, h, "the last came first", func(n int) bool { return n > 10 })
	short, small := failing(t, h, "the last came first", func(n int) bool { return n == 4 })
	other, _ := failing(t, h, "there are nine", func(int) bool { return true })
	passes := []byte{}
	dir := t.TempDir()
	inside := filepath.Join(dir, "testdata", "fuzz", "FuzzLast")
	export := func(data []byte) string {
		t.Helper()
		path, err := Export(inside, data)
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	old := export(append(slices.Clone(long), 1))
	e := EngineOf(dir, "FuzzLast")
	paths := map[string][]byte{old: append(slices.Clone(long), 1), export(other): other, export(passes): passes}
	fresh := export(long)
	said := e.Shrink(h, small)
	want := "shrunk: " + filepath.Join("testdata", "fuzz", "FuzzLast", filepath.Base(fresh)) + ", from "
	if len(said) != 1 || !strings.HasPrefix(said[0], want) || !strings.HasSuffix(said[0], " steps to 4") {
		t.Errorf("said %q, expected %q", said, want)
	}
	inputs, problems := Import(inside)
	if len(inputs) != 4 || problems != nil {
		t.Fatalf("%d inputs, %v", len(inputs), problems)
	}
	for _, in := range inputs {
		if in.Path != fresh {
			if !bytes.Equal(in.Data, paths[in.Path]) {
				t.Errorf("%s is changed", in.Path)
			}
			continue
		}
		res := h.Run(in.Data)
		if res.Failure == nil || !res.Failure.Matches(small.Signature) || res.System.Steps() != 4 || len(in.Data) >= len(short) {
			t.Errorf("the input has %d bytes, and comes to %v", len(in.Data), res.Failure)
		}
	}
	if again := e.Shrink(h, small); len(again) != 0 {
		t.Errorf("shrunk once more it says %q", again)
	}
	passing := *small
	passing.Record.Deliveries, passing.Inputs = nil, nil // now the run in plain order passes
	if said := EngineOf(t.TempDir(), "FuzzLast").Shrink(h, &passing); said != nil {
		t.Errorf("where there is no input it says %q", said)
	}
	if said := (&Engine{folder: dir, inside: e.inside}).Shrink(h, &passing); said != nil {
		t.Errorf("a case that does not fail any more replaces inputs: %q", said)
	}
	if left, _ := os.ReadDir(inside); len(left) != 4 {
		t.Errorf("there are %v", left)
	}
}

func TestEnds(t *testing.T) {
	for n := range 20 {
		for least := range n + 1 {
			left, tries := n, 0
			ends(n, func(k int) bool {
				tries++
				if k < least || k >= left || k < 0 {
					return false
				}
				left = k
				return true
			})
			if left != least || tries > 12 {
				t.Errorf("of %d, of which %d are needed, %d are left after %d tries", n, least, left, tries)
			}
		}
	}
}
