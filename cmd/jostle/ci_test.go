package main

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"gopkg.in/yaml.v3"
)

// A workflow has the tested fields of a GitHub workflow.
type workflow struct {
	Name        string
	On          any
	Permissions map[string]string
	Concurrency map[string]string
	Jobs        map[string]struct {
		RunsOn   string            `yaml:"runs-on"`
		Minutes  int               `yaml:"timeout-minutes"`
		Env      map[string]string `yaml:"env"`
		Defaults struct {
			Run map[string]string
		}
		Steps []step
	}
}

type step struct {
	ID, Name, If, Uses, Run string
	Optional                bool `yaml:"continue-on-error"`
	Env                     map[string]string
	With                    map[string]string
	Shell                   string
	Dir                     string `yaml:"working-directory"`
}

// An action has the fields of a composite action of GitHub.
type action struct {
	Name, Description string
	Inputs            map[string]struct{ Description, Default string }
	Runs              struct {
		Using string
		Steps []step
	}
}

// sourceFolder is the folder of this package.
var sourceFolder, _ = os.Getwd()

// actionFile is the action that users name in their workflows.
const actionFile = "action/action.yml"

func readAction(text []byte) (a action, err error) {
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	return a, d.Decode(&a)
}

func readWorkflow(text []byte) (w workflow, err error) {
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	return w, d.Decode(&w)
}

// written returns the workflows that the command writes for a module in a folder of a
// repository.
func written(t *testing.T, dir string) map[string][]byte {
	root := t.TempDir()
	module := filepath.Join(root, filepath.FromSlash(dir))
	if err := errors.Join(os.MkdirAll(module, 0o700), os.Mkdir(filepath.Join(root, ".git"), 0o700),
		os.WriteFile(filepath.Join(module, "go.mod"), []byte("module example.com/bank\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	t.Chdir(module)
	var out, errs bytes.Buffer
	if code := run(t.Context(), []string{"init", "--ci"}, &out, &errs); code != succeeded {
		t.Fatalf("exit code %d: %s", code, &errs)
	}
	paths, err := filepath.Glob(filepath.Join(root, ".github", "workflows", "*"))
	if err != nil || len(paths) != 2 {
		t.Fatal(paths, err)
	}
	files := map[string][]byte{}
	for _, path := range paths {
		if files[filepath.Base(path)], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// TestWorkflows: the workflows are YAML with only the intended fields of GitHub, and
// steps that refer to each other exist.
func TestWorkflows(t *testing.T) {
	for _, dir := range []string{"", "go/bank", "@go/my: $(bank)"} {
		for name, text := range written(t, dir) {
			w, err := readWorkflow(text)
			if err != nil || len(w.Jobs) != 1 {
				t.Fatalf("%s: %v, %d jobs", name, err, len(w.Jobs))
			}
			for _, job := range w.Jobs {
				if job.Defaults.Run["working-directory"] != dir {
					t.Errorf("%s: the folder is %q, want %q", name, job.Defaults.Run["working-directory"], dir)
				}
				checkSteps(t, name, job.Steps)
				for _, s := range job.Steps {
					if dir != "" && strings.Contains(s.Run, dir) {
						t.Errorf("%s: step %q has the name of the folder in a program", name, s.Name)
					}
					for key, value := range s.With {
						if mod := strings.HasSuffix(value, "go.mod"); mod && value != filepath.ToSlash(filepath.Join(dir, "go.mod")) {
							t.Errorf("%s: %s is %q", name, key, value)
						}
					}
				}
			}
		}
	}
}

// checkSteps checks the steps of one workflow or action. They must upload the results to where
// people look at them.
func checkSteps(t *testing.T, name string, steps []step) {
	t.Helper()
	ids, all := []string{}, ""
	for _, s := range steps {
		if (s.Run == "") == (s.Uses == "") {
			t.Errorf("%s: step %q does not have one of run and uses", name, s.Name)
		}
		for _, m := range regexp.MustCompile(`steps\.(\w+)`).FindAllStringSubmatch(s.If, -1) {
			if !slices.Contains(ids, m[1]) {
				t.Errorf("%s: step %q refers to %q, which is not before it", name, s.Name, m[1])
			}
		}
		ids = append(ids, s.ID)
		if strings.Contains(s.Run, "${{") {
			t.Errorf("%s: step %q puts what others say into a program: use the environment", name, s.Name)
		}
		all += s.Run + s.Uses
	}
	for _, want := range []string{"--format github", "upload-sarif", "upload-artifact", "GITHUB_STEP_SUMMARY"} {
		if !strings.Contains(all, want) {
			t.Errorf("%s: no step has %s", name, want)
		}
	}
}

// TestAction: the action is YAML with only the intended fields of GitHub, and its steps use its
// inputs.
func TestAction(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(sourceFolder, actionFile))
	if err != nil {
		t.Fatal(err)
	}
	a, err := readAction(text)
	if err != nil || a.Runs.Using != "composite" {
		t.Fatalf("%v: %+v", err, a)
	}
	checkSteps(t, actionFile, a.Runs.Steps)
	used := map[string]bool{}
	for _, m := range regexp.MustCompile(`inputs\.([\w-]+)`).FindAllStringSubmatch(string(text), -1) {
		if used[m[1]] = true; a.Inputs[m[1]].Description == "" {
			t.Errorf("there is no input %q with a description", m[1])
		}
	}
	if len(used) != len(a.Inputs) {
		t.Errorf("used are %v of %d inputs", used, len(a.Inputs))
	}
	for _, s := range a.Runs.Steps {
		if (s.Run != "") != (s.Shell == "bash") {
			t.Errorf("step %q has the shell %q", s.Name, s.Shell)
		}
	}
	docs, err := os.ReadFile(filepath.Join(sourceFolder, "../../fuzz/Running.md"))
	if err != nil || !strings.Contains(string(docs), "uses: jostle-go/jostle/cmd/jostle/"+filepath.Dir(actionFile)+"@v") {
		t.Errorf("fuzz/Running.md does not name the action: %v", err)
	}
}

// expressions replaces GitHub's expressions in the workflows by their values in the tests.
var expressions = strings.NewReplacer("${{ github.run_number }}", "7", "${{ github.base_ref }}", "main", "${{ github.token }}", "token",
	"${{ github.server_url }}", "https://host", "${{ github.repository }}", "me/bank", "${{ github.run_id }}", "12")

// runSteps runs the given steps of a workflow as GitHub does. Without names it fails
// unless all steps were run.
func runSteps(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 1 {
		ts.Fatalf("usage: [!] steps workflow [names], where action is the workflow of the action")
	}
	if args[0] == "action" {
		runAction(ts, neg, args[1:])
		return
	}
	w, err := readWorkflow([]byte(ts.ReadFile(args[0])))
	ts.Check(err)
	done := filepath.Join(ts.Getenv("WORK"), ".steps-"+filepath.Base(args[0]))
	known, _ := os.ReadFile(done)
	for _, job := range w.Jobs {
		for _, name := range args[1:] {
			at := slices.IndexFunc(job.Steps, func(s step) bool { return s.Name == name && s.Run != "" })
			if at < 0 {
				ts.Fatalf("no step that runs something is called %q", name)
			}
			known = append(known, name+"\n"...)
			runStep(ts, neg, job.Steps[at], expressions, job.Env)
		}
		for _, s := range job.Steps {
			if len(args) == 1 && s.Run != "" && !strings.Contains("\n"+string(known), "\n"+s.Name+"\n") {
				ts.Fatalf("nothing has run the step %q", s.Name)
			}
		}
	}
	ts.Check(os.WriteFile(done, known, 0o600))
}

// runStep runs a step of a workflow or action as GitHub does. values replaces GitHub's expressions in
// the step.
func runStep(ts *testscript.TestScript, neg bool, s step, values *strings.Replacer, env map[string]string) {
	script := filepath.Join(ts.Getenv("WORK"), ".step")
	ts.Check(os.WriteFile(script, []byte(s.Run), 0o600))
	args := []string{"bash", "-e", script}
	for _, vars := range []map[string]string{env, s.Env} {
		for key, value := range vars {
			value = values.Replace(value)
			if strings.Contains(value, "${{") {
				ts.Fatalf("what is %s?", value)
			}
			args = append([]string{key + "=" + value}, args...)
		}
	}
	if err := ts.Exec("env", args...); (err != nil) != neg {
		ts.Fatalf("step %q: %v", s.Name, err)
	}
}

// runAction runs the step of the action with the given name. Further arguments are inputs, such as
// for=2s. A | in an input is a new line.
func runAction(ts *testscript.TestScript, neg bool, args []string) {
	text, err := os.ReadFile(filepath.Join(sourceFolder, actionFile))
	ts.Check(err)
	a, err := readAction(text)
	ts.Check(err)
	var values []string
	for _, arg := range args[1:] {
		name, value, _ := strings.Cut(arg, "=")
		values = append(values, "${{ inputs."+name+" }}", strings.ReplaceAll(value, "|", "\n"))
	}
	for name, input := range a.Inputs {
		values = append(values, "${{ inputs."+name+" }}", input.Default)
	}
	at := slices.IndexFunc(a.Runs.Steps, func(s step) bool { return s.Name == args[0] && s.Run != "" })
	if at < 0 {
		ts.Fatalf("no step that runs something is called %q", args[0])
	}
	runStep(ts, neg, a.Runs.Steps[at], strings.NewReplacer(values...), nil)
}

// proxy writes this checkout, without its tests, as a module proxy into a folder: the
// libraries and the command, both as version v0.0.0.
func proxy(dir string) error {
	root, err := filepath.Abs("../..")
	if err != nil {
		return err
	}
	for _, below := range []string{"", "/cmd/jostle"} {
		module := "github.com/jostle-go/jostle" + below
		from, to := filepath.Join(root, filepath.FromSlash(below)), filepath.Join(dir, filepath.FromSlash(module), "@v")
		mod, err := os.ReadFile(filepath.Join(from, "go.mod"))
		if err != nil {
			return err
		}
		var b bytes.Buffer
		if err := errors.Join(zipModule(&b, from, module+"@v0.0.0/"), os.MkdirAll(to, 0o755)); err != nil {
			return err
		}
		for name, text := range map[string][]byte{"list": []byte("v0.0.0\n"), "v0.0.0.mod": mod, "v0.0.0.zip": b.Bytes(), "v0.0.0.info": []byte(`{"Version":"v0.0.0"}`)} {
			if err := os.WriteFile(filepath.Join(to, name), text, 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

func zipModule(b *bytes.Buffer, from, prefix string) error {
	z := zip.NewWriter(b)
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(from, path)
		name := d.Name()
		if d.IsDir() {
			_, nested := os.Stat(filepath.Join(path, "go.mod"))
			if rel != "." && (nested == nil || name == "testdata" || strings.HasPrefix(name, ".")) {
				return fs.SkipDir
			}
			return nil
		}
		if strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "go.work") || !d.Type().IsRegular() {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		w, err := z.Create(prefix + filepath.ToSlash(rel))
		if err == nil {
			_, err = w.Write(text)
		}
		return err
	})
	return errors.Join(err, z.Close())
}

// published sets the environment of a script so that go get and go install know this
// checkout as a published version, through a module proxy.
func published(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 0 {
		ts.Fatalf("usage: published")
	}
	work := ts.Getenv("WORK")
	ts.Check(proxy(filepath.Join(work, ".proxy")))
	cache, err := exec.Command("go", "env", "GOMODCACHE").Output()
	ts.Check(err)
	ts.Setenv("GOPROXY", fmt.Sprintf("file://%s,file://%s", filepath.ToSlash(filepath.Join(work, ".proxy")), filepath.ToSlash(filepath.Join(strings.TrimSpace(string(cache)), "cache/download"))))
	ts.Setenv("GOMODCACHE", filepath.Join(work, ".modules"))
	ts.Setenv("GOFLAGS", "-modcacherw -trimpath -ldflags=-w") // the same in each test, so that later tests find compiled packages in the build cache
	ts.Setenv("GONOSUMDB", "*")
	ts.Setenv("GOSUMDB", "off")
	ts.Setenv("GOBIN", filepath.Join(work, ".bin"))
	ts.Setenv("GOWORK", "off")
	ts.Setenv("PATH", filepath.Join(work, ".bin")+string(filepath.ListSeparator)+ts.Getenv("PATH"))
}
