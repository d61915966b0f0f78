package flight

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// A Hold has the name of a file for one process, which the others ask before they write
// to it, until Release or the end of the process. A nil one has nothing.
type Hold struct{ file *os.File }

// Take takes the file at a path. If somebody has it and keeps it for two seconds, Take
// returns who, and no Hold. There is neither where nobody can have a file: where there are
// no locks that end with their process, and where none can be made. What is locked is a
// file beside, since the one at the path may be replaced; its name is one that no other
// program gives.
func Take(path string) (h *Hold, who string) {
	if !canLock {
		return nil, ""
	}
	beside := path + ".jostle-lock"
	os.MkdirAll(filepath.Dir(path), 0o755) // else the file cannot be made, and nor can the other
	began := time.Now()
	for { // until what is locked is the file that is there
		file, err := os.OpenFile(beside, os.O_RDWR|os.O_CREATE, 0o644)
		if err != nil {
			return nil, ""
		}
		if !lock(file) {
			text, _ := io.ReadAll(io.LimitReader(file, mostWho))
			file.Close()
			if time.Since(began) < patience {
				time.Sleep(patience / 100)
				continue
			}
			if who = strings.TrimSpace(string(text)); who == "" { // it has only just begun
				who = "another process"
			}
			return nil, who
		}
		if !isAt(file, beside) {
			file.Close()
			continue
		}
		file.Truncate(0)
		fmt.Fprintf(file, "process %d, since %s\n", os.Getpid(), time.Now().Format(time.DateTime))
		return &Hold{file}, ""
	}
}

// patience is how long Take asks again for a file that somebody has. A process that was
// killed while it started another has its files until that one has begun.
const patience = 2 * time.Second

// mostWho bounds how many bytes are read of who has a file.
const mostWho = 200

// Release gives the file back.
func (h *Hold) Release() {
	if h != nil {
		os.Remove(h.file.Name())
		h.file.Close()
	}
}
