//go:build !windows

package worker

import (
	"os"
	"os/exec"
	"strconv"
)

// inherit makes the process of cmd inherit files, and returns the names for inherited.
func inherit(cmd *exec.Cmd, files ...*os.File) (names []string) {
	cmd.ExtraFiles = files
	for i := range files {
		names = append(names, strconv.Itoa(3+i))
	}
	return names
}

// inherited returns the file that this process has inherited under a name of inherit, nil if there
// is none. Child processes of this process do not inherit the file.
func inherited(name string) *os.File {
	fd, err := strconv.Atoi(name)
	if err != nil {
		return nil
	}
	closeOnExec(fd)
	return os.NewFile(uintptr(fd), "file of the command")
}
