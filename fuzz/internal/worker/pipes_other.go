//go:build !windows

package worker

import (
	"os"
	"os/exec"
	"strconv"
)

// inherit makes the process of cmd inherit two files. It returns the names under which the function
// inherited finds the files in the new process.
func inherit(cmd *exec.Cmd, in, out *os.File) []string {
	cmd.ExtraFiles = []*os.File{in, out}
	return []string{"3", "4"}
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
	return os.NewFile(uintptr(fd), "pipe of the command")
}
