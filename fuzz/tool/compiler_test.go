package tool

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/fuzz/existing"
)

// TestDownloadedGo: go build -overlay refuses to replace files in the module cache. So a Go version
// that was downloaded there is used through a link outside the cache. If the link leads to another
// version, it is replaced.
func TestDownloadedGo(t *testing.T) {
	out, err := exec.Command("go", "env", "GOROOT", "GOMODCACHE").Output()
	goroot, modules, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	all, err := os.ReadDir(modules)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all { // the modules that jostle needs
		if err := os.Symlink(filepath.Join(modules, e.Name()), filepath.Join(dir, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	downloaded := filepath.Join(dir, "toolchain")
	if err := os.Symlink(goroot, downloaded); err != nil {
		t.Fatal(err)
	}
	t.Setenv("JOSTLE_CACHE", t.TempDir())
	t.Setenv("GOMODCACHE", dir)
	t.Setenv("GOROOT", downloaded)
	link := filepath.Join(os.Getenv("JOSTLE_CACHE"), "go", "toolchain")
	if err := os.MkdirAll(filepath.Dir(link), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(t.TempDir(), link); err != nil { // of another version
		t.Fatal(err)
	}
	for range 2 {
		c, err := newCompiler(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		if to, err := os.Readlink(link); err != nil || to != downloaded {
			t.Fatalf("%s is %s: %v", link, to, err)
		}
		if c.command != filepath.Join(link, "bin", "go") || len(c.env) != 3 || c.env[0] != "GOROOT="+link {
			t.Errorf("%+v", c)
		}
		text, err := os.ReadFile(c.overlay)
		if err != nil || !strings.Contains(string(text), `"`+link+`/src/runtime/proc.go"`) || strings.Contains(string(text), `"`+dir) {
			t.Errorf("the overlay %s: %v", c.overlay, err)
		}
	}
	t.Setenv("GOROOT", link)
	if c, err := newCompiler(t.Context(), ""); err != nil || c.command != "go" || c.env != nil {
		t.Errorf("%+v, %v", c, err)
	}
}

// TestOverlayInFlags: the overlay in GOFLAGS is one of the user's.
func TestOverlayInFlags(t *testing.T) {
	for _, c := range []struct{ own, flags, want string }{
		{"", "", ""},
		{"a.json", "-mod=mod", "a.json"},
		{"", "-mod=mod -overlay=b.json", "b.json"},
		{"", "--overlay=b.json", "b.json"},
		{"a.json", "-overlay=b.json", "-overlay is given twice: GOFLAGS has it too"},
		{"", "'-overlay=b c.json'", "-overlay is quoted in GOFLAGS: give it to jostle test"},
	} {
		got, err := withFlags(c.own, c.flags)
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%q with %q: %q, want %q", c.own, c.flags, got, c.want)
		}
	}
}

// TestKeptFlags: the flags that decide what is compiled, and which steps a test takes, are kept for the command
// that runs a test again.
func TestKeptFlags(t *testing.T) {
	for args, want := range map[string]string{
		"-v -tags x,y --race -run TestA -short -cpu 2 ./a": "-tags x,y --race -short",
		"-overlay o.json -exec=qemu -for 2s short":         "-overlay=o.json -exec=qemu",
		"-ldflags=-s -mod mod -count=1":                    "-ldflags=-s -mod mod",
		". -args -short":                                   "",
	} {
		if c, err := readTest(strings.Fields(args)); err != nil || strings.Join(c.kept, " ") != want {
			t.Errorf("%s: %v, want %s; %v", args, c.kept, want, err)
		}
	}
}

// TestPrintUncontrolled: of many tests that are not controlled, the first ten are named.
func TestPrintUncontrolled(t *testing.T) {
	one := existing.Uncontrolled{Package: "./a", Test: "TestA", Because: "it depends on C code"}
	const line = "jostle: not controlled: TestA in ./a, because it depends on C code\n"
	for n, want := range map[int]string{
		0:  "",
		10: strings.Repeat(line, 10),
		12: strings.Repeat(line, 10) + "jostle: not controlled: 2 more tests; -v says which\n",
	} {
		var out strings.Builder
		if printUncontrolled(&out, slices.Repeat([]existing.Uncontrolled{one}, n)); out.String() != want {
			t.Errorf("%d tests:\n%s\nwant\n%s", n, out.String(), want)
		}
	}
}
