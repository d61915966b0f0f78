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

// mapHead maps the words at the beginning of the file into memory. A store to these words
// reaches the file even if the process is killed.
func mapHead(f *os.File) ([]uint64, error) {
	page, err := syscall.Mmap(int(f.Fd()), 0, headSize, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		return nil, err
	}
	return unsafe.Slice((*uint64)(unsafe.Pointer(&page[0])), headWords), nil
}

// unmapHead unmaps what mapHead mapped.
func unmapHead(head []uint64) {
	if head != nil {
		syscall.Munmap(unsafe.Slice((*byte)(unsafe.Pointer(&head[0])), headSize))
	}
}
