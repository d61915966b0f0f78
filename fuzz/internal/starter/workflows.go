package starter

import (
	_ "embed" // the workflows
	"strings"
	"text/template"
)

// The workflows, by the names of their files.
const (
	Nightly = "jostle-nightly.yml"
	Change  = "jostle-pr.yml"
)

// A CI says for which module workflows are.
type CI struct {
	// Dir is the folder of the module, from that of the repository, with slashes; "" if
	// they are one.
	Dir string
	// Command is the import path of the command, Library the path of the module of the
	// libraries.
	Command, Library string
}

// Prefix is what paths in the module begin with.
func (c CI) Prefix() string {
	if c.Dir == "" {
		return ""
	}
	return c.Dir + "/"
}

//go:embed jostle-nightly.yml
var nightly string

//go:embed jostle-pr.yml
var change string

// Workflows returns the texts of the workflows. Expressions of GitHub have braces, so that
// what is filled in has brackets.
func Workflows(c CI) (list []File, err error) {
	for _, f := range []struct{ name, text string }{{Nightly, nightly}, {Change, change}} {
		t, err := template.New(f.name).Delims("[[", "]]").Parse(f.text)
		if err != nil {
			return nil, err
		}
		var b strings.Builder
		if err := t.Execute(&b, c); err != nil {
			return nil, err
		}
		list = append(list, File{Name: f.name, Text: []byte(b.String())})
	}
	return list, nil
}
