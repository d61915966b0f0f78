//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package flight

import (
	"errors"
	"os"
)

const canLock = false

// lock returns false, because this system has no locks that end with their process.
func lock(*os.File) bool { return false }

func unlock(*os.File) {}

// Map returns an error, because files are not mapped into memory on this system.
func Map(*os.File, int) ([]uint64, error) { return nil, errors.ErrUnsupported }

// Unmap does nothing.
func Unmap([]uint64) {}
