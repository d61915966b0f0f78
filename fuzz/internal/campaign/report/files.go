package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/jostle-go/jostle/corpus"
)

// The files of a report, in its folder.
const (
	HTMLFile     = "index.html"
	JSONFile     = "report.json"
	JUnitFile    = "junit.xml"
	SARIFFile    = "report.sarif"
	MarkdownFile = "summary.md"
)

// marks maps the name of each file of a report to a pattern that matches the file. Write overwrites
// only files that are empty or match.
var marks = map[string]*regexp.Regexp{
	HTMLFile:     regexp.MustCompile(`<title>jostle: `),
	JSONFile:     regexp.MustCompile(`^\{\n\t"format": \d+,\n\t"ended": "`),
	JUnitFile:    regexp.MustCompile(`<testsuites name="` + suitesName + `"`),
	SARIFFile:    regexp.MustCompile(`"informationUri": "` + regexp.QuoteMeta(home) + `"`),
	MarkdownFile: regexp.MustCompile(`^## jostle: `),
}

// mostRead limits the number of bytes that are read from a file to recognize it.
const mostRead = 1 << 20

// Check returns an error if Write would overwrite a file in the folder that is neither empty nor a
// file of a report.
func Check(folder string) error {
	for _, name := range slices.Sorted(maps.Keys(marks)) {
		path := filepath.Join(folder, name)
		info, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		var text []byte
		if info.Mode().IsRegular() {
			if text, err = head(path); err != nil {
				return err
			}
		}
		if !info.Mode().IsRegular() || info.Size() > 0 && !marks[name].Match(text) {
			return fmt.Errorf("%s is not a report of jostle, so it is not overwritten: move it, or choose another folder", path)
		}
	}
	return nil
}

// head returns the first mostRead bytes of a file.
func head(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, mostRead))
}

// JSON returns the report as JSON.
func (r *Report) JSON() ([]byte, error) {
	text, err := json.MarshalIndent(r, "", "\t")
	return append(text, '\n'), err
}

// Write writes all files of the report into a folder. It creates the folder if necessary and
// replaces each file atomically. If Check returns an error, Write returns it and writes nothing.
func (r *Report) Write(folder string) error {
	if err := Check(folder); err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	files := []struct {
		name string
		make func() ([]byte, error)
	}{
		{HTMLFile, func() ([]byte, error) { return r.HTML(), nil }},
		{JUnitFile, r.JUnit},
		{SARIFFile, r.SARIF},
		{MarkdownFile, func() ([]byte, error) { return r.Markdown(), nil }},
		{JSONFile, r.JSON}, // written last, because the next report is compared with this file
	}
	for _, f := range files {
		text, err := f.make()
		if err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
		if err := corpus.Replace(filepath.Join(folder, f.name), text); err != nil {
			return err
		}
	}
	return nil
}

// Read returns the report in a folder. It returns fs.ErrNotExist if the folder has no report.
func Read(folder string) (*Report, error) {
	path := filepath.Join(folder, JSONFile)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	r := &Report{}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("%s is not a report: %w", path, err)
	}
	if r.Format != Format {
		return nil, fmt.Errorf("%s is a report of format %d, expected %d", path, r.Format, Format)
	}
	return r, nil
}
