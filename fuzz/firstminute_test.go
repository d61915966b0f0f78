package fuzz

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/corpus/golden"
	"github.com/jostle-go/jostle/fuzz/internal/browser"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
)

// firstMinute writes the program of the README into a new module, and returns its folder and the output
// that the README shows. In place of go get, which needs the network, it takes this checkout and the
// versions of its go.mod.
func firstMinute(t *testing.T) (dir, output string) {
	t.Helper()
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```(\\w+)\n(.*?)```").FindAllStringSubmatch(string(readme), 3)
	if len(blocks) != 3 || blocks[0][1] != "sh" || blocks[1][1] != "go" || blocks[2][1] != "text" {
		t.Fatalf("the README does not begin with a command, a program and its output")
	}
	if get := blocks[0][2]; get != "go mod init example.com/bank   # in an empty folder\ngo get github.com/jostle-go/jostle/fuzz\n" {
		t.Errorf("the README begins with %q", get)
	}
	sums, err := os.ReadFile("../go.sum")
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	for name, text := range map[string]string{"account_test.go": blocks[1][2], "go.mod": userModule(t), "go.sum": string(sums)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir, blocks[2][2]
}

// userEnvironment is the environment of a user in a folder.
func userEnvironment(dir string) []string {
	return append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off", "PWD="+dir, "JOSTLE_OUT=", "JOSTLE_SEED=", "JOSTLE_BUDGET=")
}

// TestFirstMinute does what the README says, from an empty folder to the first
// failing property, and expects the output that the README shows.
func TestFirstMinute(t *testing.T) {
	trial.Long(t)
	dir, output := firstMinute(t)
	cmd := exec.Command("go", "test", ".")
	cmd.Dir = dir
	cmd.Env = userEnvironment(dir)
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

// TestTutorialInABrowser does with the program of the README what a new user does, from jostle fuzz to the mended
// bug. A click on a row of the report shows the lines that race. The command on the page opens the run in jostle
// view. After the fix, the next report says that the bug is mended.
//
// Skips: without JOSTLE_NIGHTLY=1, and where there is no browser.
func TestTutorialInABrowser(t *testing.T) {
	if !nightly() {
		t.Skip("set JOSTLE_NIGHTLY=1")
	}
	b := browser.Start(t, "")
	dir, _ := firstMinute(t)
	bin := t.TempDir()
	if out, err := exec.Command("go", "build", "-o", bin, "../cmd/jostle").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	shell := func(command string) *exec.Cmd {
		cmd := exec.Command("sh", "-c", command)
		cmd.Dir, cmd.Env = dir, append(userEnvironment(dir), "PATH="+bin+":"+os.Getenv("PATH"))
		return cmd
	}
	report := func(code int) {
		t.Helper()
		cmd := shell("jostle fuzz ./... --for 3s --state state.json --report report")
		if out, _ := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != code {
			t.Fatalf("exit code %d, want %d\n%s", cmd.ProcessState.ExitCode(), code, out)
		}
		b.Open("file://"+filepath.Join(dir, "report", "index.html"), 1280, 800, "light")
	}
	says := func(element, want string) {
		t.Helper()
		text, _ := b.Is("document.querySelector(" + strconv.Quote(element) + ").innerText").(string)
		if !strings.Contains(text, want) {
			t.Fatalf("%s has no %q:\n%s", element, want, text)
		}
	}

	report(1)
	says("h1", "1 bug in 1 of 1 property")
	says(".row:not(.heads)", "account_test.go:27: panic in account#1")
	b.PressUntil("Tab", `document.activeElement.matches(".row a")`)
	b.Press("Enter")
	says("#f0n0", "exactly where withdraw(1) comes before deposit(1) at account")
	says("#f0n0 .code", `panic("overdrawn")`)
	line, _ := b.Is(`document.querySelector("#f0n0 .failure").innerText.match(/account_test.go:(\d+)/)[1]`).(string)
	command, _ := b.Is(`document.querySelector("#f0n0 .copy").innerText`).(string)

	server := shell("exec " + command)
	out, err := server.StdoutPipe()
	if err == nil {
		err = server.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	url, _ := bufio.NewReader(out).ReadString('\n')
	b.Open(strings.TrimSpace(strings.TrimPrefix(url, "view: ")), 1280, 800, "light")
	b.Until(`document.querySelectorAll(".row").length > 2`)
	says("#verdict", "overdrawn")
	b.Press("w")
	b.Until(`/^Why it fails/.test(document.getElementById("answer").textContent)`)
	says("#answer", "account_test.go:"+line)
	b.Open("about:blank", 1280, 800, "light") // the page would complain that its server has ended
	server.Process.Signal(os.Interrupt)
	server.Wait()

	edit := shell("sed -i.old '" + line + "s/panic(.*)/return/' account_test.go")
	if out, err := edit.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	report(0)
	says("h1", "no bugs in 1 property")
	says(".row:not(.heads)", "mended")
	if len(b.Said) > 0 {
		t.Errorf("the browser says:\n%s", strings.Join(b.Said, "\n"))
	}
}

// userModule is the go.mod of a module that requires this checkout of jostle.
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
