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

// Merge returns an error that wraps ErrWords if two files have the same name and the same run,
// but different texts.
var ErrWords = errors.New("the files record the same run with different texts")

// Merge copies the case in the file c.Path, which is in another folder, with its name and text.
// It returns the path of the file that has the case in folder f. fresh is false if the folder
// already had the case.
//
// If the folder has a file with the same run, Merge keeps the file that has a condition, or the
// existing file if both or neither have one. If somebody has changed the text of a file, so that
// two files with the same name differ, Merge keeps the existing file and returns an error that
// wraps ErrWords.
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

// same returns the case in the folder that is the Same as c, or nil if there is none.
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

// add copies the file of a case, at the path from, to the folder, and returns the path of the
// copy. The copy has the same name, or a different name if the name is in use.
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

// has reports whether the content of the file at path is text.
func has(path string, text []byte) bool {
	there, err := os.ReadFile(path)
	return err == nil && bytes.Equal(there, text)
}

// Thin removes each case that is Alike to a smaller case in the folder, and returns the paths of
// the removed cases. It does not run cases, so the smaller case may be one that no longer runs as
// it was saved. Thin keeps planned cases. It also keeps cases of function literals, because they
// may belong to different properties.
func (f Folder) Thin() (gone []string, err error) {
	cases, _ := f.Load() // the smallest case comes first; files with problems are kept
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
