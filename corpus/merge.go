package corpus

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// ErrWords is wrapped by an error of Merge if two files with one name have the same
// run and different text.
var ErrWords = errors.New("the same run with another text")

// Merge adds the case of a file in another folder, c.Path, as git does when it merges
// two branches: with its name and text. It returns the file that has the case, and
// false if the folder already had it. The other folder does not change.
//
// Of two files with the same run, the one with a condition stays, else the one that
// was there. An error that wraps ErrWords is a conflict: people have changed the text
// of a file. The file in the folder then stays as it is.
func (f Folder) Merge(c Case) (path string, fresh bool, err error) {
	if f.Property != "" {
		if err := c.Of(f.Property); err != nil {
			return "", false, err
		}
	}
	text, err := os.ReadFile(c.Path)
	if err != nil {
		return "", false, fmt.Errorf("a case cannot be read: %w: give access to the file", err)
	}
	if _, err := Encode(c); err != nil {
		return "", false, err
	}
	there, err := f.same(&c)
	switch {
	case err != nil:
		return "", false, f.unsaved(err)
	case there == nil:
	case there.Condition != "" || c.Condition == "":
		if filepath.Base(there.Path) == filepath.Base(c.Path) && !has(there.Path, text) {
			err = fmt.Errorf("%s and %s: %w", there.Path, c.Path, ErrWords)
		}
		return there.Path, false, err
	}
	if path, err = f.add(c.Path, text, c.key()); err != nil {
		return "", false, f.unsaved(err)
	}
	if there != nil {
		err = f.Remove(*there)
	}
	return path, true, err
}

// same returns the case of the folder that is the same as another, nil if there is none.
func (f Folder) same(c *Case) (*Case, error) {
	names, err := f.names()
	if err != nil {
		return nil, err
	}
	key := c.key()
	for _, name := range names {
		if !strings.HasPrefix(name, key[:shortest]) {
			continue
		}
		if there, err := f.read(filepath.Join(f.Dir, name)); err == nil && there.key() == key {
			return &there, nil
		}
	}
	return nil, nil
}

// add writes the text of a case to the folder. The file keeps its name, or gets a new
// one if that is taken.
func (f Folder) add(from string, text []byte, key string) (path string, err error) {
	if err := os.MkdirAll(f.Dir, 0o777); err != nil {
		return "", err
	}
	f.clear()
	temp, err := WriteAside(f.Dir, text)
	if err != nil {
		return "", err
	}
	defer os.Remove(temp)
	path = filepath.Join(f.Dir, filepath.Base(from))
	if err = rename(temp, path); errors.Is(err, fs.ErrExist) {
		path, _, err = f.publish(temp, key, text)
	}
	return path, err
}

// has reports whether a file has a text.
func has(path string, text []byte) bool {
	there, err := os.ReadFile(path)
	return err == nil && bytes.Equal(there, text)
}

// Thin removes the cases that are Alike to a smaller one, and returns their paths. It
// runs nothing: a case that can no longer run as it was saved counts like any other.
// Cases of function literals stay, since those of a test share a folder, and so do
// cases that were not run yet.
func (f Folder) Thin() (gone []string, err error) {
	cases, _ := f.Load() // the smallest first; those with problems stay
	var stays []*Case
next:
	for i := range cases {
		c := &cases[i]
		for _, smaller := range stays {
			if c.Alike(smaller) && !c.OfLiteral() && !c.Planned() && !smaller.Planned() {
				if err := f.Remove(*c); err != nil {
					return gone, err
				}
				gone = append(gone, c.Path)
				continue next
			}
		}
		stays = append(stays, c)
	}
	return gone, nil
}
