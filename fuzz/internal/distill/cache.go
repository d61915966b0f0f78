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

// A Key says which cases belong together: those of one property of one module, and of
// one fingerprint, which is whatever makes cases of no use to another program.
type Key struct{ Module, Property, Fingerprint string }

// A Cache is a folder with the passing cases of a key. Processes may share it: none ever
// waits for another, or sees half a file, or loses what another has kept. The zero Cache
// has nothing and keeps nothing.
//
// Each process that replaces what it has loaded writes a file of all that it keeps, and
// only then deletes the files that it has loaded, and no others. No file is ever changed,
// and no name given twice. So what a file had is always in some file, as far as there
// is room for it, and two processes that replace the same files at once leave two, which
// the next makes one.
type Cache struct {
	// Dir is the folder; "" is none.
	Dir string
	// Bytes is how large a file may be; zero means 256 KB. It has at most 256 cases. What comes first stays, which of
	// a Basket's cases are those that show most.
	Bytes int
}

const (
	folder     = "distill"
	extension  = ".cases"
	keySize    = 8 // bytes
	usualBytes = 256 << 10
	// mostCases is how many cases a file has at most.
	mostCases = 256
	// mostFiles is how many files of a folder are read, the newest, and kept; others were
	// left by processes that were killed.
	mostFiles = 8
	// mostFolders is how many folders stay below a root, those that were used last.
	mostFolders = 128
	// abandoned is after how long a file that was written aside belongs to nobody.
	abandoned = time.Hour
)

// Fingerprint returns what tells this program's toolchain, platform and, where the Go tool
// notes them, the versions of its dependencies from others. It stays the same when the
// program is changed: its cases are most wanted then, and are kept as they run now.
func Fingerprint() string {
	text := runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			text += " " + m.Path + "@" + m.Version
		}
	}
	return text
}

// In returns the cache of a key below a root, which "" says is none.
func In(root string, k Key) Cache {
	if root == "" {
		return Cache{}
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q", k.Module, k.Property, k.Fingerprint))
	return Cache{Dir: filepath.Join(root, folder, hex.EncodeToString(sum[:keySize]))}
}

// A Held is what was loaded.
type Held struct {
	// Cases are in the order in which they were kept.
	Cases []corpus.Case
	files []string
}

// Load returns what the cache has. What cannot be read is left out.
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

// list returns the files of the cache, the newest first, and deletes those that are too
// many.
func (c Cache) list() (paths []string) {
	if c.Dir == "" {
		return nil
	}
	files, _ := os.ReadDir(c.Dir) // none where there is no folder
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

// read returns the text of a file; none if it is much larger than one of this cache, or
// cannot be read.
func (c Cache) read(path string) (text string) {
	if info, err := os.Stat(path); err != nil || info.Size() > int64(16*c.size()) {
		return ""
	}
	b, _ := os.ReadFile(path)
	return string(b)
}

// size is how large a file may be.
func (c Cache) size() int {
	if c.Bytes > 0 {
		return c.Bytes
	}
	return usualBytes
}

// lastLine is the last line of each case.
const lastLine = "\nend\n"

// split returns the texts of the cases in a file. What is cut off at its end is none.
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

// Replace keeps cases in place of those that were held, as many as there is room for.
// Rest are held ones of which the caller has not found out what they show: they come
// last. Replace returns how many it has kept.
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
			return 0, fmt.Errorf("the passing cases cannot be kept in %s: %w: make room or give access there, or set JOSTLE_CACHE to another folder", c.Dir, err)
		}
	}
	for _, path := range h.files {
		os.Remove(path) // if another process has done so, all the better
	}
	return kept, nil
}

// join returns the text of a file with as many of the cases as it may have, and their
// number.
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

// unchanged reports whether what is to be kept is what is there, which is marked as used.
func (h *Held) unchanged(text []byte) bool {
	if len(h.files) != 1 {
		return len(h.files)+len(text) == 0
	}
	if there, err := os.ReadFile(h.files[0]); err != nil || !bytes.Equal(there, text) {
		return false
	}
	now := time.Now()
	err := os.Chtimes(h.files[0], now, now)
	return !errors.Is(err, fs.ErrNotExist) // else it was deleted meanwhile, with what another process keeps
}

// write writes a file with a name that none has had.
func (c Cache) write(text []byte) error {
	if err := os.MkdirAll(c.Dir, 0o755); err != nil {
		return err
	}
	c.clear()
	sum := sha256.Sum256(fmt.Append(slices.Clip(text), time.Now().UnixNano(), os.Getpid()))
	return corpus.Replace(filepath.Join(c.Dir, hex.EncodeToString(sum[:16])+extension), text)
}

// clear deletes what killed processes have left in the folder, and the caches beside it
// that nobody has used for longest, when there are too many.
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

// remove deletes the files of the cache, and its folder if nobody else has put anything
// there.
func (c Cache) remove() {
	for _, path := range c.list() {
		os.Remove(path)
	}
	os.Remove(c.Dir)
}
