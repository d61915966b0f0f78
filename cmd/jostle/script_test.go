package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/lockedfile"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"
	"go.uber.org/goleak"

	"github.com/jostle-go/jostle/corpus/golden"
	"github.com/jostle-go/jostle/fuzz/tool"
)

// leakless fails tests that leave goroutines behind.
type leakless struct{ *testing.M }

func (m leakless) Run() int {
	code := m.M.Run()
	if err := goleak.Find(); err != nil && code == 0 {
		os.Stderr.WriteString("jostle: " + err.Error() + "\n")
		return 1
	}
	return code
}

// The exit codes of the command.
const (
	succeeded = 0
	failed    = 1
	misused   = 2
)

func TestMain(m *testing.M) {
	asGo := filepath.Base(os.Args[0]) == "go" // LookPath would then find this test binary, which would start itself forever
	if path, err := exec.LookPath("go"); err == nil && os.Getenv(realGo) == "" && !asGo {
		os.Setenv(realGo, path)
	}
	testscript.Main(leakless{m}, map[string]func(){"jostle": main, "go": linkOnce})
}

// Environment variables of the scripts: the path of the go command, and the folder in which
// linkOnce saves test binaries. If the folder is not set, linkOnce saves no binaries.
const (
	realGo  = "JOSTLE_TEST_GO"
	linkDir = "JOSTLE_TEST_LINKED"
)

// linkOnce acts as the go command of scripts. For `go test -c -o file …` it saves the linked
// test binary of a package. Later calls reuse the binary if the package's files are the same.
func linkOnce() {
	args, dir := os.Args[1:], os.Getenv(linkDir)
	if dir != "" && len(args) > 4 && slices.Equal(args[:3], []string{"test", "-c", "-o"}) && args[4] != "-race" {
		if linked := link(dir, os.Getenv("WORK"), args[4:]); linked != "" && os.Link(linked, args[3]) == nil {
			os.Exit(0)
		}
	}
	os.Exit(runGo(".", os.Stdout, os.Stderr, args))
}

// link returns the path of the test binary that the go command builds with the arguments. The
// last argument is a package of the module in the folder work. If the package does not compile
// by itself, link returns "".
func link(dir, work string, args []string) string {
	below, ok := strings.CutPrefix(args[len(args)-1], module+"/")
	if !ok {
		return ""
	}
	files := map[string][]byte{}
	key := sha256.New()
	fmt.Fprintln(key, args, os.Getenv("GOFLAGS"), os.Getenv("CGO_ENABLED"), os.Getenv("CC"))
	for _, pattern := range []string{"go.mod", "go.sum", filepath.Join(below, "*.go")} {
		paths, _ := filepath.Glob(filepath.Join(work, pattern))
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil || bytes.Contains(text, []byte(`"`+module+"/")) {
				return ""
			}
			rel, _ := filepath.Rel(work, path)
			fmt.Fprintf(key, "%s %d %s", rel, len(text), text)
			files[rel] = text
		}
	}
	to := filepath.Join(dir, fmt.Sprintf("%x", key.Sum(nil)[:8]))
	unlock, err := lockedfile.MutexAt(to + ".lock").Lock()
	if err != nil {
		return ""
	}
	defer unlock()
	binary := filepath.Join(to, "test.exe")
	if _, err := os.Stat(to); err != nil {
		if writeFiles(to, files) != nil {
			return ""
		}
		runGo(to, io.Discard, io.Discard, append([]string{"test", "-c", "-o", binary}, args...))
	}
	if _, err := os.Stat(binary); err != nil {
		return ""
	}
	return binary
}

// runGo runs go in a folder and returns its exit code.
func runGo(dir string, stdout, stderr io.Writer, args []string) int {
	cmd := exec.Command(os.Getenv(realGo), args...)
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, os.Stdin, stdout, stderr
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return cmd.ProcessState.ExitCode()
}

// nightly reports whether the long versions of tests are wanted.
func nightly() bool { return os.Getenv("JOSTLE_NIGHTLY") != "" }

// TestScripts runs the command on a user's module outside of ours: testdata/script has a
// script for each subcommand. Compiling the user's code takes most of the time, so the
// scripts have their main part first, and run the rest, after [!nightly], at night. With
// -short only a few run.
func TestScripts(t *testing.T) {
	dir, files := "testdata/script", []string(nil)
	if testing.Short() {
		dir, files = "", []string{"testdata/script/bench.txtar", "testdata/script/check.txtar", "testdata/script/demo.txtar", "testdata/script/version.txtar"}
	}
	linked := ""
	if !nightly() {
		linked = t.TempDir()
	}
	testscript.Run(t, testscript.Params{
		Dir:   dir,
		Files: files,
		Setup: func(env *testscript.Env) error {
			env.Setenv(linkDir, linked)
			return userModule(env.WorkDir, env.Setenv)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"answers":   answers,
			"code":      code,
			"edit":      edit,
			"published": published,
			"steps":     runSteps,
			"terminal":  onTerminal,
			"visible":   visible,
		},
		Condition: func(name string) (bool, error) {
			if name != "nightly" {
				return false, fmt.Errorf("there is no condition %q", name)
			}
			return nightly(), nil
		},
		RequireExplicitExec: true,
		UpdateScripts:       os.Getenv("JOSTLE_REWRITE") != "",
	})
}

// goCaches returns the folders in which go caches, by the names of their variables.
var goCaches = sync.OnceValues(func() (caches map[string]string, err error) {
	out, err := exec.Command("go", "env", "-json", "GOCACHE", "GOMODCACHE").Output()
	if err == nil {
		err = json.Unmarshal(out, &caches)
	}
	return caches, err
})

// module is the path of the user's module.
const module = "example.com/user"

// userModule writes a user's module into a folder, with the properties of
// testdata/user.txtar. The module requires this checkout of jostle.
func userModule(dir string, setenv func(key, value string)) error {
	root, err := filepath.Abs("../..")
	if err != nil {
		return err
	}
	ours, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return err
	}
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		return err
	}
	user, err := os.ReadFile("testdata/user.txtar")
	if err != nil {
		return err
	}
	mod := "module " + module + "\n" + regexp.MustCompile(`(?m)^(module|tool) .*\n`).ReplaceAllString(string(ours), "") +
		"\nrequire github.com/jostle-go/jostle v0.0.0\n\nreplace github.com/jostle-go/jostle => " + root + "\n"
	files := map[string][]byte{"go.mod": []byte(mod), "go.sum": sums}
	for _, part := range strings.Split(string(user), "\n-- ")[1:] {
		name, text, _ := strings.Cut(part, " --\n")
		files[filepath.FromSlash(name)] = []byte(text + "\n")
	}
	if err := writeFiles(dir, files); err != nil {
		return err
	}
	caches, err := goCaches()
	if err != nil {
		return err
	}
	for name, folder := range caches {
		setenv(name, folder)
	}
	// Each command links a test binary, which is faster without debug information.
	for key, value := range map[string]string{"GOFLAGS": "-mod=mod -ldflags=-w", "GOPROXY": "off", "GOWORK": "off", "JOSTLE_CACHE": filepath.Join(dir, ".cache"),
		"JOSTLE_OUT": "", "JOSTLE_SEED": "", "JOSTLE_BUDGET": ""} {
		setenv(key, value)
	}
	setenv(realGo, os.Getenv(realGo))
	return nil
}

func writeFiles(dir string, files map[string][]byte) error {
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// code runs the command and fails the script unless the exit code is the given one.
func code(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) < 1 {
		ts.Fatalf("usage: code N [arguments of jostle]")
	}
	err := ts.Exec("jostle", args[1:]...)
	got := "0"
	if exit, ok := err.(*exec.ExitError); ok {
		got = exit.String()
		got = strings.TrimPrefix(got, "exit status ")
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if got != args[0] {
		ts.Fatalf("exit code %s, want %s", got, args[0])
	}
}

// answers sends a request to a server of jostle view, whose URL is in a file. It fails the script
// unless the answer has a certain status code and text. TOKEN in the path stands for the server's
// token.
func answers(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 4 {
		ts.Fatalf("usage: answers file code path text")
	}
	m := regexp.MustCompile(`view: (http://127\.0\.0\.1:\d+)/(\w+)/`).FindStringSubmatch(ts.ReadFile(args[0]))
	if m == nil {
		ts.Fatalf("%s has no URL", args[0])
	}
	r, err := http.Get(m[1] + strings.ReplaceAll(args[2], "TOKEN", m[2]))
	ts.Check(err)
	defer r.Body.Close()
	if got := fmt.Sprint(r.StatusCode); got != args[1] {
		ts.Fatalf("%s: %s, want %s", args[2], got, args[1])
	}
	body := bufio.NewReader(r.Body) // read line by line, because the response may never end
	for text := ""; !strings.Contains(text, args[3]); {
		line, err := body.ReadString('\n')
		if text += line; err != nil && !strings.Contains(text, args[3]) {
			ts.Fatalf("%s: %v after\n%s", args[2], err, text)
		}
	}
}

// edit replaces a text in a file.
func edit(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: edit file old new")
	}
	path := ts.MkAbs(args[0])
	text := ts.ReadFile(path)
	if !strings.Contains(text, args[1]) {
		ts.Fatalf("%s has no %q", args[0], args[1])
	}
	ts.Check(os.WriteFile(path, []byte(strings.ReplaceAll(text, args[1], args[2])), 0o644))
}

func TestUsage(t *testing.T) {
	for _, c := range []struct {
		golden string
		args   []string
		code   int
	}{
		{"help", []string{"help"}, succeeded},
		{"list", []string{"demo"}, succeeded},
		{"nothing", nil, misused},
		{"command", []string{"dance"}, misused},
		{"subject", []string{"demo", "none"}, misused},
		{"bench", []string{"bench", "--help"}, succeeded},
		{"subjects", []string{"demo", "writer", "bank", "guard"}, misused},
	} {
		t.Run(c.golden, func(t *testing.T) {
			var out, errs bytes.Buffer
			code := run(t.Context(), c.args, &out, &errs)
			if code != c.code {
				t.Errorf("exit code %d, want %d", code, c.code)
			}
			if (code == misused) != (errs.Len() > 0) || (code == misused) != (out.Len() == 0) {
				t.Errorf("exit code %d, but %d bytes of output and %d of errors", code, out.Len(), errs.Len())
			}
			golden.File(t, strings.Replace("testdata/usage-*.golden", "*", c.golden, 1), out.String()+errs.String())
		})
	}
}

// TestHelp: the help of each command says what it does, and its examples have existing
// commands and flags. Shell completion works.
func TestHelp(t *testing.T) {
	var check func(cmd *cobra.Command)
	check = func(cmd *cobra.Command) {
		if cmd.Name() == "completion" || cmd.Name() == "help" {
			return
		}
		if cmd.Short == "" || cmd.Example == "" {
			t.Errorf("%s has no line that says what it does, or no examples", cmd.CommandPath())
		}
		for line := range strings.Lines(cmd.Example) {
			line, _, _ = strings.Cut(line, "#")
			_, line, _ = strings.Cut(line, "jostle ")
			words := strings.Fields(line)
			found, rest, err := parser(tool.Root(), &tool.Call{}).Find(words)
			if len(words) == 0 || err != nil || found.CommandPath() == "jostle" {
				t.Errorf("%s: what is the example %q? %v", cmd.CommandPath(), line, err)
				continue
			}
			for _, word := range rest {
				name, _, _ := strings.Cut(strings.TrimLeft(word, "-"), "=")
				if strings.HasPrefix(word, "--") && found.Flags().Lookup(name) == nil {
					t.Errorf("%s: the example %q has a flag %s", cmd.CommandPath(), line, word)
				}
			}
		}
		for _, sub := range cmd.Commands() {
			check(sub)
		}
	}
	check(parser(tool.Root(), &tool.Call{}))
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		var out, errs bytes.Buffer
		if code := run(t.Context(), []string{"completion", shell}, &out, &errs); code != succeeded || !strings.Contains(out.String(), "jostle") || errs.Len() > 0 {
			t.Errorf("%s: exit code %d, %s", shell, code, errs.String())
		}
	}
	var out bytes.Buffer
	if run(t.Context(), []string{"__complete", "corpus", "re"}, &out, &out); !strings.HasPrefix(out.String(), "repair\t") {
		t.Errorf("corpus re is completed to %q", out.String())
	}
}

// TestScriptsAreForAll: each subcommand has a script.
func TestScriptsAreForAll(t *testing.T) {
	for _, sub := range parser(tool.Root(), &tool.Call{}).Commands() {
		name, _, _ := strings.Cut(sub.Use, " ")
		if name == "completion" || name == "help" {
			continue
		}
		if _, err := os.Stat(filepath.Join("testdata/script", name+".txtar")); err != nil {
			t.Error(err)
		}
	}
	if run(context.Background(), nil, new(strings.Builder), new(strings.Builder)) != misused {
		t.Error("it does something without arguments")
	}
}
