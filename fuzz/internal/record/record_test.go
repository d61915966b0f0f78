package record

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/corpus/golden"
	"github.com/jostle-go/jostle/pulse/choice"
)

// of returns a record that has the given text wherever a text of a program can be.
func of(text string) *Record {
	m := Message{From: 0, To: 1, Label: text, SentIn: -1, SentAt: text}
	why := &corpus.Explanation{Orders: 3, Failing: 2, Complete: true, Exact: true, Draws: []string{text}, Needs: []corpus.Need{{Kind: choice.Drop, N: 1}},
		Constraints: []corpus.Constraint{{First: corpus.Message{Text: text, At: text, Kind: text}, Second: corpus.Message{Text: text, At: text, Kind: text, Send: 1},
			Turned: &corpus.Share{Failed: 1, Of: 2}}},
		Point: &corpus.Point{Step: 1, Message: corpus.Message{Text: text, At: text, Kind: text}, Other: &corpus.Message{Text: text, At: text, Kind: text, Send: 1},
			Before: corpus.Share{Failed: 1, Of: 2}, After: corpus.Share{Failed: 2, Of: 2}, Instead: &corpus.Share{Of: 2},
			Chances: []corpus.Chance{{Step: 0, Share: corpus.Share{Of: 2}}, {Step: 1, Share: corpus.Share{Failed: 1, Of: 2}}}}}
	return &Record{Format: Format, Property: text, Test: text, Failure: text, Detail: text, File: text, Signature: text,
		Where: text, Shrunk: text, Why: why, Draws: []string{text}, Logs: []string{text}, Faces: []string{text}, Also: []string{text}, Remarks: []string{text},
		Places: []Place{{Send: 0, Step: 0, SentAt: text, Handler: text, Text: text, Kind: text, Code: []Excerpt{{What: Sends, At: text, First: 3, Marked: 3, Lines: []string{text}}}},
			{Send: 1, Step: 1, SentAt: text, Handler: text}},
		Changes: []Change{{Actor: text, Field: text, Before: text, After: text, Passing: "x" + text}},
		Actors:  []string{text, text},
		Steps: []Step{{Message: m, Number: 0, Kind: text, Handler: text, Log: []string{text}, After: []string{text}},
			{Message: Message{From: 1, To: 1, Label: text, SentIn: 0, SentAt: text}, Number: 1, Failed: true, Log: []string{text}, After: []string{text},
				Changes: []Change{{Actor: text, Field: text, Before: text, After: text}}, Calls: []Call{{What: text, Text: text, At: text}}},
			{Message: Message{From: -1, To: 1, Label: text, SentIn: -1}, Number: 2}},
		LeftOut: 3, Waiting: []Message{m},
		Passing: &Passing{Swaps: 1, Swapped: [][2]int{{0, 1}}, Steps: []PassingStep{{Label: text, Step: 1, After: []string{text}}, {Label: text, Step: 0}}}}
}

// read returns the elements and the texts of a page, which is well-formed XML.
func read(t *testing.T, html []byte) (elements []string, texts string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(string(html)))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return elements, texts
		}
		if err != nil {
			t.Fatalf("not well-formed: %v\n%s", err, html)
		}
		switch x := token.(type) {
		case xml.StartElement:
			name := x.Name.Local
			for _, a := range x.Attr {
				name += " " + a.Name.Local
			}
			elements = append(elements, name)
		case xml.CharData:
			texts += string(x) + "\x00"
		}
	}
}

// TestTextsStayTexts: whatever a program says, it is shown as it is, and adds no element
// and no attribute to the page.
func TestTextsStayTexts(t *testing.T) {
	plain, _ := read(t, of("plain").HTML())
	for _, text := range []string{
		`</title><script>alert(1)</script>`,
		`" onload="alert(1)`,
		`' onload='alert(1)`,
		`<!-- `, ` -->`, `<![CDATA[`, `]]>`, `</style>`, `</svg>`,
		`&lt;`, `&#0;`, `&amp;amp;`, `%s %d %!s(MISSING)`, `{{.}}`,
		`javascript:alert(1)`, `—é😀`,
	} {
		elements, texts := read(t, of(text).HTML())
		if !reflect.DeepEqual(elements, plain) {
			t.Errorf("%q changes the elements", text)
		}
		if strings.Count(texts, text) < 20 {
			t.Errorf("%q is shown %d times", text, strings.Count(texts, text))
		}
	}
}

// TestTextsThatHTMLMustNotHave: characters that HTML does not allow, or that hide or reorder text, are
// replaced.
func TestTextsThatHTMLMustNotHave(t *testing.T) {
	for text, want := range map[string]string{
		"a\x00b":          "a\ufffdb",
		"a\x1b[31mb":      "a\ufffd[31mb",
		"a\xffb":          "a\ufffdb",
		"a\u202eb":        "a\ufffdb",
		"a\ufffeb\ufdd0c": "a\ufffdb\ufffdc",
		"a\u0085\rb":      "a\ufffd\ufffdb",
		"a\tb\nc":         "a\tb\nc",
	} {
		if got := escaped(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
		read(t, of(text).HTML())
	}
}

// TestPageIsAlone: a page loads nothing and runs nothing.
func TestPageIsAlone(t *testing.T) {
	html := regexp.MustCompile(`href="#step\d+"`).ReplaceAllString(string(of("text").HTML()), "") // links to steps lead to the page itself
	for _, no := range []string{"<script", "<link", "<img", "<iframe", "<object", "src=", "href=", "@import", " on[a-z]+="} {
		if regexp.MustCompile(no).MatchString(html) {
			t.Errorf("the page has %s", no)
		}
	}
	if urls := regexp.MustCompile(`(https?:|url\()[^ )"]*`).FindAllString(html, -1); len(urls) > 0 {
		for _, u := range urls {
			if u != "http://www.w3.org/2000/svg" && u != "url(#tip" {
				t.Errorf("the page names %s", u)
			}
		}
	}
	if !strings.Contains(html, "prefers-color-scheme: dark") {
		t.Error("the page is never dark")
	}
}

// TestJSON: the golden file fixes the names of the fields. Decoding an encoded record gives an equal
// record.
func TestJSON(t *testing.T) {
	text, err := of("text").JSON()
	if err != nil {
		t.Fatal(err)
	}
	golden.File(t, "testdata/record.json.golden", string(text))
	for _, said := range []string{"text", `<"text">`, "a\x00\x1b\u2028b", "&lt;"} {
		text, err := of(said).JSON()
		var again Record
		if err = errors.Join(err, json.Unmarshal(text, &again)); err != nil || !reflect.DeepEqual(&again, of(said)) {
			t.Errorf("%q: %v\n%s", said, err, text)
		}
	}
}

// TestStrangePages: a page is written even for a record whose indices and lengths make no sense.
func TestStrangePages(t *testing.T) {
	long := of(strings.Repeat("w", 5000))
	for name, p := range map[string]*Record{
		"empty": {},
		"long":  long,
		"nobody": {Steps: []Step{{Message: Message{From: 7, To: 9, SentIn: 50}}},
			Why:     &corpus.Explanation{Constraints: []corpus.Constraint{{First: corpus.Message{Send: 5}, Second: corpus.Message{Send: -3}}, {}}},
			Places:  []Place{{Send: 5, Step: 50}, {Send: -3, Step: -3}, {}},
			Waiting: []Message{{From: -1, To: -1, SentIn: -7}}},
	} {
		if elements, _ := read(t, p.HTML()); len(elements) < 5 {
			t.Errorf("%s: %d elements", name, len(elements))
		}
	}
}

// TestFolding: consecutive steps that do not matter are folded to one line, which the reader can open.
// The page contains all steps.
func TestFolding(t *testing.T) {
	many := of("x")
	for len(many.Steps) < 305 {
		s := many.Steps[0]
		s.Number = len(many.Steps)
		many.Steps = append(many.Steps, s)
	}
	many.Places = append(many.Places, Place{Step: 5}, Place{Step: 100})
	html := string(many.HTML())
	var folds []string
	for _, m := range regexp.MustCompile(`class="fold"><summary>([^<]*)`).FindAllStringSubmatch(html[strings.Index(html, ">Steps<"):], -1) {
		folds = append(folds, m[1])
	}
	if want := []string{"94 steps, 6 to 99", "204 steps, 101 to 304"}; !slices.Equal(folds, want) { // steps 2 to 4 are too few to fold
		t.Errorf("folded are %q, want %q", folds, want)
	}
	if n := strings.Count(html, `<details class="step`); n != 102 || !strings.Contains(html, "\n  304  x ──x──▶ x") { // one row is a message that was not received
		t.Errorf("%d rows", n)
	}
}

// TestPageByKeys: what is cut off or scrolls can be reached without a mouse. Each step is a row that
// opens, each link leads to a row, and what scrolls takes the focus and has a name.
func TestPageByKeys(t *testing.T) {
	html := string(of("text").HTML())
	for i := range of("text").Steps {
		if n := len(regexp.MustCompile(fmt.Sprintf(`<details class="step[^"]*" id="step%d"><summary>`, i)).FindAllString(html, -1)); n != 1 {
			t.Errorf("step %d has %d rows", i, n)
		}
	}
	if n := strings.Count(html, `href="#step1"`); n != 1 {
		t.Errorf("the curve has %d links to the deciding step", n)
	}
	if all, named := strings.Count(html, `class="scroll`), len(regexp.MustCompile(`class="scroll[^"]*" tabindex="0" role="region" aria-label="[^"]+"`).FindAllString(html, -1)); all != 3 || named != all {
		t.Errorf("%d of %d areas that scroll can be reached", named, all)
	}
	if !strings.Contains(html, ":focus-visible") {
		t.Error("where the focus is cannot be seen")
	}
}

// luminance returns how light a color is to the eye, as WCAG 2 has it.
func luminance(t *testing.T, hex string) (sum float64) {
	t.Helper()
	n, err := strconv.ParseUint(hex, 16, 32)
	if err != nil {
		t.Fatal(err)
	}
	for i, part := range []float64{0.0722, 0.7152, 0.2126} {
		c := float64(n>>(8*i)&0xff) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		sum += part * c
	}
	return sum
}

// TestContrast: all text can be read in both themes, as WCAG 2 asks of small text.
func TestContrast(t *testing.T) {
	themes := regexp.MustCompile(`:root \{[^}]*\}`).FindAllString(style, -1)
	for _, theme := range themes {
		color := map[string]float64{}
		for _, m := range regexp.MustCompile(`--(\w+): #([0-9a-f]{6})`).FindAllStringSubmatch(theme, -1) {
			color[m[1]] = luminance(t, m[2])
		}
		for _, name := range []string{"ink", "faint", "bad", "edge"} {
			light, dark := max(color[name], color["paper"]), min(color[name], color["paper"])
			if ratio := (light + 0.05) / (dark + 0.05); ratio < 4.5 {
				t.Errorf("%s has a contrast of %.1f in %s", name, ratio, theme)
			}
		}
	}
	if len(themes) != 2 {
		t.Errorf("%d themes", len(themes))
	}
}
