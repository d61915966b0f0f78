package worker

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// inherit makes the process of cmd inherit files, and returns the names for inherited.
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

// inherited returns the file that this process has inherited under a name of inherit, nil if there
// is none. Child processes of this process do not inherit the file.
func inherited(name string) *os.File {
	h, err := strconv.ParseUint(name, 10, 64)
	if err != nil {
		return nil
	}
	syscall.SetHandleInformation(syscall.Handle(h), syscall.HANDLE_FLAG_INHERIT, 0)
	return os.NewFile(uintptr(h), "file of the command")
}
