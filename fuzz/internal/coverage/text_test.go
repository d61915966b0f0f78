package coverage_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/jostle-go/jostle/corpus/golden"
	"github.com/jostle-go/jostle/fuzz/internal/coverage"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/trace"
)

func TestText(t *testing.T) {
	golden.File(t, "testdata/text.golden", written(3).Text()+"\n"+written(300).Text()+"\n"+new(coverage.Orders).Text())
}

func TestJSON(t *testing.T) {
	data, err := json.MarshalIndent(written(3), "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	golden.File(t, "testdata/orders.json", string(data)+"\n")
}

func TestSVG(t *testing.T) {
	golden.File(t, "testdata/orders.svg", string(written(3).SVG()))
}

// hostile has labels and types that would break a picture or a terminal.
func hostile() *coverage.Orders {
	o := &coverage.Orders{}
	for _, schedule := range []string{"ab", "ba", "acb"} {
		tr := scripted(schedule)
		tr.Actors[1].Label = "</text><script>alert(1)</script>\x1b[2J\nnext & \xff" + strings.Repeat("long", 40)
		for i := range tr.Actors[2:] {
			tr.Actors[2+i].Label = "<!-- \x00 ]]> \u202e"
		}
		o.Add(tr, coverage.Run{Unguided: true})
	}
	for i := range rune(60) { // more actors than are drawn
		tr := scripted("xy")
		tr.Actors[1] = trace.Actor{ID: uint64(1000 + i), Label: "a" + string(rune('A'+i))}
		for k := range tr.Steps {
			tr.Steps[k].ID += uint64(1000 * (i + 1))
		}
		o.Add(tr, coverage.Run{})
	}
	return o
}

// A picture is valid XML whatever the names of actors are.
func TestHostileLabels(t *testing.T) {
	o := hostile()
	svg := o.SVG()
	d := xml.NewDecoder(bytes.NewReader(svg))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, svg)
		}
		if e, is := token.(xml.StartElement); is && e.Name.Local == "script" {
			t.Error("a label has become an element")
		}
	}
	if len(svg) > 100_000 || !strings.Contains(string(svg), "and more actors") {
		t.Errorf("the picture has %d bytes", len(svg))
	}
	if text := o.Text(); strings.ContainsAny(text, "\x1b\x00") {
		t.Errorf("%q", text)
	}
	if _, err := json.Marshal(o); err != nil {
		t.Error(err)
	}
}

// Long names are shortened in all texts, and hostile ones stay on one line.
func TestHostileNames(t *testing.T) {
	for _, name := range []string{
		"\x1b[31m\r\n</text></svg><script>alert(1)</script>",
		"\u202eevil\u0000\xff\xfe",
		strings.Repeat("é", 1<<19),
		strings.Repeat("\x1b", 1<<20),
		strings.Repeat("🂡", mostNamed),
		strings.Repeat("🂡", mostNamed+1),
	} {
		sys := pulse.New(pulse.Options{Record: true})
		a := sys.Spawn(name, pulse.Func(func(*pulse.Ctx, any) {}))
		for range 3 {
			b := sys.Spawn(name, pulse.Func(func(ctx *pulse.Ctx, _ any) { ctx.Send(a, hop{}) }))
			sys.Send(b, hop{})
		}
		sys.Run()
		o := &coverage.Orders{}
		o.Add(sys.Trace(), coverage.Run{Unguided: true})
		sys.Close()
		text := o.Text() + o.Summary()
		for _, g := range o.Open() {
			text += g.String() + "\n"
		}
		if len(text) > 8<<10 || !strings.Contains(text, " before ") {
			t.Errorf("%.20q: %d bytes", name, len(text))
		}
		for _, line := range strings.Split(text, "\n") {
			if strings.IndexFunc(line, func(r rune) bool { return !unicode.IsPrint(r) || r == utf8.RuneError }) >= 0 {
				t.Errorf("%.20q: %q", name, line)
			}
		}
		if long := utf8.RuneCountInString(name) > mostNamed; long != strings.Contains(text, "…") {
			t.Errorf("%.20q: %.300s", name, text)
		}
		var into any
		if err := xml.Unmarshal(o.SVG(), new(struct{})); err != nil {
			t.Errorf("%.20q: %v", name, err)
		}
		if data, err := o.MarshalJSON(); err != nil || json.Unmarshal(data, &into) != nil {
			t.Errorf("%.20q: %v", name, err)
		}
	}
}

const mostNamed = 60
