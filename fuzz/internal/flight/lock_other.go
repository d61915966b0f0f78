//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package flight

import (
	"errors"
	"os"
)

const canLock = false

// lock reports false: there are no locks here that end with their process, so
// nobody could tell the record of a dead process.
func lock(*os.File) bool { return false }

func unlock(*os.File) {}

func mapHead(*os.File) ([]uint64, error) { return nil, errors.ErrUnsupported }

func unmapHead([]uint64) {}
