package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// required returns the modules that a go.mod requires.
func required(t *testing.T, path string) map[string]bool {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	list := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^(?:\t|require )(\S+) v\S+`).FindAllStringSubmatch(string(text), -1) {
		list[m[1]] = true
	}
	return list
}

// TestTheCommandReachesNobody: modules that only the command needs are not compiled for
// users of the libraries. Our libraries do not require them of a user's module either:
// that would raise the versions of users who have the same modules.
func TestTheCommandReachesNobody(t *testing.T) {
	command, libraries := required(t, "go.mod"), required(t, filepath.FromSlash("../../go.mod"))
	sums, err := os.ReadFile("go.sum")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	env := os.Environ()
	if err := userModule(dir, func(key, value string) { env = append(env, key+"="+value) }); err != nil {
		t.Fatal(err)
	}
	goes := func(args ...string) string {
		cmd := exec.Command("go", args...)
		cmd.Dir, cmd.Env = dir, append(env, "PWD="+dir)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("go %v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	deps, graph := goes("list", "-deps", "-test", "./..."), goes("mod", "graph")
	own := 0
	for module := range command {
		if libraries[module] || strings.HasSuffix(module, "/jostle") {
			continue
		}
		own++
		if !strings.Contains(string(sums), module+" ") {
			t.Errorf("go.sum does not know %s", module)
		}
		if strings.Contains(deps, "\n"+module) {
			t.Errorf("a user of the libraries compiles %s", module)
		}
		if strings.Contains(graph, "\ngithub.com/jostle-go/jostle@v0.0.0 "+module+"@") {
			t.Errorf("our libraries require %s", module)
		}
	}
	if own < 3 || !strings.Contains(deps, "\npgregory.net/rapid") || !strings.Contains(graph, "\ngithub.com/jostle-go/jostle@v0.0.0 pgregory.net/rapid@") {
		t.Errorf("the test looks at nothing: %d modules are the command's alone", own)
	}
}
