//go:build !windows

package worker

import (
	"os"
	"os/exec"
	"strconv"
)

// inherit makes the process of cmd inherit two files, and returns the names for inherited.
func inherit(cmd *exec.Cmd, in, out *os.File) []string {
	cmd.ExtraFiles = []*os.File{in, out}
	return []string{"3", "4"}
}

// inherited returns the file that this process has inherited under a name of inherit, nil if there
// is none. Child processes of this process do not inherit the file.
func inherited(name string) *os.File {
	fd, err := strconv.Atoi(name)
	if err != nil {
		return nil
	}
	closeOnExec(fd)
	return os.NewFile(uintptr(fd), "pipe of the command")
}
