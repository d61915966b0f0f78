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

// A CI says which module the workflows are for.
type CI struct {
	// Dir is the folder of the module relative to that of the repository, with
	// slashes; "" if they are the same.
	Dir string
	// Command is the import path of the command, Library the path of the libraries'
	// module.
	Command, Library string
}

// Prefix returns the prefix of paths in the module.
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

// Workflows returns the texts of the workflows. GitHub's expressions use braces, so
// the templates use brackets.
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
