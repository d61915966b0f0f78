package etcdraft_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestRaftReachesNobody: a user of fuzz or props compiles no module that only this module
// requires. The module of the libraries requires none of them.
func TestRaftReachesNobody(t *testing.T) {
	read := func(path string) string {
		text, err := os.ReadFile(filepath.FromSlash(path))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	ours, sums, libraries := read("go.mod"), read("go.sum"), read("../../../go.mod")
	cmd := exec.Command("go", "list", "-deps", "-test", "./fuzz", "./props")
	cmd.Dir = filepath.FromSlash("../../..")
	deps, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, deps)
	}
	own := 0
	for _, m := range regexp.MustCompile(`(?m)^(?:\t|require )(\S+) v\S+`).FindAllStringSubmatch(ours, -1) {
		module := m[1]
		if strings.HasPrefix(module, "github.com/jostle-go/") || strings.Contains(libraries, "\t"+module+" ") {
			continue
		}
		own++
		if !strings.Contains(sums, module+" ") {
			t.Errorf("go.sum does not know %s", module)
		}
		if strings.Contains("\n"+string(deps), "\n"+module) {
			t.Errorf("a user of fuzz or props compiles %s", module)
		}
	}
	if own < 2 || !strings.Contains(string(deps), "\npgregory.net/rapid") {
		t.Errorf("the test looks at nothing: %d modules are this one's alone", own)
	}
}
