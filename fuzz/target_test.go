package fuzz

import (
	"os"
	"strings"
	"testing"
)

// FuzzSubject is a target of go test -fuzz for the subject that JOSTLE_SAMPLE
// names, in its broken form; without that it is the mended writer, which
// nothing must break.
func FuzzSubject(f *testing.F) {
	if os.Getenv("JOSTLE_SAMPLE") == "fuzz-overdraws" {
		Target(f, overdraws)
		return
	}
	if name := os.Getenv("JOSTLE_SAMPLE"); strings.HasPrefix(name, "fuzz-") {
		Target(f, subjectNamed(strings.TrimPrefix(name, "fuzz-")).Property(false))
		return
	}
	Target(f, subjectNamed("writer").Property(true))
}
