package fuzz

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/corpus/golden"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
)

// TestFirstMinute does what the README says, from an empty folder to the first
// failing property, and expects the output that the README shows. In place of
// go get, which needs the network, it takes this checkout and the versions of
// its go.mod.
func TestFirstMinute(t *testing.T) {
	trial.Long(t)
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```(\\w+)\n(.*?)```").FindAllStringSubmatch(string(readme), 3)
	if len(blocks) != 3 || blocks[0][1] != "sh" || blocks[1][1] != "go" || blocks[2][1] != "text" {
		t.Fatalf("the README does not begin with a command, a program and its output")
	}
	get, program, output := blocks[0][2], blocks[1][2], blocks[2][2]
	if get != "go mod init example.com/bank   # in an empty folder\ngo get github.com/jostle-go/jostle/fuzz\n" {
		t.Errorf("the README begins with %q", get)
	}
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("account_test.go", program)
	write("go.mod", userModule(t))
	sums, err := os.ReadFile("../go.sum")
	if err != nil {
		t.Fatal(err)
	}
	write("go.sum", string(sums))
	cmd := exec.Command("go", "test", "-mod=mod", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOPROXY=off", "GOWORK=off", "PWD="+dir, "JOSTLE_OUT=", "JOSTLE_SEED=", "JOSTLE_BUDGET=")
	got, err := cmd.CombinedOutput()
	if err == nil {
		t.Errorf("the first property holds:\n%s", got)
	}
	golden.File(t, "testdata/firstminute.golden", timeless(string(got)))
	if want := timeless(output); !strings.Contains(timeless(string(got)), want) {
		t.Errorf("got\n%s\nand the README shows\n%s", timeless(string(got)), want)
	}
	if kept, _ := filepath.Glob(filepath.Join(dir, "testdata/jostle/neverOverdrawn/*.case")); len(kept) != 1 {
		t.Errorf("kept %q, want one case of neverOverdrawn", kept)
	}
}

// userModule is the go.mod of a user of this checkout.
func userModule(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	ours, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	text := regexp.MustCompile(`(?m)^(module|tool) .*\n`).ReplaceAllString(string(ours), "")
	return "module example.com/bank\n" + text + "\nrequire github.com/jostle-go/jostle v0.0.0\n" +
		"replace github.com/jostle-go/jostle => " + root + "\n"
}

// timeless removes from a text what differs from run to run: times,
// and the half of a case's file name that is a hash of its whole text.
func timeless(text string) string {
	text = regexp.MustCompile(`([0-9a-f]{6})-[0-9a-f]{6,}\.(case|html)`).ReplaceAllString(text, "$1-TEXT.$2")
	return regexp.MustCompile(`\d+(\.\d+)?(µs|ms|s)\b`).ReplaceAllString(text, "TIME")
}

// withoutLater is the text of a case without the lines that came with versions 3, 4 and 6.
func withoutLater(text string) string {
	return regexp.MustCompile(`(?m)^(condition|unlike|explained|depth|constraint|draw|point|instead|spared|decides|chance) .*\n`).ReplaceAllString(strings.Replace(text, "jostle case 7", "jostle case 6", 1), "")
}
