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

func mapHead(*os.File) ([]uint64, error) { return nil, errors.ErrUnsupported }

func unmapHead([]uint64) {}
