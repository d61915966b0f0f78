//go:build !windows

package worker

import (
	"os"
	"os/exec"
	"strconv"
)

// inherit has a command's process inherit two files, and returns by which names it
// knows them.
func inherit(cmd *exec.Cmd, in, out *os.File) []string {
	cmd.ExtraFiles = []*os.File{in, out}
	return []string{"3", "4"}
}

// inherited returns the file that this process has inherited by a name. Processes that
// this one starts do not inherit it.
func inherited(name string) *os.File {
	fd, err := strconv.Atoi(name)
	if err != nil {
		return nil
	}
	closeOnExec(fd)
	return os.NewFile(uintptr(fd), "pipe of the command")
}
