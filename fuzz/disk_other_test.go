//go:build !linux && !darwin

package fuzz

import "testing"

// fill fails the test: only Unix systems can limit the size of files.
func fill(t *testing.T) { t.Fatal("files have no bounds here") }
