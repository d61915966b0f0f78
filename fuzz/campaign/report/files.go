package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

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

// JSON returns a report as JSON.
func (r *Report) JSON() ([]byte, error) {
	text, err := json.MarshalIndent(r, "", "\t")
	return append(text, '\n'), err
}

// Write writes all files of a report into a folder, which it makes if need be. Whoever
// reads one meanwhile sees the old one or the new one.
func (r *Report) Write(folder string) error {
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
		{JSONFile, r.JSON}, // last: the next report is compared with it
	}
	for _, f := range files {
		text, err := f.make()
		if err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
		temp, err := corpus.WriteAside(folder, text)
		if err != nil {
			return err
		}
		if err = os.Chmod(temp, 0o644); err == nil {
			err = os.Rename(temp, filepath.Join(folder, f.name))
		}
		if err != nil {
			return errors.Join(err, os.Remove(temp))
		}
	}
	return nil
}

// Read returns the report in a folder. The error is fs.ErrNotExist if there is none.
func Read(folder string) (*Report, error) {
	path := filepath.Join(folder, JSONFile)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	r := &Report{}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("%s is no report: %w", path, err)
	}
	if r.Format != Format {
		return nil, fmt.Errorf("%s is a report of format %d, expected %d", path, r.Format, Format)
	}
	return r, nil
}
