//go:build !linux && !darwin

package fuzz

import "testing"

// fill is for systems that bound how large a file may be.
func fill(t *testing.T) { t.Fatal("files have no bounds here") }
