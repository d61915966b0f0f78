package finding

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/jostle-go/jostle/fuzz/internal/record"
	"github.com/jostle-go/jostle/props"
)

// mostPaged is the maximum number of steps that a page shows.
const mostPaged = 10_000

// AddPages writes the pages of a finding next to its case and sets kept.Page, if the finding
// was saved.
func (f *Finding) AddPages(r *props.Runner, kept *record.Kept) error {
	if !kept.Saved() {
		return nil
	}
	err := f.WritePages(r, kept.Path)
	if err == nil {
		kept.Page = beside(kept.Path, ".html")
	}
	return err
}

// WritePages writes the finding as HTML, JSON and a Mermaid diagram next to its saved case at
// path: x.html, x.json and x.mmd next to x.case. It calls Look if necessary. If Look records
// nothing, there is no diagram.
func (f *Finding) WritePages(r *props.Runner, path string) error {
	if f.Seen == nil {
		f.Look(r)
	}
	p := f.Record("")
	p.Case = "" // the text of the case is in the file of the case
	text, err := p.JSON()
	if err == nil {
		err = os.WriteFile(beside(path, ".json"), text, 0o644)
	}
	if err == nil && f.Seen != nil && f.Seen.Diagram != "" {
		err = os.WriteFile(beside(path, ".mmd"), []byte(f.Seen.Diagram), 0o644)
	}
	if err == nil {
		err = os.WriteFile(beside(path, ".html"), p.HTML(), 0o644)
	}
	if err != nil {
		return fmt.Errorf("the case is saved, but not its pages: %w", err)
	}
	return nil
}

// pages are the extensions of the files that WritePages writes.
var pages = []string{".html", ".json", ".mmd"}

// beside returns the path of a case with its extension replaced by ending.
func beside(path, ending string) string {
	return strings.TrimSuffix(path, filepath.Ext(path)) + ending
}

// movePages renames the pages of a case whose file was renamed.
func movePages(from, to string) {
	for _, ending := range pages {
		os.Rename(beside(from, ending), beside(to, ending)) // the page may not exist
	}
}

// removePages removes the pages of the case at path.
func removePages(path string) {
	for _, ending := range pages {
		os.Remove(beside(path, ending))
	}
}
