package starter

import (
	_ "embed" // the workflows
	"path"
	"regexp"
	"strconv"
	"strings"
	"text/template"
)

// The names of the workflow files.
const (
	Nightly = "jostle-nightly.yml"
	Change  = "jostle-pr.yml"
)

// A CI has the parameters of the workflows.
type CI struct {
	// Dir is the folder of the user's module, relative to the root of the repository and with
	// slashes. It is "" if the module is at the root.
	Dir string
	// Command is the import path of the command jostle.
	Command string
	// Library is the module path of jostle's libraries.
	Library string
}

// Prefix returns the prefix of paths in the user's module: "" or Dir with a slash.
func (c CI) Prefix() string {
	if c.Dir == "" {
		return ""
	}
	return c.Dir + "/"
}

// plain matches texts that YAML reads as they are.
var plain = regexp.MustCompile(`^[\w.][\w./-]*$`)

// At returns the path of a file in the user's module, or of the module if name is "", as a YAML value.
func (c CI) At(name string) string {
	text := path.Join(c.Dir, name)
	if plain.MatchString(text) {
		return text
	}
	return strconv.Quote(text)
}

//go:embed jostle-nightly.yml
var nightly string

//go:embed jostle-pr.yml
var change string

// Workflows returns the workflow files. Their templates use brackets instead of braces, because
// GitHub's expressions use braces.
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
