package flight

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Folder is where records are; "" is none, in which nothing is recorded.
type Folder string

// In returns the folder of records below a root, which "" says is none.
func In(root string) Folder {
	if root == "" {
		return ""
	}
	return Folder(filepath.Join(root, "flight"))
}

const (
	extension = ".flight"
	unready   = ".new" // while it is not locked
	// mostKept is how many records of the dead a folder keeps.
	mostKept = 100
	keySize  = 16
)

// key is what the names of all records of a call begin with.
func (c *Call) key() string {
	sum := sha256.Sum256([]byte(strings.Join([]string{c.Dir, c.Test, c.Verb, c.Func}, "\x00")))
	return hex.EncodeToString(sum[:keySize/2])
}

// A Recorder notes which run is on. A nil one does nothing.
type Recorder struct {
	path string
	file *os.File
	head []uint64 // the mapped words
}

// Record begins a record, which nobody takes for that of a dead process until End.
// It returns nil when that cannot be done.
func (f Folder) Record(r Record) *Recorder {
	if f == "" || os.MkdirAll(string(f), 0o755) != nil {
		return nil
	}
	f.prune()
	file, err := os.CreateTemp(string(f), r.key()+"-*"+unready)
	if err != nil {
		return nil
	}
	rec := &Recorder{path: strings.TrimSuffix(file.Name(), unready) + extension, file: file}
	// What is mapped must be on the disk: where there is no room for it, a store
	// would end the process.
	if _, err = file.Write(encode(&r)); err == nil && lock(file) {
		rec.head, _ = mapHead(file)
	}
	if rec.head == nil || os.Rename(file.Name(), rec.path) != nil {
		os.Remove(file.Name())
		unmapHead(rec.head)
		file.Close()
		return nil
	}
	return rec
}

// End removes the record. No slot of it may be used any more.
func (r *Recorder) End() {
	if r == nil {
		return
	}
	os.Remove(r.path)
	unmapHead(r.head)
	r.file.Close()
}

// Slot returns the slot of a worker, by its number from 0.
func (r *Recorder) Slot(worker int) Slot {
	if r == nil || firstWord+worker >= headWords {
		return Slot{}
	}
	return Slot{&r.head[firstWord+worker]}
}

// A Slot notes the runs of one worker. The zero Slot notes nothing.
type Slot struct{ word *uint64 }

// Begin notes that a run begins, by its number in the phase, from 0.
func (s Slot) Begin(p Phase, index int) {
	if s.word != nil {
		*s.word = uint64(p)<<phaseShift | uint64(index+1)
	}
}

// prune removes the oldest records of the dead when there are too many.
func (f Folder) prune() {
	files, err := os.ReadDir(string(f))
	if err != nil || len(files) <= mostKept {
		return
	}
	age := func(e os.DirEntry) int64 {
		if info, err := e.Info(); err == nil {
			return info.ModTime().UnixNano()
		}
		return 0
	}
	slices.SortFunc(files, func(a, b os.DirEntry) int { return int(min(1, max(-1, age(a)-age(b)))) })
	for _, e := range files[:len(files)-mostKept] {
		if ext := filepath.Ext(e.Name()); ext != extension && ext != unready {
			continue
		}
		if file := claim(filepath.Join(string(f), e.Name())); file != nil {
			os.Remove(file.Name())
			file.Close()
		}
	}
}

// claim opens and locks the file at a path. It returns nil when somebody else holds
// it, and when it is gone.
func claim(path string) *os.File {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() { // to open a named pipe would wait for ever
		return nil
	}
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil
	}
	if lock(file) && isAt(file, path) {
		return file
	}
	file.Close()
	return nil
}

// isAt reports whether a file that is locked now is still at its path: who held it may
// have removed it.
func isAt(file *os.File, path string) bool {
	now, err := os.Stat(path)
	own, err2 := file.Stat()
	return err == nil && err2 == nil && os.SameFile(now, own)
}

// A Left is a record that a dead process has left. Its holder has it alone.
type Left struct {
	Record
	file *os.File
}

// Left returns what dead processes have left of a call, in no more than one record
// for each run, and how many files it has removed that are no records. Keep or
// Remove each.
func (f Folder) Left(c Call) (list []*Left, broken int) {
	if f == "" {
		return nil, 0
	}
	files, err := os.ReadDir(string(f))
	if err != nil {
		return nil, 0
	}
	for _, e := range files {
		if name := e.Name(); !strings.HasPrefix(name, c.key()+"-") || filepath.Ext(name) != extension {
			continue
		}
		file := claim(filepath.Join(string(f), e.Name()))
		if file == nil {
			continue
		}
		l := &Left{file: file}
		if l.Record, err = Read(file.Name()); err != nil || l.Call != c {
			broken++
			l.Remove()
			continue
		}
		if slices.ContainsFunc(list, l.same) {
			l.Remove()
			continue
		}
		list = append(list, l)
	}
	return list, broken
}

// same reports whether two records are of the same runs.
func (l *Left) same(m *Left) bool {
	return l.Seed == m.Seed && l.Runs == m.Runs && l.Workers == m.Workers && slices.Equal(l.Strategies, m.Strategies) && slices.Equal(l.On, m.On)
}

// Path returns where the record is.
func (l *Left) Path() string { return l.file.Name() }

// Remove removes the record.
func (l *Left) Remove() {
	os.Remove(l.file.Name())
	l.file.Close()
}

// Keep leaves the record to the next process.
func (l *Left) Keep() {
	unlock(l.file)
	l.file.Close()
}
