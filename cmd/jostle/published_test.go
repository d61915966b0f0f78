package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestPublished runs jostle test on published bugs of well-known modules, which
// testdata/published.md lists. It finds each bug within a minute in the version before the
// fix, and nothing in the version after:
//
//	JOSTLE_PUBLISHED=1 go test -run '^TestPublished$' -timeout 1h -v ./cmd/jostle
func TestPublished(t *testing.T) {
	onRequest(t, "JOSTLE_PUBLISHED")
	dirs, err := filepath.Glob("testdata/published/*")
	if err != nil || len(dirs) < 10 {
		t.Fatalf("%d bugs: %v", len(dirs), err)
	}
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
			m := regexp.MustCompile(`require (\S+) (\S+) // mended in (\S+)`).FindSubmatch(text)
			if err != nil || m == nil {
				t.Fatalf("go.mod names no versions: %v", err)
			}
			if !publishedFails(t, dir, string(m[1]), string(m[2]), "60s") {
				t.Errorf("no failure before the mend")
			}
			if publishedFails(t, dir, string(m[1]), string(m[3]), "20s") {
				t.Errorf("a failure after the mend")
			}
		})
	}
}

// TestGRPC: a server and a client of gRPC are controlled, with a unary call and a canceled stream.
func TestGRPC(t *testing.T) {
	onRequest(t, "JOSTLE_PUBLISHED")
	if publishedFails(t, "testdata/grpc", "google.golang.org/grpc", "v1.85.0", "20s") {
		t.Error("a failure")
	}
}

// publishedFails reports whether jostle test finds a failure of the test in dir with a version of
// a module.
func publishedFails(t *testing.T, dir, module, version, limit string) bool {
	t.Helper()
	work := t.TempDir()
	if err := os.CopyFS(work, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	mustGo(t, work, "mod", "edit", "-require="+module+"@"+version)
	mustGo(t, work, "mod", "tidy")
	args := []string{"-for", limit, "."}
	if text, _ := os.ReadFile(filepath.Join(work, "bug_test.go")); strings.Contains(string(text), "It needs -race.") {
		args = append(args, "-race")
	}
	out := jostleTest(t, work, args...)
	passed, failed := strings.Contains(out, "\n--- PASS: "), strings.Contains(out, "\n--- FAIL: ")
	if passed == failed || strings.Contains(out, "not controlled") {
		t.Fatalf("no verdict:\n%s", out)
	}
	t.Logf("%s@%s:\n%s", module, version, out)
	return failed
}
