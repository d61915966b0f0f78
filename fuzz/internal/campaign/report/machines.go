package report

import (
	"cmp"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/jostle-go/jostle/pulse/trace"
)

// A suite is a testsuite of JUnit XML.
type suite struct {
	XMLName  xml.Name   `xml:"testsuite"`
	Name     string     `xml:"name,attr"`
	Tests    int        `xml:"tests,attr"`
	Failures int        `xml:"failures,attr"`
	Errors   int        `xml:"errors,attr"`
	Time     string     `xml:"time,attr"`
	Cases    []testcase `xml:"testcase"`

	seconds float64
}

// A testcase is a property that has not failed, or one failure of a property. A testcase has at most
// one failure, because GitLab and others show only the first one.
type testcase struct {
	Class   string   `xml:"classname,attr"`
	Name    string   `xml:"name,attr"`
	Time    string   `xml:"time,attr"`
	File    string   `xml:"file,attr,omitempty"`
	Line    int      `xml:"line,attr,omitempty"`
	Failure *failure `xml:"failure"`
	Out     string   `xml:"system-out,omitempty"`
}

type failure struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

// Texts in the files that Write has written. The variable marks recognizes the files by these
// texts.
const (
	suitesName = "jostle"                              // the name attribute of the JUnit file
	home       = "https://github.com/jostle-go/jostle" // the home page of jostle, in the SARIF file
)

// JUnit returns the report as JUnit XML, with a suite for each package.
func (r *Report) JUnit() ([]byte, error) {
	var all struct {
		XMLName xml.Name `xml:"testsuites"`
		Name    string   `xml:"name,attr"`
		Suites  []*suite
	}
	all.Name = suitesName
	for i := range r.Properties {
		p := &r.Properties[i]
		at := slices.IndexFunc(all.Suites, func(s *suite) bool { return s.Name == p.Package })
		if at < 0 {
			at = len(all.Suites)
			all.Suites = append(all.Suites, &suite{Name: p.Package})
		}
		s := all.Suites[at]
		for _, c := range p.testcases() {
			if s.Tests++; c.Failure != nil {
				s.Failures++
			}
			s.Cases = append(s.Cases, c)
		}
		s.seconds += p.Seconds
		s.Time = seconds(s.seconds)
	}
	text, err := xml.MarshalIndent(all, "", "\t")
	return append([]byte(xml.Header), append(text, '\n')...), err
}

// seconds formats a time for JUnit XML.
func seconds(s float64) string { return strconv.FormatFloat(s, 'f', 3, 64) }

// testcases returns one testcase for each failure and complaint of the property, or one that passed.
// The first has the name of the property, so that it is the same test in all reports. The others
// have their signature too.
func (p *Property) testcases() (list []testcase) {
	for k := range p.Findings {
		f := &p.Findings[k]
		c := testcase{Name: ": " + f.Signature, Failure: &failure{f.Headline(), f.Signature, f.Text(0)}}
		if f.Source != "" {
			c.File, c.Line = f.Source, f.Line
		}
		list = append(list, c)
	}
	for _, text := range p.Complaints {
		list = append(list, testcase{Name: ": " + firstLine(text), Failure: &failure{firstLine(text), "complaint", text}})
	}
	if len(list) == 0 {
		list = []testcase{{}}
	}
	for i := range list {
		c := &list[i]
		if i == 0 {
			c.Name, c.Out = "", strings.Join(append([]string{p.Ran}, p.Notes...), "\n")
		}
		c.Class, c.Time = p.Package, seconds(p.Seconds/float64(len(list)))
		c.Name = strings.TrimPrefix(p.Name, p.Package+" ") + c.Name
	}
	return list
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// object is a JSON object. Package json sorts the names in it.
type object = map[string]any

// SARIF returns the failures as SARIF 2.1.0, from which code hosts mark the lines that failed. If
// the line of a failure is unknown, only its property is given.
func (r *Report) SARIF() ([]byte, error) {
	results, rules := []object{}, []object{}
	for i := range r.Properties {
		p := &r.Properties[i]
		for k := range p.Findings {
			f := &p.Findings[k]
			if k == 0 {
				rules = append(rules, object{"id": p.Name, "shortDescription": object{"text": p.Name + " does not hold"}})
			}
			result := object{"ruleId": p.Name, "ruleIndex": len(rules) - 1, "level": "error", "message": object{"text": f.message()},
				"locations": []object{f.location(f.File, f.Line, p.Name)}, "partialFingerprints": object{"jostleSignature/v1": p.Name + ": " + f.Signature}}
			if flow := f.flow(); len(flow) > 0 {
				result["codeFlows"] = []object{{"message": object{"text": "the steps of the failing run"}, "threadFlows": []object{{"locations": flow}}}}
			}
			results = append(results, result)
		}
	}
	text, err := json.MarshalIndent(object{"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
		"runs": []object{{"tool": object{"driver": object{"name": "jostle", "version": cmp.Or(r.Version, "unknown"), "informationUri": home, "rules": rules}}, "results": results}}}, "", "\t")
	return append(text, '\n'), err
}

// location returns a location of SARIF: a line of a file of the property's package, if the file
// exists, and a name.
func (f *Finding) location(file string, line int, name string) object {
	place := object{"logicalLocations": []object{{"fullyQualifiedName": name}}}
	if path := f.pathOf(file); path != "" && line > 0 {
		place["physicalLocation"] = object{"artifactLocation": object{"uri": (&url.URL{Path: path}).String()}, "region": object{"startLine": line}}
	}
	return place
}

// pathOf returns the path of a source file in the repository, "" if it is unknown. Files are given
// without their folder, and are known only in the folder of the property's package.
func (f *Finding) pathOf(file string) string {
	if file == "" || f.place == nil {
		return ""
	}
	return f.place(file)
}

// mostFlow limits the steps of a failing run in SARIF: GitHub shows no more.
const mostFlow = 1000

// flow returns the steps of the failing run as locations of a thread flow: for each step the line
// that sent the message and the handler that received it.
func (f *Finding) flow() (list []object) {
	decides := -1
	if f.Why != nil && f.Why.Point != nil {
		decides = f.Why.Point.Step
	}
	for i := range f.Steps {
		s := &f.Steps[i]
		importance := "important"
		if s.Failed || s.Number == decides {
			importance = "essential"
		}
		for _, at := range []struct{ verb, place string }{{"sends", s.SentAt}, {"receives", s.Handler}} {
			file, line, ok := strings.Cut(at.place, ":")
			number, err := strconv.Atoi(line)
			if !ok || err != nil || len(list) == mostFlow {
				continue
			}
			who := s.From
			if at.verb == "receives" {
				who = s.To
			}
			place := f.location(file, number, f.actor(who))
			place["message"] = object{"text": fmt.Sprintf("step %d: %s %s %s", s.Number, f.actor(who), at.verb, s.Label)}
			list = append(list, object{"location": place, "executionOrder": len(list), "importance": importance})
		}
	}
	return list
}

// actor returns the name of an actor, given its index.
func (f *Finding) actor(i int) string {
	if i < 0 || i >= len(f.Actors) {
		return "nobody"
	}
	return f.Actors[i]
}

// GitHub returns a command of GitHub Actions for each failure and complaint, which makes GitHub show
// it next to the line that failed: "::error file=bank/account.go,line=27,title=…::…".
func (r *Report) GitHub() string {
	var b strings.Builder
	for i := range r.Properties {
		p := &r.Properties[i]
		for k := range p.Findings {
			f := &p.Findings[k]
			place := ""
			if path := f.pathOf(f.File); path != "" && f.Line > 0 {
				place = fmt.Sprintf("file=%s,line=%d,", inProperty.Replace(path), f.Line)
			}
			fmt.Fprintf(&b, "::error %stitle=%s::%s\n", place, inProperty.Replace(f.Headline()), inData.Replace(p.Name+"\n"+f.message()))
		}
		for _, text := range p.Complaints {
			fmt.Fprintf(&b, "::error title=%s::%s\n", inProperty.Replace(p.Name), inData.Replace(text))
		}
	}
	return b.String()
}

// Escapes of commands of GitHub Actions: in the text, and in a property such as title.
var (
	inData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	inProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// message returns the headline, the orders that fail, and how to replay the finding.
func (f *Finding) message() string {
	text := f.Headline()
	if orders := f.Orders(); orders != "" {
		text += "\n" + orders
		for i, d := range f.Drawn() {
			if d != f.Draws[i] { // Drawn has added a remark about other values of the draw
				text += "\ndrew " + d
			}
		}
		if f.Why.Depth > 0 {
			text += fmt.Sprintf("\ndepth %d", f.Why.Depth)
		}
	}
	for _, face := range f.Faces {
		text += "\nthe same cause: " + face
	}
	if f.Path != "" {
		text += "\nagain: " + f.Again(f.Path)
	}
	return text
}

// Markdown returns a summary for the page of a CI job.
func (r *Report) Markdown() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "## jostle: %s\n\n%s\n", r.verdict(), literal(r.sentence()))
	r.rows(&b)
	fmt.Fprintf(&b, "\n%s\n\n| | property | what was run | receive pairs |\n|---|---|---|---|\n", r.outline())
	for i := range r.Properties {
		p := &r.Properties[i]
		verdict := "ok"
		if !p.Passed {
			verdict = "**FAIL**"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", verdict, literal(p.Name), literal(p.Ran), literal(p.Coverage.Summary))
	}
	for i := range r.Properties {
		p := &r.Properties[i]
		for k := range p.Findings {
			f := &p.Findings[k]
			fmt.Fprintf(&b, "\n### %s\n\n%s\n\n%s\n", literal(f.Headline()), literal(p.Name), fenced(f.Text(0)))
			if f.Path != "" {
				fmt.Fprintf(&b, "\n%s\n", fenced(f.Again(f.Path)))
			}
		}
		for _, text := range p.Complaints {
			fmt.Fprintf(&b, "\n- %s: %s\n", literal(p.Name), literal(text))
		}
	}
	if r.Changes != nil {
		fmt.Fprint(&b, "\n### Since the last report\n\n")
		for _, text := range r.Changes.lines() {
			fmt.Fprintf(&b, "- %s\n", literal(text))
		}
	}
	return []byte(b.String())
}

// rows writes a table with a row for each bug.
func (r *Report) rows(b *strings.Builder) {
	if len(r.Bugs) == 0 {
		return
	}
	b.WriteString("\n| | what failed | cause | orders that fail | found after runs | replay |\n|---|---|---|---|---|---|\n")
	for i := range r.Bugs {
		bug := &r.Bugs[i]
		cells := []string{string(bug.State), bug.Headline, bug.Cause, bug.Share, bug.found()}
		for k := range cells {
			cells[k] = literal(cells[k])
		}
		replay := ""
		if bug.Again != "" {
			replay = "<code>" + literal(bug.Again) + "</code>"
		}
		fmt.Fprintf(b, "| %s | %s |\n", strings.Join(cells, " | "), replay)
	}
}

// literal returns text escaped for one line of Markdown. All characters except letters, digits and
// a few signs become numeric references.
func literal(text string) string {
	var b strings.Builder
	for _, r := range trace.Visible(text) {
		switch {
		case r == '\n' || r == '\t':
			b.WriteByte(' ')
		case unicode.IsLetter(r), unicode.IsDigit(r), strings.ContainsRune(" ,;%/()='?", r), r >= 0x80:
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, "&#%d;", r)
		}
	}
	return b.String()
}

// fenced returns text as a Markdown code block, with a fence that does not occur in the text.
func fenced(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + "text\n" + strings.TrimRight(trace.Visible(text), "\n") + "\n" + fence
}
