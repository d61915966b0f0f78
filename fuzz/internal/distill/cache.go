package distill

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/jostle-go/jostle/corpus"
)

// A Key identifies a Cache. The cache holds the cases of one property of one module with
// one Fingerprint. Cases with a different Fingerprint may not fit the program.
type Key struct{ Module, Property, Fingerprint string }

// A Cache is a folder with the passing cases of a Key. Processes may share a Cache. They
// never wait for each other, never see incomplete files, and never lose cases that
// another process has saved. The zero Cache is empty and saves nothing.
//
// A process that replaces cases writes a new file with all cases to save. Then it deletes
// the files that it loaded, and no others. Files never change, and names are never
// reused. So a saved case is always in some file, unless there is no room. Two processes
// that replace the same files at once leave two files, which the next process merges.
type Cache struct {
	// Dir is the folder; "" means none.
	Dir string
	// Bytes limits the size of a file; zero means 256 KB. A file has at most 256 cases.
	// If there are more cases, only the first ones are saved. Therefore Basket.Fewest
	// puts the cases that add the most pairs first.
	Bytes int
}

const (
	folder     = "distill"
	extension  = ".cases"
	keySize    = 8 // the length of a key, in bytes
	usualBytes = 256 << 10
	// mostCases limits the number of cases in a file.
	mostCases = 256
	// mostFiles limits the number of files in a folder. Beyond this limit the oldest
	// files, which killed processes left, are deleted.
	mostFiles = 8
	// mostFolders limits the number of folders below a root. Beyond this limit the least
	// recently used folders are deleted.
	mostFolders = 128
	// abandoned is the age at which a temporary file is deleted, because the process
	// that wrote it was probably killed.
	abandoned = time.Hour
)

// Fingerprint returns a text that identifies the toolchain, the platform and, if the Go
// tool recorded them, the versions of the dependencies. It does not depend on the
// program's own source, because cases are needed most after a change of the program.
func Fingerprint() string {
	text := runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			text += " " + m.Path + "@" + m.Version
		}
	}
	return text
}

// In returns the cache of a key below the folder root, or the zero Cache if root is "".
func In(root string, k Key) Cache {
	if root == "" {
		return Cache{}
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q", k.Module, k.Property, k.Fingerprint))
	return Cache{Dir: filepath.Join(root, folder, hex.EncodeToString(sum[:keySize]))}
}

// A Held has the cases that Load has read, and the files that had them. Replace needs
// it.
type Held struct {
	// Cases are the loaded cases, in the order in which they were saved.
	Cases []corpus.Case
	files []string // the loaded files
}

// Load returns the cases of the cache. It skips files and cases that cannot be read.
func (c Cache) Load() (h Held) {
	seen := map[string]bool{}
	for _, path := range c.list() {
		h.files = append(h.files, path)
		list := split(c.read(path))
		for _, one := range list[:min(len(list), mostCases)] {
			if seen[one] {
				continue
			}
			seen[one] = true
			if decoded, err := corpus.Decode(path, []byte(one)); err == nil {
				decoded.Path = ""
				h.Cases = append(h.Cases, decoded)
			}
		}
	}
	return h
}

// list returns the paths of the cache's files, the newest first. If there are more than
// mostFiles files, it deletes the oldest files.
func (c Cache) list() (paths []string) {
	if c.Dir == "" {
		return nil
	}
	files, _ := os.ReadDir(c.Dir) // ignore the error: without a folder there are no files
	age := map[string]time.Time{}
	for _, file := range files {
		info, err := file.Info()
		if err != nil || !info.Mode().IsRegular() || filepath.Ext(file.Name()) != extension {
			continue
		}
		path := filepath.Join(c.Dir, file.Name())
		age[path] = info.ModTime()
		paths = append(paths, path)
	}
	slices.SortFunc(paths, func(a, b string) int { return cmp.Or(age[b].Compare(age[a]), strings.Compare(a, b)) })
	for _, path := range paths[min(len(paths), mostFiles):] {
		os.Remove(path)
	}
	return paths[:min(len(paths), mostFiles)]
}

// read returns the text of a file, or "" if the file cannot be read or is much larger
// than the limit.
func (c Cache) read(path string) (text string) {
	if info, err := os.Stat(path); err != nil || info.Size() > int64(16*c.size()) {
		return ""
	}
	b, _ := os.ReadFile(path)
	return string(b)
}

// size returns the size limit of a file.
func (c Cache) size() int {
	if c.Bytes > 0 {
		return c.Bytes
	}
	return usualBytes
}

// lastLine ends each case.
const lastLine = "\nend\n"

// split returns the texts of the cases in a file. It omits an incomplete case at the end
// of the file.
func split(text string) (list []string) {
	for {
		at := strings.Index(text, lastLine)
		if at < 0 {
			return list
		}
		at += len(lastLine)
		list = append(list, text[:at])
		text = text[at:]
	}
}

// Replace saves the given cases, followed by the cases in rest, in place of the cases of
// h. rest is for cases of h that the caller has not run. Replace saves as many cases as
// fit into a file, and returns the number of saved cases.
func (c Cache) Replace(h Held, cases, rest []corpus.Case) (kept int, err error) {
	if c.Dir == "" {
		return 0, nil
	}
	text, kept, err := c.join(slices.Concat(cases, rest))
	if err != nil {
		return 0, err
	}
	if h.unchanged(text) {
		return kept, nil
	}
	if len(text) > 0 {
		if err := c.write(text); err != nil {
			return 0, fmt.Errorf("cannot save the passing cases in %s: %w: make room or give access there, or set JOSTLE_CACHE to another folder", c.Dir, err)
		}
	}
	for _, path := range h.files {
		os.Remove(path) // ignore the error: another process may have removed the file
	}
	return kept, nil
}

// join returns the text of a cache file and the number of cases in the file. It adds the
// cases in order, and skips a case that does not fit.
func (c Cache) join(cases []corpus.Case) (text []byte, n int, err error) {
	for i := range cases[:min(len(cases), mostCases)] {
		one, err := corpus.Encode(cases[i])
		if err != nil {
			return nil, 0, err
		}
		if len(text)+len(one) <= c.size() {
			text = append(text, one...)
			n++
		}
	}
	return text, n, nil
}

// unchanged reports whether the only file of the cache already has this text. If so, it
// sets the file's modification time to now.
func (h *Held) unchanged(text []byte) bool {
	if len(h.files) != 1 {
		return len(h.files)+len(text) == 0
	}
	if there, err := os.ReadFile(h.files[0]); err != nil || !bytes.Equal(there, text) {
		return false
	}
	now := time.Now()
	err := os.Chtimes(h.files[0], now, now)
	return !errors.Is(err, fs.ErrNotExist) // if the file no longer exists, another process has deleted it and saved its own cases
}

// write writes a file under a new name.
func (c Cache) write(text []byte) error {
	if err := os.MkdirAll(c.Dir, 0o755); err != nil {
		return err
	}
	c.clear()
	sum := sha256.Sum256(fmt.Append(slices.Clip(text), time.Now().UnixNano(), os.Getpid()))
	return corpus.Replace(filepath.Join(c.Dir, hex.EncodeToString(sum[:16])+extension), text)
}

// clear deletes the temporary files of killed processes. If there are more than
// mostFolders caches below the root, it also deletes the least recently used caches.
func (c Cache) clear() {
	aside, _ := filepath.Glob(filepath.Join(c.Dir, ".*.tmp"))
	for _, path := range aside {
		if info, err := os.Lstat(path); err == nil && time.Since(info.ModTime()) > abandoned {
			os.Remove(path)
		}
	}
	if filepath.Base(filepath.Dir(c.Dir)) != folder {
		return
	}
	all, _ := filepath.Glob(filepath.Join(filepath.Dir(c.Dir), strings.Repeat("[0-9a-f]", 2*keySize)))
	all = slices.DeleteFunc(all, func(dir string) bool { return dir == c.Dir })
	if len(all) < mostFolders {
		return
	}
	age := map[string]time.Time{}
	for _, dir := range all {
		if paths := (Cache{Dir: dir}).list(); len(paths) > 0 {
			if info, err := os.Stat(paths[0]); err == nil {
				age[dir] = info.ModTime()
			}
		}
	}
	slices.SortFunc(all, func(a, b string) int { return age[a].Compare(age[b]) })
	for _, dir := range all[:len(all)-mostFolders+1] {
		(Cache{Dir: dir}).remove()
	}
}

// remove deletes the files of the cache, and its folder if it is then empty.
func (c Cache) remove() {
	for _, path := range c.list() {
		os.Remove(path)
	}
	os.Remove(c.Dir)
}
