package protoactor_test

import (
	"os/exec"
	"strings"
	"testing"
)

// TestNobodyElseNeedsIt checks that users of the libraries do not build anything of
// proto.actor, and that package fuzz does not import the adapter.
func TestNobodyElseNeedsIt(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "github.com/jostle-go/jostle/fuzz", "github.com/jostle-go/jostle/props/linear").Output()
	if err != nil || len(out) == 0 {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "protoactor") || strings.Contains(line, "asynkron") {
			t.Errorf("package fuzz needs %s", line)
		}
	}
}
