package changed

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestReadDiff(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"nothing", "", "map[]"},
		{"one line", "--- a/x.go\n+++ b/x.go\n@@ -3 +3 @@ func f() {\n-a\n+b\n", "map[x.go:map[3:true]]"},
		{"several", "+++ b/d/x.go\n@@ -3,0 +4,2 @@\n+a\n+b\n@@ -9 +11 @@\n-a\n+b\n", "map[d/x.go:map[4:true 5:true 11:true]]"},
		{"removed", "--- a/x.go\n+++ b/x.go\n@@ -3,2 +2,0 @@\n-a\n-b\n", "map[]"},
		{"a file that is gone", "--- a/x.go\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n", "map[]"},
		{"lines that look like headers", "+++ b/x.go\n@@ -0,0 +1,2 @@\n+++ b/y.go\n+@@ -1 +9 @@\n@@ -4 +7 @@\n-a\n+b\n", "map[x.go:map[1:true 2:true 7:true]]"},
		{"a quoted name", "+++ \"b/\\303\\244 \\\"x.go\"\n@@ -0,0 +1 @@\n+a\n", "map[ä \"x.go:map[1:true]]"},
		{"a name with a space", "+++ b/a b.go\t\n@@ -0,0 +1 @@\n+a\n", "map[a b.go:map[1:true]]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			lines, err := ReadDiff(c.text)
			if got := fmt.Sprint(map[string]map[int]bool(lines)); err != nil || got != c.want {
				t.Errorf("%s, %v, want %s", got, err, c.want)
			}
		})
	}
	if _, err := ReadDiff("@@ -1 +1 @@\n"); err == nil {
		t.Error("a hunk of no file is read")
	}
}

func TestReadProfile(t *testing.T) {
	for text, want := range map[string]string{
		"":                                   "it is not a profile of go test -coverprofile, or it is empty",
		"mode: set\n":                        "it is not a profile of go test -coverprofile, or it is empty",
		"p/a.go:1.2,3.4 1 1\n":               "line 1 does not have the form of a profile of go test -coverprofile",
		"mode: set\nhello\n":                 "line 2 does not have the form of a profile of go test -coverprofile",
		"mode: set\np/a.go:1.2,3.4 1\n":      "line 2 does not have the form of a profile of go test -coverprofile",
		"mode: count\np/a.go:1.2,3.4 1 10\n": "<nil>",
	} {
		if _, err := ReadProfile(strings.NewReader(text)); fmt.Sprint(err) != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// source is run by a test. A "yes" follows statements that the test runs, and a "no"
// those that it does not.
const source = `package p

func F(n int) (s int) {
	if n > 1 { // yes
		s++ // yes
	} else if n > 7 { // no
		return 1 // no
	} else {
		s-- // no
	}
	for i := range n { // yes
		switch { // yes
		case i > 100:
			s = 7 // no
		default:
			s += // yes
				2
		}
	}
	later := func() { // yes
		s++ // no
	}
	defer func() { // yes

		s++ // yes
	}()
	if n > 100 { later() } // yes, no
	select { // yes
	default:
	}
	return s // yes
}
`

// TestIn: a coverage profile written by go test is combined with the lines of each file.
func TestIn(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/p\n\ngo 1.26\n", "p.go": source,
		"p_test.go": "package p\n\nimport \"testing\"\n\nfunc TestF(t *testing.T) { F(3) }\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", "test", "-coverprofile", "lines.out", ".")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=", "PWD="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	f, err := os.Open(filepath.Join(dir, "lines.out"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p, err := ReadProfile(f)
	if err != nil {
		t.Fatal(err)
	}
	if got := p.Packages(); !slices.Equal(got, []string{"example.com/p"}) {
		t.Errorf("packages %q", got)
	}
	for i, line := range strings.Split(source, "\n") {
		_, note, _ := strings.Cut(line, "// ")
		c, err := p.In("example.com/p/p.go", []byte(source), map[int]bool{i + 1: true})
		if err != nil {
			t.Fatal(err)
		}
		run, not := strings.Count(note, "yes"), strings.Count(note, "no")
		if strings.TrimSpace(line) == "2" { // the second line of a statement
			run = 1
		}
		if c.Run != run || c.Statements != run+not || (len(c.Missed) > 0) != (not > 0) || c.Unknown {
			t.Errorf("line %d, %q: %+v", i+1, strings.TrimSpace(line), c)
		}
	}
	if c, err := p.In("example.com/q/p.go", []byte(source), map[int]bool{4: true}); err != nil || !c.Unknown || c.Run != 0 || c.Statements != 1 {
		t.Errorf("of a file that the profile does not have: %+v, %v", c, err)
	}
	if _, err := p.In("example.com/p/p.go", []byte("no go"), map[int]bool{1: true}); err == nil {
		t.Error("a file that is not Go is counted")
	}
}
