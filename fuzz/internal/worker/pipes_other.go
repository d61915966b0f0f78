//go:build !windows

package worker

import (
	"os"
	"os/exec"
	"strconv"
)

// inherit makes the process of cmd inherit files. It returns the names under which the function
// inherited finds the files in the new process.
func inherit(cmd *exec.Cmd, files ...*os.File) (names []string) {
	cmd.ExtraFiles = files
	for i := range files {
		names = append(names, strconv.Itoa(3+i))
	}
	return names
}

// inherited returns the file that this process has inherited under the given name, nil if there is
// none. The parent process has the name from the function inherit. Child processes of this process
// do not inherit the file.
func inherited(name string) *os.File {
	fd, err := strconv.Atoi(name)
	if err != nil {
		return nil
	}
	closeOnExec(fd)
	return os.NewFile(uintptr(fd), "file of the command")
}
