package worker

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// inherit makes the process of cmd inherit files. It returns the names under which the function
// inherited finds the files in the new process.
func inherit(cmd *exec.Cmd, files ...*os.File) (names []string) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	for _, f := range files {
		h := syscall.Handle(f.Fd())
		syscall.SetHandleInformation(h, syscall.HANDLE_FLAG_INHERIT, syscall.HANDLE_FLAG_INHERIT)
		cmd.SysProcAttr.AdditionalInheritedHandles = append(cmd.SysProcAttr.AdditionalInheritedHandles, h)
		names = append(names, strconv.FormatUint(uint64(h), 10))
	}
	return names
}

// inherited returns the file that this process has inherited under the given name, nil if there is
// none. The parent process has the name from the function inherit. Child processes of this process
// do not inherit the file.
func inherited(name string) *os.File {
	h, err := strconv.ParseUint(name, 10, 64)
	if err != nil {
		return nil
	}
	syscall.SetHandleInformation(syscall.Handle(h), syscall.HANDLE_FLAG_INHERIT, 0)
	return os.NewFile(uintptr(h), "file of the command")
}
