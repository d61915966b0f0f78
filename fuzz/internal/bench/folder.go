package bench

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/jostle-go/jostle/fuzz/subjects"
)

// The files of a folder with a table. There may also be a plot for each subject.
const (
	RunsFile  = "runs.csv"  // a row for every search
	TableFile = "table.txt" // the text of Table.Text
)

// ReadFolder reads the table of a folder. If the folder has no table, ReadFolder returns an
// empty table, or an error if WriteFolder would overwrite files that bench did not write.
func ReadFolder(folder string) (*Table, error) {
	path := filepath.Join(folder, RunsFile)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &Table{}, foreign(folder)
	}
	if err != nil {
		return nil, err
	}
	t, err := readCSV(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

// foreign returns an error if a folder without a table has a file that WriteFolder would
// replace.
func foreign(folder string) error {
	names := []string{TableFile}
	for _, s := range subjects.All() {
		names = append(names, s.Name+".svg")
	}
	for _, name := range names {
		path := filepath.Join(folder, name)
		if _, err := os.Lstat(path); err == nil {
			return fmt.Errorf("%s is not written by jostle (there is no %s): choose another folder", path, RunsFile)
		}
	}
	return nil
}

// WriteFolder writes the table into a folder, as CSV and as text, and as plots if plots is
// set. If the folder already has a table, its cells are replaced, except the cells that t
// does not have.
func (t *Table) WriteFolder(folder string, plots bool) error {
	old, err := ReadFolder(folder)
	if err != nil {
		return err
	}
	t = t.over(old)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	var lines bytes.Buffer
	if err := t.writeCSV(&lines); err != nil {
		return err
	}
	files := map[string][]byte{RunsFile: lines.Bytes(), TableFile: []byte(t.Text())}
	for _, name := range t.Subjects() {
		if plots {
			files[name+".svg"] = []byte(t.plot(name))
		}
	}
	for name, data := range files {
		err = errors.Join(err, os.WriteFile(filepath.Join(folder, name), data, 0o644))
	}
	return err
}

// over returns a table with the cells of t and those cells of the old table that t does
// not have. The cells are in the order of subjects and arms. over drops cells of subjects
// and arms that no longer exist.
func (t *Table) over(old *Table) *Table {
	all := &Table{}
	for _, s := range subjects.All() {
		for _, a := range Arms() {
			c := t.Cell(s.Name, a.Name)
			if len(c) == 0 {
				c = old.Cell(s.Name, a.Name)
			}
			all.Searches = append(all.Searches, c...)
		}
	}
	return all
}
