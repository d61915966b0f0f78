package desk

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/fuzz/internal/env"
)

// IsCase reports whether a file with this name is a case.
func IsCase(name string) bool {
	return filepath.Ext(name) == ".case" && !strings.HasPrefix(name, ".")
}

// ErrAmbiguous is in the error for a name with which several cases begin.
var ErrAmbiguous = errors.New("ambiguous")

// ErrNoOwner is in the error for a case if the Desk does not have the property of the case.
var ErrNoOwner = errors.New("belongs to no property here: give its package")

// Named returns the path whose file name is name, with or without .case. If there is none, it
// returns the only path whose file name starts with name.
func Named(all []string, name string) (path string, err error) {
	var found, exact []string
	for _, path := range all {
		file := filepath.Base(path)
		if strings.HasPrefix(file, name) {
			found = append(found, path)
		}
		if strings.TrimSuffix(file, ".case") == strings.TrimSuffix(name, ".case") {
			exact = append(exact, path)
		}
	}
	if len(exact) > 0 {
		found = exact
	}
	switch len(found) {
	case 0:
		return "", fmt.Errorf("there is no case %q: give the path of a case file or the start of its name (cases here: %s)", name, cmp.Or(shownAll(all), "none"))
	case 1:
		return found[0], nil
	}
	return "", fmt.Errorf("case %q is %w (%s): give more of the name, or the path", name, ErrAmbiguous, shownAll(found))
}

// owners returns the case with the given name, and the numbers of the properties to which the case may
// belong: those that save their cases in the same folder and under the same name. Several calls to
// fuzz.Check in one test have the same name.
func (d *Desk) owners(name string) (owners []int, c *corpus.Case, err error) {
	path, first := d.caseNamed(name)
	if path == "" {
		return nil, nil, first
	}
	for i := range d.subjects {
		c, err := d.subjects[i].Cases().Find(path)
		if err == nil {
			return d.Namesakes(i), &c, nil
		}
		if first == nil || errors.Is(err, corpus.ErrElsewhere) {
			first = err
		}
	}
	if errors.Is(first, corpus.ErrElsewhere) {
		first = fmt.Errorf("the case %s %w", name, ErrNoOwner)
	}
	return nil, nil, first
}

// Namesakes returns the numbers of the properties that save their cases in the same folder and under
// the same name as the given property, which is one of them.
func (d *Desk) Namesakes(property int) (list []int) {
	s := &d.subjects[property].Property
	for i := range d.subjects {
		if o := &d.subjects[i].Property; o.Folder == s.Folder && o.Name == s.Name {
			list = append(list, i)
		}
	}
	return list
}

// caseNamed returns the path of the saved case whose name starts with name, among the cases of the
// properties. If name is the path of a file, caseNamed returns name. If several cases match, it
// returns "" and an error. If no case matches, it returns name and an error. The caller may still
// find name in a folder of cases.
func (d *Desk) caseNamed(name string) (path string, err error) {
	if info, err := os.Stat(name); err == nil && !info.IsDir() {
		return name, nil
	}
	var all []string
	for i := range d.subjects {
		dir := d.subjects[i].Property.Folder
		files, err := os.ReadDir(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("cannot look for case %q: %w", name, err)
		}
		for _, f := range files {
			if path := filepath.Join(dir, f.Name()); IsCase(f.Name()) && !slices.Contains(all, path) {
				all = append(all, path)
			}
		}
	}
	path, err = Named(all, name)
	if err != nil && !errors.Is(err, ErrAmbiguous) {
		path = name
	}
	return path, err
}

// shownAll returns the first few of the paths, and the number of the others, as text.
func shownAll(paths []string) string {
	const most = 10
	list := slices.Clone(paths[:min(len(paths), most)])
	for i := range list {
		list[i] = env.Shown(list[i])
	}
	if more := len(paths) - most; more > 0 {
		list = append(list, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(list, ", ")
}
