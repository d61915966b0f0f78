package overlay

import (
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// goroot returns the folder of this Go installation.
var goroot = sync.OnceValue(func() string {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		panic(err)
	}
	return strings.TrimSpace(string(out))
})

// standard returns the edits for the installed Go version. If it is not supported, these are the
// edits for the newest version that is.
func standard(t *testing.T) []edit {
	t.Helper()
	version, err := versionOf(goroot())
	if err != nil {
		version = supported[len(supported)-1]
	}
	list, err := edits(goroot(), version)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestEdits: all edits for the installed Go version apply, and the changed files can be parsed.
// With a Go version that is not supported, it names all edits that do not apply.
func TestEdits(t *testing.T) {
	list := standard(t)
	if len(list) < 60 {
		t.Errorf("there are only %d edits", len(list))
	}
	files := map[string]string{}
	for _, e := range list {
		if e.why == "" || e.old == e.new {
			t.Errorf("%s: an edit has no reason, or changes nothing: %q", e.file, first(e.old))
		}
		if files[e.file] == "" {
			text, _ := os.ReadFile(filepath.Join(goroot(), "src", e.file))
			files[e.file] = string(text)
		}
		changed, err := e.apply(files[e.file])
		if err != nil {
			t.Errorf("%s, where %s: %v", e.file, e.why, err)
			continue
		}
		files[e.file] = changed
	}
	added := map[string][]byte{}
	if err := addTo(goroot(), added); err != nil {
		t.Error(err)
	}
	for name, text := range added {
		files[name] = string(text)
	}
	for name, text := range files {
		if _, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution); err != nil {
			t.Error(err)
		}
	}
	if _, err := versionOf(goroot()); err != nil {
		t.Error(err)
	}
}

// TestVersions: each edit is for a Go version that is supported, or for all.
func TestVersions(t *testing.T) {
	text, err := std.ReadFile("std/edits.txt")
	if err != nil {
		t.Fatal(err)
	}
	list, err := parse(string(text))
	for _, e := range list {
		if e.only != "" && !slices.Contains(supported, e.only) {
			t.Errorf("an edit of %s is for Go %q", e.file, e.only)
		}
	}
	if err != nil || len(list) == 0 {
		t.Fatal(err)
	}
}

// TestEachEditMatters: each edit is refused if the file lacks the text that the edit
// replaces.
func TestEachEditMatters(t *testing.T) {
	list := standard(t)
	for i, e := range list {
		if _, err := e.apply("package p\n"); err == nil {
			t.Errorf("edit %d of %s applies to any file", i, e.file)
		}
		if e.each > 0 {
			continue
		}
		if _, err := e.apply(e.old + "\n" + e.old); err == nil || !strings.Contains(err.Error(), "occurs 2 times, not once") {
			t.Errorf("edit %d of %s: %v", i, e.file, err)
		}
	}
}

// copyOf makes a folder with those files of GOROOT that edits change, and with a file
// VERSION.
func copyOf(t *testing.T, version string) string {
	t.Helper()
	dir := t.TempDir()
	list := standard(t)
	names := []string{"sync/atomic/type.go"}
	for _, e := range list {
		names = append(names, e.file)
	}
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(goroot(), "src", name))
		if err != nil {
			t.Fatal(err)
		}
		put(t, filepath.Join(dir, "src", name), string(text))
	}
	put(t, filepath.Join(dir, "VERSION"), version+"\ntime 2026-01-01T00:00:00Z\n")
	return dir
}

func put(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// sources is the folder with the sources of jostle.
const sources = "../../.."

// TestRefused: Write returns an error for options that it cannot use. The error gives
// the reason.
func TestRefused(t *testing.T) {
	version := "go" + supported[0]
	if v, err := versionOf(goroot()); err == nil {
		version = "go" + v
	}
	dir := copyOf(t, version)
	patched := copyOf(t, version)
	put(t, filepath.Join(patched, "src/sync/once.go"), "package sync\n")
	own := filepath.Join(dir, "own.json")
	put(t, own, `{"Replace": {"`+filepath.Join(dir, "src/runtime/chan.go")+`": "x.go"}}`)
	bad := filepath.Join(dir, "bad.json")
	put(t, bad, "package main")
	for _, c := range []struct {
		name    string
		options Options
		want    string
	}{
		{"no GOROOT", Options{Goroot: filepath.Join(dir, "nowhere")}, "cannot read the Go version of "},
		{"another version", Options{Goroot: copyOf(t, "go1.28.1")}, "this Go version is not supported: "},
		{"a development version", Options{Goroot: copyOf(t, "devel go1.28-abc")}, " is devel go1.28-abc"},
		{"a patched installation", Options{Goroot: patched}, "once.go cannot be changed: "},
		{"no sources", Options{Goroot: dir, Jostle: dir}, "go list finds no sources of jostle in " + dir + ": "},
		{"an overlay of the user's that is missing", Options{Goroot: dir, Jostle: sources, Own: "nowhere.json"}, "nowhere.json"},
		{"an overlay of the user's that is none", Options{Goroot: dir, Jostle: sources, Own: bad}, "bad.json is no overlay: "},
		{"an overlay of the user's that collides", Options{Goroot: dir, Jostle: sources, Own: own},
			"chan.go, which jostle must replace too"},
	} {
		c.options.Dir = t.TempDir()
		name, err := Write(c.options)
		if err == nil || !strings.Contains(err.Error(), c.want) || name != "" {
			t.Errorf("%s: %q, %v", c.name, name, err)
		}
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: the error has several lines: %v", c.name, err)
		}
	}
}

// TestWrite: overlays with equal files have equal names, the user's own overlay
// is included, and a second Write does not write the files again.
func TestWrite(t *testing.T) {
	dir, own := t.TempDir(), filepath.Join(t.TempDir(), "own.json")
	put(t, own, `{"Replace": {"/a.go": "/b.go"}}`)
	o := Options{Goroot: goroot(), Jostle: sources, Dir: dir}
	plain, err := Write(o)
	if err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(plain)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Write(o)
	after, _ := os.Stat(again)
	if err != nil || again != plain || !os.SameFile(before, after) {
		t.Errorf("%s, then %s: %v", plain, again, err)
	}
	o.Own = own
	merged, err := Write(o)
	if err != nil || merged == plain || filepath.Dir(merged) != filepath.Dir(plain) {
		t.Errorf("%s with another overlay, %s without: %v", merged, plain, err)
	}
	text, _ := os.ReadFile(merged)
	for _, want := range []string{`"/a.go": "/b.go"`, "src/jostle/fuzz/existing/existing.go", "src/runtime/jostle.go"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%s lacks %s", merged, want)
		}
	}
}

// TestMoved: when a file moves to another module path, its imports of moved packages
// get their new paths. Nothing else changes.
func TestMoved(t *testing.T) {
	others := map[string]bool{module + "/pulse": true, "pgregory.net/rapid": true, "flag": true}
	source := "package a\n\nimport (\n\t\"flag\"\n\t\"fmt\"\n\tp \"" + module + "/pulse\"\n\t\"pgregory.net/rapid\"\n)\n\nvar x = \"pgregory.net/rapid\"\n"
	want := "package a\n\nimport (\n\t\"internal/jostle/flag\"\n\t\"fmt\"\n\tp \"jostle/pulse\"\n\t\"jostle/pgregory.net/rapid\"\n)\n\nvar x = \"pgregory.net/rapid\"\n"
	got, err := moved("a.go", []byte(source), others)
	if err != nil || string(got) != want {
		t.Errorf("%s, %v", got, err)
	}
	if got, err := moved("a.s", []byte("TEXT"), others); err != nil || string(got) != "TEXT" {
		t.Errorf("assembly becomes %s, %v", got, err)
	}
	if _, err := moved("a.go", []byte("pakcage a"), others); err == nil {
		t.Error("a file that cannot be parsed is moved")
	}
}

// TestBadEdits: an edit that lacks one of its parts is an error.
func TestBadEdits(t *testing.T) {
	for _, text := range []string{
		"\n=== a.go\n--- old\nx\n--- new\ny\n",
		"\n=== a.go\nwhy: w\nx\n--- new\ny\n",
		"\n=== a.go\nwhy: w\n--- old\nx\n",
		"\n=== a.go\nwhy: w\n--- each some\nx\n--- new\ny\n",
	} {
		if list, err := parse(text); err == nil {
			t.Errorf("%q becomes %v", text, list)
		}
	}
	list, err := parse("\n=== a.go\nwhy: w\n--- each 2\n^x$\n--- new\n$0y\n")
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	if got, err := list[0].apply("x\nx\n"); err != nil || got != "xy\nxy\n" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := list[0].apply("x\n"); err == nil || !strings.Contains(err.Error(), "matches 1 times, not 2 times") {
		t.Error(err)
	}
}

// TestFlags: the compiler replaces no calls by instructions in the packages of a module. It does so
// in the standard library, also in packages that only tests import.
func TestFlags(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "go.mod"), "module m\n\ngo 1.26\n")
	put(t, filepath.Join(dir, "n/n.go"), "package n\n")
	put(t, filepath.Join(dir, "m_test.go"), "package m\n\nimport (\n\t_ \"crypto/tls\"\n\t_ \"m/n\"\n)\n")
	flags, err := Flags("nothing.json", goroot())
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", append(append([]string{"test", "-a", "-n"}, flags[1:]...), ".")...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var calls []string
	all := regexp.MustCompile(` -p (\S+) .*`).FindAllSubmatch(out, -1)
	for _, m := range all {
		if strings.Contains(string(m[0]), "ssa/intrinsics/off") {
			calls = append(calls, string(m[1]))
		}
	}
	slices.Sort(calls)
	if want := []string{"m", "m/n", "main"}; len(all) < 100 || !slices.Equal(calls, want) {
		t.Errorf("calls remain in %v of %d packages, want %v", calls, len(all), want)
	}
}
