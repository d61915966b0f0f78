//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package flight

import (
	"os"
	"syscall"
	"unsafe"
)

// canLock reports whether the function lock works on this operating system.
const canLock = true

// lock locks an open file until it is closed or the process ends. It returns false if
// the file is already locked through a different descriptor, in this or any other
// process.
func lock(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}

// unlock unlocks a file immediately. Closing the file is not enough, because a child
// process that is being started may still have the file open.
func unlock(f *os.File) { syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }

// Map maps n words at the beginning of the file into memory. The file must have that size. A store
// to these words is no system call, and reaches the file even if the process is killed.
func Map(f *os.File, n int) ([]uint64, error) {
	page, err := syscall.Mmap(int(f.Fd()), 0, 8*n, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		return nil, err
	}
	return unsafe.Slice((*uint64)(unsafe.Pointer(&page[0])), n), nil
}

// Unmap unmaps what Map mapped.
func Unmap(words []uint64) {
	if words != nil {
		syscall.Munmap(unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), 8*len(words)))
	}
}
