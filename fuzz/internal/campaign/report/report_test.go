package report

import (
	"bytes"
	"cmp"
	"encoding"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"html"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/corpus/golden"
	"github.com/jostle-go/jostle/fuzz/internal/binary"
	"github.com/jostle-go/jostle/fuzz/internal/campaign"
	"github.com/jostle-go/jostle/fuzz/internal/coverage"
	"github.com/jostle-go/jostle/fuzz/internal/record"
	"github.com/jostle-go/jostle/fuzz/internal/worker"
	"github.com/jostle-go/jostle/fuzz/search"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// named is a message whose String method returns its text.
type named string

func (n named) String() string { return string(n) }

// seen returns the receive pairs that some runs show. In each run three actors send one message each to
// a fourth actor, and all actors have the same name.
func seen(name string, runs uint64) *coverage.Orders {
	sys := pulse.New(pulse.Options{Strategy: strategy.Random(), Record: true})
	defer sys.Close()
	o := &coverage.Orders{}
	for seed := range runs {
		sys.Reset(seed)
		to := sys.Spawn(name, pulse.Func(func(*pulse.Ctx, any) {}))
		for range 3 {
			by := sys.Spawn(name, pulse.Func(func(ctx *pulse.Ctx, msg any) { ctx.Send(to, msg) }))
			sys.Send(by, named(name))
		}
		sys.Run()
		o.Add(sys.Trace(), coverage.Run{Unguided: true})
	}
	return o
}

// runOf returns a failing run whose property, actors, messages and all other texts are the given name.
func runOf(name string) record.Record {
	m := record.Message{From: 0, To: 1, Label: name, SentIn: -1, SentAt: name}
	why := &corpus.Explanation{Orders: 2, Failing: 1, Complete: true, Exact: true, Draws: []string{name},
		Constraints: []corpus.Constraint{{First: corpus.Message{Text: name, At: name}, Second: corpus.Message{Text: name, At: name, Send: 1}}}}
	return record.Record{Property: name, Test: name, Run: 7, Failure: name, Detail: name, File: "a_test.go", Line: 3, Why: why, Actors: []string{name, name},
		Draws: []string{name}, Logs: []string{name}, Places: []record.Place{{}, {Send: 1, Step: 1}},
		Steps: []record.Step{{Message: m, Log: []string{}, After: []string{}}, {Message: m, Number: 1, Failed: true, Log: []string{}, After: []string{name}}}}
}

// of returns a campaign in which all names and texts are the given name. One property fails in two
// ways, one is reported as insufficiently tested, and one holds.
func of(name, dir string) *campaign.Report {
	subject := func(test string) campaign.Subject {
		return campaign.Subject{Binary: &binary.Binary{Package: name, Dir: dir}, Property: worker.Property{Test: test, Name: name}}
	}
	arms := []campaign.Arm{{Name: name, Runs: 90, Fresh: 2}, {Name: "pct", Runs: 10, Fresh: 6.75}}
	labels := []search.Distribution{{Name: name, Values: []search.ValueCount{{Value: name, Runs: 60, Share: 0.6}, {Value: "2", Runs: 40, Share: 0.4}}}}
	found := func(signature string, r record.Record) *campaign.Finding {
		r.Signature, r.Where, r.Path = signature, name, filepath.Join(dir, "7f3a.case")
		return &campaign.Finding{Times: 3, Record: r}
	}
	return &campaign.Report{Ended: "time", Elapsed: 90 * time.Second, Deaths: 2, Outcomes: []campaign.Outcome{
		{Subject: subject("TestFails"), Runs: 100, Steps: 900, Ran: "100 runs, 900 steps", Spent: 1500 * time.Millisecond, Arms: arms, Orders: seen(name, 3), Missed: []string{name}, Reached: map[string]int{"often": 99, "rare": 1}, Labels: labels,
			Findings: []*campaign.Finding{found("a", runOf(name)), found("b", record.Record{Failure: name})}},
		{Subject: subject("TestLess"), Runs: 5, Ran: "5 runs, 40 steps", Spent: 1500 * time.Millisecond, Complaints: []string{name}, Notes: []string{name}},
		{Subject: subject("TestHolds"), Runs: 50, Ran: name, Complete: name, Orders: seen(name, 40)},
	}}
}

func made(t testing.TB, name string) *Report {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a_test.go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r := New(of(name, dir), dir, dir)
	last := New(of(name, dir), dir, dir)
	last.Properties[0].Findings[0].Signature = "gone"
	last.Properties[2].Name += " and more"
	last.Properties[1].Coverage.Seen = 1
	last.Compare(nil)
	r.Compare(last)
	return r
}

// elements returns the elements of an XML file with the names of their attributes, and all
// texts and values.
func elements(t *testing.T, text []byte) (list []string, texts string) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(text))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return list, texts
		}
		if err != nil {
			t.Fatalf("not well-formed: %v\n%s", err, text)
		}
		switch x := token.(type) {
		case xml.StartElement:
			name := x.Name.Local
			for _, a := range x.Attr {
				name += " " + a.Name.Local
				texts += a.Value + "\x00"
			}
			list = append(list, name)
		case xml.CharData:
			texts += string(x) + "\x00"
		}
	}
}

// hostile has texts with a special meaning in at least one output format.
var hostile = []string{`</title><script>alert(1)</script>`, `" onload="alert(1)`, `' onload='alert(1)`, `<!-- `, `]]>`, `</style>`, `</svg>`,
	`&lt;&#0;`, `%s %d`, "```\n# x\n```", `a|b`, `[a](javascript:alert(1))`, `![a](http://b)`, `<img src=x onerror=alert(1)>`, "a\x00\x1b[31m\xff\ufffe\u202eb"}

// TestTextsStayTexts: whatever a program says adds no element and no attribute to a file.
func TestTextsStayTexts(t *testing.T) {
	html, _ := elements(t, made(t, "plain").HTML())
	junit, _ := elements(t, must(t, made(t, "plain").JUnit))
	markdown := shape(string(made(t, "plain").Markdown()))
	for _, text := range hostile {
		r := made(t, text)
		if got, texts := elements(t, r.HTML()); !reflect.DeepEqual(got, html) {
			t.Errorf("%q changes the elements of the HTML", text)
		} else if text[0] != 'a' && strings.Count(texts, strings.Split(text, "\n")[0]) < 20 {
			t.Errorf("%q is shown %d times", text, strings.Count(texts, text))
		}
		if got, _ := elements(t, must(t, r.JUnit)); !reflect.DeepEqual(got, junit) {
			t.Errorf("%q changes the elements of the XML", text)
		}
		if got := shape(string(r.Markdown())); got != markdown {
			t.Errorf("%q changes the Markdown from\n%s\nto\n%s", text, markdown, got)
		}
		for _, form := range []func() ([]byte, error){r.JSON, r.SARIF} {
			if text := must(t, form); !json.Valid(text) {
				t.Errorf("no JSON: %s", text)
			}
		}
	}
}

func must(t *testing.T, form func() ([]byte, error)) []byte {
	t.Helper()
	text, err := form()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// shape returns the characters of a Markdown text that have a meaning in Markdown. It omits code blocks
// and character references, because they cannot change the structure.
func shape(text string) string {
	var b strings.Builder
	fence := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch ticks := line[:len(line)-len(strings.TrimLeft(line, "`"))]; {
		case fence == "" && len(ticks) >= 3:
			fence = ticks
			b.WriteString("```\n")
		case fence != "" && line == fence:
			fence = ""
			b.WriteString("```\n")
		case fence == "":
			b.WriteString(regexp.MustCompile(`[^|#*<>\[\]!\-]+`).ReplaceAllString(regexp.MustCompile(`&#\d+;`).ReplaceAllString(line, ""), "x") + "\n")
		}
	}
	return b.String()
}

// TestAlone: the page loads nothing and runs no scripts. All of its links lead to places on the page,
// and all IDs are different.
func TestAlone(t *testing.T) {
	html := string(made(t, "text").HTML())
	ids := map[string]bool{}
	for _, m := range regexp.MustCompile(` id="([^"]*)"`).FindAllStringSubmatch(html, -1) {
		if ids[m[1]] {
			t.Errorf("two places are called %s", m[1])
		}
		ids[m[1]] = true
	}
	for _, m := range regexp.MustCompile(`(?:href="|url\()([^")]*)`).FindAllStringSubmatch(html, -1) {
		if name, here := strings.CutPrefix(m[1], "#"); !here || !ids[name] {
			t.Errorf("the page leads to %q", m[1])
		}
	}
	for _, no := range []string{"<script", "<link", "<img", "<iframe", "<object", " src=", "@import", ` on[a-z]+="`} {
		if regexp.MustCompile(no).MatchString(html) {
			t.Errorf("the page has %s", no)
		}
	}
	for _, want := range []string{"default-src 'none'", "prefers-color-scheme: dark", "width=device-width", "<polyline", `class="matrix"`, `class="scroll steps"`,
		"text: reached in no run", "rare: reached in 1 run", "often: reached in 99 runs", "text: text in 60 runs (60%), 2 in 40 runs (40%)", "not found again: ", "new failure: ", "new receive pairs"} {
		if !strings.Contains(html, want) {
			t.Errorf("the page has no %s", want)
		}
	}
}

// TestMachines: JUnit XML, SARIF, JSON and Markdown contain the results of the report.
func TestMachines(t *testing.T) {
	r := made(t, "text")
	junit := string(must(t, r.JUnit))
	if !strings.Contains(junit, `<testsuite name="text" tests="4" failures="3" errors="0" time="3.000">`) || strings.Count(junit, "<failure ") != 3 ||
		!strings.Contains(junit, `name="TestFails, text" time="0.750" file="a_test.go" line="3"`) || !strings.Contains(junit, `name="TestFails, text: b" time="0.750">`) {
		t.Errorf("JUnit XML:\n%s", junit)
	}
	var sarif struct {
		Version string
		Runs    []struct {
			Tool struct {
				Driver struct{ Rules []struct{ ID string } }
			}
			Results []struct {
				RuleID    string
				RuleIndex int
				Message   struct{ Text string }
				Locations []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine int }
					}
				}
			}
		}
	}
	if err := json.Unmarshal(must(t, r.SARIF), &sarif); err != nil {
		t.Fatal(err)
	}
	run := sarif.Runs[0]
	var got []string
	for _, f := range run.Results {
		at := f.Locations[0].PhysicalLocation
		got = append(got, fmt.Sprintf("%s %v %s:%d", f.RuleID, run.Tool.Driver.Rules[f.RuleIndex].ID == f.RuleID, at.ArtifactLocation.URI, at.Region.StartLine))
	}
	if want := []string{"text TestFails, text true a_test.go:3", "text TestFails, text true :0"}; sarif.Version != "2.1.0" || !reflect.DeepEqual(got, want) {
		t.Errorf("SARIF has %q, want %q", got, want)
	}
	if arms := r.Properties[0].Arms; arms[0] != (Arm{"pct", 10, 6.75}) {
		t.Errorf("arms: %v", arms)
	}
}

// schemaOf returns the schema in a file of testdata.
func schemaOf(t *testing.T, path string) *golden.Schema {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s, err := golden.NewSchema(string(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// element returns an XML file as the value that junit.schema.json describes.
func element(t *testing.T, text []byte) any {
	t.Helper()
	stack := []map[string]any{{}}
	d := xml.NewDecoder(bytes.NewReader(text))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return stack[0]
		}
		if err != nil {
			t.Fatal(err)
		}
		switch x := token.(type) {
		case xml.StartElement:
			e, above := map[string]any{}, stack[len(stack)-1]
			for _, a := range x.Attr {
				e["@"+a.Name.Local] = a.Value
			}
			list, _ := above[x.Name.Local].([]any)
			above[x.Name.Local] = append(list, e)
			stack = append(stack, e)
		case xml.EndElement:
			stack = stack[:len(stack)-1]
		}
	}
}

// TestSchemas: SARIF and JUnit XML obey their schemas, whatever a program says. Files that break a
// rule of their form are refused.
func TestSchemas(t *testing.T) {
	sarif, junit := schemaOf(t, "testdata/sarif.schema.json"), schemaOf(t, "testdata/junit.schema.json")
	for _, name := range append([]string{"text"}, hostile...) {
		r := made(t, name)
		if err := sarif.Check(must(t, r.SARIF)); err != nil {
			t.Errorf("%q: %v", name, err)
		}
		if err := junit.CheckValue(element(t, must(t, r.JUnit))); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	r := made(t, "text")
	r.Properties[0].Findings[0].Steps[1].SentAt = "a_test.go:3"
	for _, edit := range [][2]string{{`"2.1.0"`, `"2.2"`}, {`"version": "` + r.Version, `"revision": "x`}, {`"text": "text TestFails`, `"markdown": "text`}, {`"startLine": 3`, `"startLine": 0`},
		{`"uri": "a_test.go"`, `"uri": "/a_test.go"`}, {`"essential"`, `"great"`}, {`"partialFingerprints"`, `"prints"`}} {
		if bad := strings.Replace(string(must(t, r.SARIF)), edit[0], edit[1], 1); sarif.Check([]byte(bad)) == nil {
			t.Errorf("%s is SARIF", edit)
		}
	}
	for _, edit := range [][2]string{{` tests="4"`, ``}, {` time="3.000"`, ` time="3,0"`}, {`</failure>`, `</failure><failure message="" type=""></failure>`}, {`file="a`, `file="/a`}, {`<testcase classname="text"`, `<testcase`}} {
		if bad := strings.Replace(string(must(t, r.JUnit)), edit[0], edit[1], 1); junit.CheckValue(element(t, []byte(bad))) == nil {
			t.Errorf("%s is JUnit XML", edit)
		}
	}
}

// describe returns the JSON Schema of a type as package json writes it.
func describe(of reflect.Type) object {
	if of.Implements(reflect.TypeFor[encoding.TextMarshaler]()) {
		return object{"type": "string"}
	}
	switch of.Kind() {
	case reflect.Pointer:
		return describe(of.Elem())
	case reflect.Slice:
		return object{"type": "array", "items": describe(of.Elem())}
	case reflect.Array:
		return object{"type": "array", "items": describe(of.Elem()), "minItems": of.Len(), "maxItems": of.Len()}
	case reflect.String:
		return object{"type": "string"}
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Float64:
		return object{"type": "number"}
	case reflect.Struct:
		properties, required := object{}, []string{}
		for f := range of.Fields() {
			name, option, _ := strings.Cut(f.Tag.Get("json"), ",")
			switch {
			case f.Anonymous && name == "":
				inner := describe(f.Type)
				maps.Copy(properties, inner["properties"].(object))
				required = append(required, inner["required"].([]string)...)
			case f.IsExported():
				properties[cmp.Or(name, f.Name)] = describe(f.Type)
				if option == "" {
					required = append(required, cmp.Or(name, f.Name))
				}
			}
		}
		slices.Sort(required)
		return object{"type": "object", "properties": properties, "required": slices.Compact(required), "additionalProperties": false}
	}
	return object{"type": "integer"}
}

// TestJSON: report.schema.json describes the JSON of a report. All names have one style. The JSON obeys
// the schema; JSON that lacks a field or has another one does not.
func TestJSON(t *testing.T) {
	form := describe(reflect.TypeFor[Report]())
	form["$schema"], form["title"] = "https://json-schema.org/draft/2020-12/schema", fmt.Sprintf("A report of jostle, format %d", Format)
	text, err := json.MarshalIndent(form, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	golden.File(t, "report.schema.json", string(text)+"\n")
	s := schemaOf(t, "report.schema.json")
	for _, r := range []*Report{made(t, "text"), large(t, 2, 9), New(&campaign.Report{}, "", "")} {
		if err := s.Check(must(t, r.JSON)); err != nil {
			t.Error(err)
		}
	}
	good := string(must(t, large(t, 2, 9).JSON))
	for _, m := range regexp.MustCompile(`"([^"]*)": `).FindAllStringSubmatch(good, -1) {
		if !regexp.MustCompile(`^[a-z][a-zA-Z]*$`).MatchString(m[1]) {
			t.Errorf("the name %q has another style", m[1])
		}
	}
	for _, edit := range [][2]string{{`"likely"`, `"Likely"`}, {`"signature": "0",`, ``}, {`"step": 3`, `"step": "3"`}, {`"runs": `, `"runs": 1.5, "more": `}} {
		if bad := strings.Replace(good, edit[0], edit[1], 1); bad == good || s.Check([]byte(bad)) == nil {
			t.Errorf("%s is a report", edit)
		}
	}
}

// TestFlow: SARIF has the steps of a failing run, each with the line that sends the message and the
// handler that receives it.
func TestFlow(t *testing.T) {
	r := made(t, "text")
	f := &r.Properties[0].Findings[0]
	f.Actors = []string{"test", "bank"}
	f.Steps = []record.Step{{Message: record.Message{To: 1, Label: "pay(1)", SentAt: "a_test.go:9"}, Handler: "other.go:4"},
		{Message: record.Message{From: 1, To: 1, Label: "done", SentAt: "a_test.go:5"}, Number: 1, Failed: true}}
	var got []string
	for _, at := range f.flow() {
		place := at["location"].(object)
		text, err := json.Marshal(place["physicalLocation"])
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%v %v %s", at["importance"], place["message"].(object)["text"], text))
	}
	want := []string{`important step 0: test sends pay(1) {"artifactLocation":{"uri":"a_test.go"},"region":{"startLine":9}}`,
		`important step 0: bank receives pay(1) null`, `essential step 1: bank sends done {"artifactLocation":{"uri":"a_test.go"},"region":{"startLine":5}}`}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	f.Steps = slices.Repeat(f.Steps, 2000)
	if n := len(f.flow()); n != mostFlow {
		t.Errorf("a long run has %d locations", n)
	}
}

// TestAnnotations: each command for GitHub Actions is on a line of its own. Special characters in the
// texts of a program are escaped.
func TestAnnotations(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "a,b:c%"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a,b:c%", "a_test.go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	done := of("50% of: a, b\r\n::set-env::x", filepath.Join(dir, "a,b:c%"))
	text := New(done, filepath.Join(dir, "a,b:c%"), dir).GitHub()
	golden.File(t, "testdata/annotations.golden", text)
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "::error ") || strings.Count(line, "::") < 2 {
			t.Errorf("%q is no command", line)
		}
	}
}

// TestStates follows a bug through the reports of several nights.
func TestStates(t *testing.T) {
	dir := t.TempDir()
	var last *Report
	for night, c := range []struct {
		fails, saved, mended bool
		want                 string
	}{
		{true, false, false, "new"}, {true, true, false, "known"}, {false, false, false, "not found again"}, {true, true, false, "back again"},
		{true, false, false, "known"}, {false, false, true, "mended"}, {false, false, false, "mended"}, {true, false, false, "back again"},
	} {
		done := of("bank", dir)
		done.Outcomes = done.Outcomes[:1]
		out := &done.Outcomes[0]
		f := out.Findings[0]
		f.Known = c.saved
		if out.Findings = out.Findings[:1]; !c.fails {
			out.Findings = nil
		}
		if c.mended {
			out.Mended = []string{f.Path}
		}
		r := New(done, dir, dir)
		r.Compare(last)
		if len(r.Bugs) != 1 || string(r.Bugs[0].State) != c.want {
			t.Errorf("night %d: %+v, want %s", night+1, r.Bugs, c.want)
		}
		if err := r.Write(dir); err != nil {
			t.Fatal(err)
		}
		var err error
		if last, err = Read(dir); err != nil {
			t.Fatal(err)
		}
	}
	r := made(t, "bank")
	golden.File(t, "testdata/summary.golden", string(r.Markdown()))
}

// TestSearched: the report says that pairs cannot race only if that is known.
func TestSearched(t *testing.T) {
	for _, c := range []struct {
		want string
		Coverage
	}{
		{"no pairs of messages raced", Coverage{}},
		{"no pairs of messages can race", Coverage{Runs: 5}},
		{"no pairs of messages raced", Coverage{Runs: 5, Unknown: 2}},
		{"2 pairs of messages never raced", Coverage{Runs: 5, Possible: 3, Covered: 1}},
		{"the only pair of messages raced", Coverage{Runs: 5, Possible: 1, Covered: 1}},
		{"all 3 pairs of messages raced; whether 2 more can race is unknown", Coverage{Runs: 5, Possible: 3, Covered: 3, Unknown: 2}},
		{"the only pair of messages raced; the next random run shows a new one in about 1 of 50",
			Coverage{Runs: 5, Possible: 1, Covered: 1, Chance: coverage.Chance{Runs: 5, Low: 0.01, Likely: 0.02, High: 0.03}}},
	} {
		if got := (&Report{Properties: []Property{{Coverage: c.Coverage}}}).searched(); got != "Searched: "+c.want || c.inWords() != c.want {
			t.Errorf("%+v: %s, want %s", c.Coverage, got, c.want)
		}
	}
}

// TestChanges: what is new, gone, added and removed.
func TestChanges(t *testing.T) {
	want := &Changes{New: []string{"x TestFails, x: a_test.go:3: x"}, Gone: []string{"x TestFails, x: a_test.go:3: x"}, Added: []string{"x TestHolds, x"},
		Removed: []string{"x TestHolds, x and more"}, Orders: []Growth{{"x TestLess, x", 1, 0}}}
	r := made(t, "x")
	if !reflect.DeepEqual(r.Changes, want) {
		t.Errorf("changes: %+v, want %+v", r.Changes, want)
	}
	r.Compare(r)
	if got := r.Changes.lines(); !reflect.DeepEqual(got, []string{"nothing"}) {
		t.Errorf("beside itself: %q", got)
	}
	if r.Compare(nil); r.Changes != nil {
		t.Error("it has changed since no report")
	}
}

// TestFolder: what is written is read again, and what is no report is refused.
func TestFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "folder")
	if _, err := Read(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	r := made(t, "text")
	for range 2 {
		if err := r.Write(dir); err != nil {
			t.Fatal(err)
		}
	}
	again, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := must(t, r.JSON), must(t, again.JSON); !bytes.Equal(a, b) {
		t.Errorf("read\n%s\nwant\n%s", b, a)
	}
	if files, _ := filepath.Glob(filepath.Join(dir, "*")); len(files) != 5 {
		t.Errorf("the folder has %q", files)
	}
	for text, want := range map[string]string{"{": "is not a report", `{"format":99}`: "is a report of format 99, expected 3", "[]": "is not a report"} {
		if err := os.WriteFile(filepath.Join(dir, JSONFile), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	if err := r.Write(filepath.Join(dir, JSONFile)); err == nil {
		t.Error("a file was taken for a folder")
	}
	blocked := t.TempDir()
	if err := os.MkdirAll(filepath.Join(blocked, SARIFFile, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := r.Write(blocked); err == nil {
		t.Error("a folder was taken for a file")
	}
	if files, _ := filepath.Glob(filepath.Join(blocked, "*")); len(files) != 1 {
		t.Errorf("what could not be written has left %q", files)
	}
}

// TestForeignFiles: a report overwrites the files of an earlier report. If it would overwrite any other
// file, it writes nothing.
func TestForeignFiles(t *testing.T) {
	r := made(t, "text")
	for name, text := range map[string]string{
		HTMLFile:     "<!DOCTYPE html>\n<html><head><title>My site</title></head></html>\n",
		MarkdownFile: "# Summary\n",
		JUnitFile:    "<?xml version=\"1.0\"?>\n<testsuites>\n\t<testsuite name=\"mine\"/></testsuites>\n",
		JSONFile:     "{\n\t\"format\": \"mine\"\n}\n",
		SARIFFile:    `{"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "other"}}}]}`,
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		err := r.Write(dir)
		if want := path + " is not a report of jostle, so it is not overwritten: move it, or choose another folder"; err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
		if got, _ := os.ReadFile(path); string(got) != text {
			t.Errorf("%s has %q", name, got)
		}
		if files, _ := filepath.Glob(filepath.Join(dir, "*")); len(files) != 1 {
			t.Errorf("beside %s there are %q", name, files)
		}
		if err := os.Truncate(path, 0); err != nil { // it is nobody's
			t.Fatal(err)
		}
		for range 2 {
			if err := r.Write(dir); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	r.Properties = nil // the smallest report: its files must still be recognized as files of a report
	dir := t.TempDir()
	for range 2 {
		if err := r.Write(dir); err != nil {
			t.Error(err)
		}
	}
}

// TestAgain: a shell can execute the printed command that replays a case, even if the file name has
// spaces and quotes.
func TestAgain(t *testing.T) {
	r := made(t, "text")
	r.Properties[0].Findings[0].Path = "my bank/it's.case"
	r.Compare(nil)
	const want = `jostle replay 'my bank/it'\\''s.case'`
	if text := string(r.Markdown()); !strings.Contains(text, strings.ReplaceAll(want, `\\`, `\`)) {
		t.Error(text)
	}
	if text := string(must(t, r.SARIF)); !strings.Contains(text, want) {
		t.Error(text)
	}
	text := html.UnescapeString(string(r.HTML()))
	for _, want := range []string{want, `jostle view 'my bank/it'\\''s.case'`} {
		if !strings.Contains(text, strings.ReplaceAll(want, `\\`, `\`)) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
}

// TestNothing: a campaign without properties has a report.
func TestNothing(t *testing.T) {
	r := New(&campaign.Report{}, "", "")
	if err := r.Write(t.TempDir()); err != nil {
		t.Error(err)
	}
	elements(t, r.HTML())
	if got := r.verdict(); got != "no failures" {
		t.Errorf("nothing has failed, but %s", got)
	}
}

// TestEnds: a report says in words why a campaign has ended.
func TestEnds(t *testing.T) {
	for ended, want := range map[campaign.End]string{
		"":            ", not finished",
		"runs":        ", ended: number of runs reached",
		"time":        ", ended: time limit",
		"complete":    ", ended: every order was run",
		"saturated":   ", ended: hardly any new receive pairs",
		"failures":    ", ended: failures",
		"given up":    ", ended: search given up",
		"interrupted": ", ended: interrupted",
	} {
		if got := New(&campaign.Report{Ended: ended}, "", "").outline(); !strings.HasSuffix(got, want) {
			t.Errorf("%q is %q, want %q", ended, got, want)
		}
	}
}
