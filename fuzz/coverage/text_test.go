package coverage_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/corpus/golden"
	"github.com/jostle-go/jostle/fuzz/coverage"
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
	golden.File(t, "testdata/orders.svg", string(written(3).SVG(coverage.PR)))
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

// A picture is XML whatever the program calls its actors, and says nothing that is not
// in it as text.
func TestHostileLabels(t *testing.T) {
	o := hostile()
	svg := o.SVG(coverage.PR)
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
