package flight

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Folder is the path of a folder with records. If it is "", nothing is recorded.
type Folder string

// In returns the folder of records below the folder root, or "" if root is "".
func In(root string) Folder {
	if root == "" {
		return ""
	}
	return Folder(filepath.Join(root, "flight"))
}

const (
	extension = ".flight"
	unready   = ".new" // the additional extension of the file until the record is locked
	// mostKept limits the number of records of dead processes in a folder.
	mostKept = 100
	keySize  = 16 // the length of a key, in hexadecimal digits
)

// key returns the prefix of the names of the files that record runs of a call.
func (c *Call) key() string {
	sum := sha256.Sum256([]byte(strings.Join([]string{c.Dir, c.Test, c.Verb, c.Func}, "\x00")))
	return hex.EncodeToString(sum[:keySize/2])
}

// A Recorder writes a record that says which runs are in progress. A nil Recorder does
// nothing.
type Recorder struct {
	path string
	file *os.File
	head []uint64 // the words at the beginning of the file, mapped into memory
}

// Record starts a record, which stays locked until End is called or the process ends. It
// returns nil if the record cannot be created.
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
	// Write the file before it is mapped. Otherwise, if the disk is full, a store to
	// the mapped page would kill the process.
	if _, err = file.Write(encode(&r)); err == nil && lock(file) {
		rec.head, _ = Map(file, headWords)
	}
	if rec.head == nil || os.Rename(file.Name(), rec.path) != nil {
		os.Remove(file.Name())
		Unmap(rec.head)
		file.Close()
		return nil
	}
	return rec
}

// End removes the record. The slots of the record must not be used afterwards.
func (r *Recorder) End() {
	if r == nil {
		return
	}
	os.Remove(r.path)
	Unmap(r.head)
	r.file.Close()
}

// Slot returns the slot of a worker. Workers are numbered from 0.
func (r *Recorder) Slot(worker int) Slot {
	if r == nil || firstWord+worker >= headWords {
		return Slot{}
	}
	return Slot{&r.head[firstWord+worker]}
}

// A Slot is the part of a record in which one worker notes the run that it begins. The
// zero Slot records nothing.
type Slot struct{ word *uint64 }

// Begin records that a run begins. index is the number of the run in the phase, from 0.
func (s Slot) Begin(p Phase, index int) {
	if s.word != nil {
		*s.word = uint64(p)<<phaseShift | uint64(index+1)
	}
}

// prune removes the oldest records of dead processes if the folder has more than
// mostKept files.
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

// claim opens and locks the file at path. It returns nil if another process has locked
// or removed the file.
func claim(path string) *os.File {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() { // opening a named pipe would block
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

// isAt reports whether the locked file is still at path. The process that held the lock
// before may have removed or replaced the file.
func isAt(file *os.File, path string) bool {
	now, err := os.Stat(path)
	own, err2 := file.Stat()
	return err == nil && err2 == nil && os.SameFile(now, own)
}

// A Left is a record that a dead process has left. The current process has locked it.
type Left struct {
	Record
	file *os.File
}

// Left returns the records that dead processes left for a call. Of several records with
// the same runs it keeps one and removes the others. It also removes broken files, and
// returns their number. The caller must call Keep or Remove for each returned record.
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

// same reports whether records l and m have the same runs and settings.
func (l *Left) same(m *Left) bool {
	return l.Seed == m.Seed && l.Runs == m.Runs && l.Workers == m.Workers && slices.Equal(l.Strategies, m.Strategies) && slices.Equal(l.On, m.On)
}

// Path returns the path of the record.
func (l *Left) Path() string { return l.file.Name() }

// Remove deletes the record.
func (l *Left) Remove() {
	os.Remove(l.file.Name())
	l.file.Close()
}

// Keep unlocks the record and leaves its file for the next process.
func (l *Left) Keep() {
	unlock(l.file)
	l.file.Close()
}
