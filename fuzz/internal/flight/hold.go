package flight

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// A Hold reserves a file for one process until Release or the end of the process. It
// binds only processes that call Take. A nil Hold reserves nothing.
type Hold struct{ file *os.File }

// Take reserves the file at a path. If another process holds it for two more seconds,
// Take returns that process and no Hold. It returns neither if there are no locks that
// end with their process, or if none can be made. The lock is on a file next to it, since
// the file itself may be replaced. No other program uses that name.
func Take(path string) (h *Hold, who string) {
	if !canLock {
		return nil, ""
	}
	beside := path + ".jostle-lock"
	os.MkdirAll(filepath.Dir(path), 0o755) // if this fails, neither file can be created
	began := time.Now()
	for { // until the locked file is the one at the path
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

// patience is how long Take retries. A killed process that was starting another holds its
// files until that one has begun.
const patience = 2 * time.Second

// mostWho limits the bytes read about the holder.
const mostWho = 200

// Release releases the file.
func (h *Hold) Release() {
	if h != nil {
		os.Remove(h.file.Name())
		h.file.Close()
	}
}
