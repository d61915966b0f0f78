package corpus

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A Folder is a folder of the file system with the cases of one property. It need not exist,
// because Save creates it.
type Folder struct {
	Dir string
	// Property is the name of the property. If it is "", the folder may have cases of all
	// properties.
	Property string
}

// FolderOf returns the folder of a property below the folder root. If root is "", testdata/jostle
// is used.
func FolderOf(root, property string) Folder {
	if root == "" {
		root = filepath.FromSlash(besideTest)
	}
	return Folder{Dir: filepath.Join(root, folderName(property)), Property: property}
}

// Load returns all cases of the folder, sorted by Case.Compare and then by file name. The
// smallest case, which is the easiest to understand, comes first.
//
// If a file cannot be read or belongs to another property, Load adds an error to problems and
// continues with the next file.
func (f Folder) Load() (cases []Case, problems []error) {
	names, err := f.names()
	if err != nil {
		return nil, []error{fmt.Errorf("the cases of %s cannot be read: %w: give access to the folder, or remove the file that has its name", f.Dir, err)}
	}
	for _, name := range names {
		c, err := f.read(filepath.Join(f.Dir, name))
		if err != nil {
			problems = append(problems, err)
			continue
		}
		cases = append(cases, c)
	}
	slices.SortStableFunc(cases, func(a, b Case) int { return a.Compare(&b) })
	return cases, problems
}

// LoadOld returns the cases of version 1 of the file format, which have no property. In version 1
// each test, not each property, had a folder.
func (f Folder) LoadOld() (cases []Case, problems []error) {
	cases, problems = f.Load()
	return slices.DeleteFunc(cases, func(c Case) bool { return c.Property != "" }), problems
}

// names returns those names of files and folders in folder f that end in ".case", sorted.
func (f Folder) names() (list []string, err error) {
	files, err := os.ReadDir(f.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, file := range files {
		if filepath.Ext(file.Name()) == extension && !strings.HasPrefix(file.Name(), ".") {
			list = append(list, file.Name())
		}
	}
	return list, err
}

// largest limits the size of a case file in bytes. A run of a million steps needs a quarter of
// this size. A larger file would use too much memory of the tests.
const largest = 64 << 20

func (f Folder) read(path string) (Case, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
	case info.IsDir():
		return Case{}, fmt.Errorf("a case cannot be read: %s is a folder: give it a name that does not end in %s", path, extension)
	case !info.Mode().IsRegular(): // opening a named pipe would wait forever
		return Case{}, fmt.Errorf("a case cannot be read: %s is not a regular file (%v): delete it", path, info.Mode().Type())
	case info.Size() > largest:
		return Case{}, fmt.Errorf("%s:1: the file has %d MB, expected at most %d: %s", path, info.Size()>>20, largest>>20, restore)
	}
	var text []byte
	if err == nil {
		text, err = os.ReadFile(path)
	}
	if err != nil {
		return Case{}, fmt.Errorf("a case cannot be read: %w: give access to the file, or delete it", err)
	}
	c, err := Decode(path, text)
	if err == nil && f.Property != "" {
		err = c.Of(f.Property)
	}
	return c, err
}

// Find returns an error that wraps ErrElsewhere if the case belongs to a different property.
var ErrElsewhere = errors.New("the case belongs to a different property")

// Find returns the case with the given name. The name is the path of a file, the name of a file
// in the folder, or the beginning of exactly one name of a file in the folder.
func (f Folder) Find(name string) (Case, error) {
	if info, err := os.Stat(name); err == nil && !info.IsDir() {
		return f.readMine(name)
	}
	names, err := f.names()
	if err != nil {
		return Case{}, fmt.Errorf("case %q cannot be searched for: %w", name, err)
	}
	var found []string
	for _, file := range names {
		if file == name || file == name+extension {
			return f.read(filepath.Join(f.Dir, file))
		}
		if strings.HasPrefix(file, name) {
			found = append(found, file)
		}
	}
	switch len(found) {
	case 0:
		if other := f.elsewhere(name); other != "" {
			return Case{}, fmt.Errorf("case %q is in %s: %w", name, other, ErrElsewhere)
		}
		return Case{}, fmt.Errorf("there is no case %q: give the path of a file, or the name of one in %s, where there are %s",
			name, f.Dir, listed(names))
	case 1:
		return f.read(filepath.Join(f.Dir, found[0]))
	}
	return Case{}, fmt.Errorf("case %q may be one of %s: give more of the name", name, listed(found))
}

// readMine reads the case at path. The error wraps ErrElsewhere if the case does not belong to
// the property of the folder.
func (f Folder) readMine(path string) (Case, error) {
	whole := Folder{Dir: f.Dir}
	c, err := whole.read(path)
	if err == nil && f.Property != "" {
		if other := c.Of(f.Property); other != nil {
			return Case{}, errors.Join(ErrElsewhere, other)
		}
	}
	return c, err
}

// elsewhere returns the folder of a different property that has a case with the given name, or ""
// if there is none. It searches the folders next to folder f.
func (f Folder) elsewhere(name string) string {
	root := filepath.Dir(f.Dir)
	folders, _ := os.ReadDir(root) // ignore the error: without a folder there are no cases
	for _, other := range folders {
		dir := filepath.Join(root, other.Name())
		names, _ := Folder{Dir: dir}.names() // ignore the error: without a folder there are no cases
		for _, file := range names {
			if dir != f.Dir && strings.HasPrefix(file, name) {
				return dir
			}
		}
	}
	return ""
}

func listed(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// Save writes a case to a new file and returns the path of the file. If the folder already has a
// case that is the Same, Save returns the path of the existing case and false.
//
// The file is written atomically, and Save overwrites no file. The name of the file depends on
// its whole text.
func (f Folder) Save(c Case) (path string, fresh bool, err error) {
	if f.Property != "" && c.Property != f.Property {
		return "", false, fmt.Errorf("the case cannot be saved in %s: it is of the property %q, expected %q", f.Dir, c.Property, f.Property)
	}
	text, err := Encode(c)
	if err != nil {
		return "", false, err
	}
	if len(text) > largest {
		return "", false, fmt.Errorf("the case cannot be saved in %s: it has %d MB, expected at most %d: give its run fewer steps",
			f.Dir, len(text)>>20, largest>>20)
	}
	if path, fresh, err = f.save(unlike(text), c.key()); err != nil {
		return "", false, f.unsaved(err)
	}
	return path, fresh, nil
}

// unsaved returns the error to report if a case cannot be saved because of err.
func (f Folder) unsaved(err error) error {
	return fmt.Errorf("the case cannot be saved in %s: %w: make room or give access there, or set JOSTLE_OUT to another folder", f.Dir, err)
}

// Rewrite replaces the file at c.Path by a file with the text of c. The old file must have a case
// that is the Same as c, but may differ in comment, condition or explanation. Rewrite returns the
// new path, because the name of a file depends on its text. After a crash, the old file, the new
// file or both exist.
func (f Folder) Rewrite(c Case) (path string, err error) {
	if !f.owns(c.Path) {
		return "", fmt.Errorf("%q is not a case of %s: it is not rewritten", c.Path, f.Dir)
	}
	text, err := Encode(c)
	if err != nil {
		return "", err
	}
	key := c.key()
	if !f.holds(filepath.Base(c.Path), key) {
		return "", fmt.Errorf("%s does not hold this case: it is not rewritten", c.Path)
	}
	if path, _, err = f.write(unlike(text), key); err != nil {
		return "", f.unsaved(err)
	}
	if filepath.Base(path) == filepath.Base(c.Path) {
		return path, nil
	}
	return path, os.Remove(c.Path)
}

// IsAsSaved reports whether the file of a case in the folder has the name that Save gives to a
// file with its text. If not, somebody has changed or renamed the file.
func (f Folder) IsAsSaved(c Case) bool {
	text, err := os.ReadFile(c.Path)
	if err != nil || !f.owns(c.Path) {
		return false
	}
	key, hash, _ := strings.Cut(strings.TrimSuffix(filepath.Base(c.Path), extension), "-")
	return key == c.key()[:shortest] && len(hash) >= shortest && strings.HasPrefix(hashOf(text), hash)
}

// hashOf returns the hash of a case's text. The name of the case's file has the first digits of
// this hash.
func hashOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// owns reports whether a path is the path of a case file in the folder.
func (f Folder) owns(path string) bool {
	return filepath.Clean(filepath.Dir(path)) == filepath.Clean(f.Dir) && filepath.Ext(path) == extension
}

func (f Folder) save(text []byte, key string) (path string, fresh bool, err error) {
	if err := os.MkdirAll(f.Dir, 0o777); err != nil {
		return "", false, err
	}
	names, err := f.names()
	if err != nil {
		return "", false, err
	}
	for _, name := range names {
		if strings.HasPrefix(name, key[:shortest]) && f.holds(name, key) {
			return filepath.Join(f.Dir, name), false, nil
		}
	}
	f.clear()
	return f.write(text, key)
}

// write writes the text of a case to a new file and returns the path of the new file. If a file
// with this text exists already, write returns the path of the existing file and false.
func (f Folder) write(text []byte, key string) (path string, fresh bool, err error) {
	temp, err := WriteAside(f.Dir, text)
	if err != nil {
		return "", false, err
	}
	defer os.Remove(temp)
	return f.publish(temp, key, text)
}

// abandoned is the age at which clear deletes a temporary file, because the process that wrote it
// was probably killed.
const abandoned = time.Hour

// clear deletes temporary files of processes that were killed while they saved a case. It ignores
// errors.
func (f Folder) clear() {
	files, _ := os.ReadDir(f.Dir)
	for _, file := range files {
		if !isAside(file.Name()) {
			continue
		}
		info, err := file.Info()
		if err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) >= abandoned {
			os.Remove(filepath.Join(f.Dir, file.Name()))
		}
	}
}

// isAside reports whether a file has a name like those that WriteAside chooses for temporary
// files.
func isAside(name string) bool {
	number, dotted := strings.CutPrefix(name, ".")
	number, temporary := strings.CutSuffix(number, ".tmp")
	return dotted && temporary && number != "" && strings.Trim(number, "0123456789") == ""
}

// holds reports whether the file with the given name in the folder has the case with the given
// key (see Case.key). It returns false for a file that cannot be read.
func (f Folder) holds(name, key string) bool {
	c, err := f.read(filepath.Join(f.Dir, name))
	return err == nil && c.key() == key
}

// Replace writes a text to the file at path atomically. If the file exists, Replace replaces it.
// Even if the process is killed, the file has either the old text or the new text.
func Replace(path string, text []byte) error {
	temp, err := WriteAside(filepath.Dir(path), text)
	if err != nil {
		return err
	}
	if err := os.Rename(temp, path); err != nil {
		return errors.Join(err, os.Remove(temp))
	}
	return nil
}

// WriteAside writes a text to a new temporary file in the folder dir, and syncs the file to the
// disk. Folder.Load ignores temporary files. The caller must rename the file.
func WriteAside(dir string, text []byte) (path string, err error) {
	file, err := os.CreateTemp(dir, ".*.tmp")
	if err != nil {
		return "", err
	}
	_, err = file.Write(text)
	if err = errors.Join(err, file.Sync(), file.Chmod(0o644), file.Close()); err != nil {
		return "", errors.Join(err, os.Remove(file.Name()))
	}
	return file.Name(), nil
}

// publish renames a temporary file to an unused name, and returns the new path. The new name
// consists of the first digits of key and the first digits of the hash of the text. If a
// different process has saved the same text in the meantime, publish returns the path of that
// process's file and false.
func (f Folder) publish(temp, key string, text []byte) (path string, fresh bool, err error) {
	hash := hashOf(text)
	for digits := shortest; digits <= len(hash); digits++ {
		path = filepath.Join(f.Dir, key[:shortest]+"-"+hash[:digits]+extension)
		if err = rename(temp, path); !errors.Is(err, fs.ErrExist) {
			return path, err == nil, err
		}
		if there, err := os.ReadFile(path); err == nil && bytes.Equal(there, text) {
			return path, false, nil
		}
	}
	return "", false, err
}

// rename renames a file, or returns fs.ErrExist if the new name is in use. On file systems
// without links, it may overwrite a file that another process creates under the new name at the
// same time.
func rename(temp, path string) error {
	err := os.Link(temp, path)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	if _, err := os.Lstat(path); err == nil {
		return fs.ErrExist
	}
	return os.Rename(temp, path)
}

// Remove deletes the file of a case in the folder.
func (f Folder) Remove(c Case) error {
	if !f.owns(c.Path) {
		return fmt.Errorf("%q is not a case of %s: it is not removed", c.Path, f.Dir)
	}
	return os.Remove(c.Path)
}
