package flight

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// A Hold reserves a file for one process until Release is called or the process ends. It
// affects only processes that call Take. A nil Hold reserves nothing.
type Hold struct{ file *os.File }

// Take reserves the file at a path. If another process has reserved the file, Take
// retries for two seconds and then returns nil and a description of that process. If
// locks are not supported or the lock file cannot be opened, Take returns nil and "".
// Take locks a separate file, path with ".jostle-lock" appended, because the file itself
// may be replaced.
func Take(path string) (h *Hold, who string) {
	if !canLock {
		return nil, ""
	}
	beside := path + ".jostle-lock"
	os.MkdirAll(filepath.Dir(path), 0o755) // if MkdirAll fails, OpenFile fails too
	began := time.Now()
	for { // repeat until the locked file is the file at the path
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
			if who = strings.TrimSpace(string(text)); who == "" { // the process with the lock has not yet written to the file
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

// patience is the time for which Take retries. It is needed because a process that is
// killed while it starts a child process leaves its files locked until the child has
// begun.
const patience = 2 * time.Second

// mostWho limits the description of the process that holds the lock, in bytes.
const mostWho = 200

// Release ends the reservation of the file.
func (h *Hold) Release() {
	if h != nil {
		os.Remove(h.file.Name())
		h.file.Close()
	}
}
