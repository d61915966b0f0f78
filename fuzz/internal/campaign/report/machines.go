package report

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"github.com/jostle-go/jostle/fuzz/internal/words"
	"github.com/jostle-go/jostle/pulse/trace"
)

// String returns "bank neverOverdrawn: 14 receive pairs seen, 12 before".
func (g Growth) String() string {
	return fmt.Sprintf("%s: %s seen, %s before", g.Name, words.Count(g.Now, "receive pair"), words.Grouped(g.Before))
}

// A suite is a testsuite of JUnit XML. It has a testcase for each property. A testcase has a
// failure for each finding and for each complaint.
type suite struct {
	XMLName  xml.Name   `xml:"testsuite"`
	Name     string     `xml:"name,attr"`
	Tests    int        `xml:"tests,attr"`
	Failures int        `xml:"failures,attr"`
	Cases    []testcase `xml:"testcase"`
}

type testcase struct {
	Class    string    `xml:"classname,attr"`
	Name     string    `xml:"name,attr"`
	Failures []failure `xml:"failure"`
	Out      string    `xml:"system-out,omitempty"`
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

// JUnit returns the report as JUnit XML, with a suite for each package and a test for each
// property.
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
		c := testcase{Class: p.Package, Name: strings.TrimPrefix(p.Name, p.Package+" "), Out: strings.Join(append([]string{p.Ran}, p.Notes...), "\n")}
		for _, f := range p.Findings {
			c.Failures = append(c.Failures, failure{f.Headline(), f.Signature, f.Text()})
		}
		for _, text := range p.Complaints {
			c.Failures = append(c.Failures, failure{firstLine(text), "complaint", text})
		}
		s := all.Suites[at]
		if s.Tests++; len(c.Failures) > 0 {
			s.Failures++
		}
		s.Cases = append(s.Cases, c)
	}
	text, err := xml.MarshalIndent(all, "", "\t")
	return append([]byte(xml.Header), append(text, '\n')...), err
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
			place := object{"logicalLocations": []object{{"fullyQualifiedName": p.Name}}}
			if f.Source != "" {
				place["physicalLocation"] = object{"artifactLocation": object{"uri": (&url.URL{Path: f.Source}).String()}, "region": object{"startLine": f.Line}}
			}
			results = append(results, object{"ruleId": p.Name, "ruleIndex": len(rules) - 1, "level": "error", "message": object{"text": f.message()},
				"locations": []object{place}, "partialFingerprints": object{"jostleSignature/v1": p.Name + ": " + f.Signature}})
		}
	}
	text, err := json.MarshalIndent(object{"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
		"runs": []object{{"tool": object{"driver": object{"name": "jostle", "informationUri": home, "rules": rules}}, "results": results}}}, "", "\t")
	return append(text, '\n'), err
}

// message returns the headline, the orders that fail, and how to replay the finding.
func (f *Finding) message() string {
	text := f.Headline()
	if orders := f.Orders(); orders != "" {
		text += "\n" + orders
		for i, d := range f.Drawn() {
			if d != f.Draws[i] { // Drawn has added a remark
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
	fmt.Fprintf(&b, "## jostle: %s\n\n%s\n\n| | property | what was run | receive pairs |\n|---|---|---|---|\n", r.verdict(), r.outline())
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
			fmt.Fprintf(&b, "\n### %s\n\n%s\n\n%s\n", literal(f.Headline()), literal(p.Name), fenced(f.Text()))
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
