package finding

import (
	"path/filepath"
	"testing"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// endless has two actors that send to each other forever once the second of two messages has come
// first.
func endless(t *props.T) {
	sys := t.SystemWith(pulse.Options{Steps: 5000})
	var a, b pulse.Ref
	first := ""
	a = sys.Spawn("a", pulse.Func(func(ctx *pulse.Ctx, msg any) {
		if first == "" {
			first = msg.(string)
		}
		if first == "late" && msg != "soon" { // one ball
			ctx.Send(b, "ball")
		}
	}))
	b = sys.Spawn("b", pulse.Func(func(ctx *pulse.Ctx, msg any) { ctx.Send(a, "ball") }))
	for _, word := range []string{"soon", "late"} {
		sys.Send(sys.Spawn(word, pulse.Func(func(ctx *pulse.Ctx, msg any) { ctx.Send(a, msg) })), word)
	}
	sys.Run()
}

// An endless run is saved by its beginning only. Before, 5,000 deliveries took 85,000 bytes.
func TestShorten(t *testing.T) {
	r := props.NewRunner("endless", endless)
	defer r.Close()
	var f *Finding
	for seed := uint64(1); f == nil; seed++ {
		if res := r.Run(props.Plan{Strategy: strategy.Random(), StrategySeed: seed}); res.Failure != nil {
			f = From(Origin{Property: "endless", Test: "TestX"}, &res)
		}
	}
	f.Confirm(r)
	f.Shorten(r)
	if n := len(f.Case.Record.Deliveries); n > 6 || !f.Case.Record.Plain {
		t.Fatalf("%d deliveries are left, then plain %t", n, f.Case.Record.Plain)
	}
	folder := corpus.FolderOf(t.TempDir(), "endless")
	path, err := f.Save(folder)
	if err != nil {
		t.Fatal(err)
	}
	c, err := folder.Find(filepath.Base(path))
	if err != nil {
		t.Fatal(err)
	}
	if p := Replay(r, &c); !p.Exact || p.How != "as saved" || p.Result.Failure == nil || len(p.Result.System.Trace().Steps) != 5000 {
		t.Errorf("played %s, %v", p.How, p.Result.Failure)
	}
	c.Record.Plain = false
	if p := Replay(r, &c); p.Exact {
		t.Error("without the plain order at the end it is played as saved")
	}
}

// Shorten leaves short records as they are.
func TestShortenLeavesShortRecords(t *testing.T) {
	r := props.NewRunner("short", func(t *props.T) {
		sys := t.System()
		sys.Send(sys.Spawn("a", pulse.Func(func(*pulse.Ctx, any) { panic("no") })), 1)
		sys.Run()
	})
	defer r.Close()
	res := r.Run(props.Plan{})
	f := From(Origin{Property: "short", Test: "TestX"}, &res)
	f.Confirm(r)
	if f.Shorten(r); len(f.Case.Record.Deliveries) != 1 || f.Case.Record.Plain {
		t.Errorf("%+v", f.Case.Record)
	}
}
