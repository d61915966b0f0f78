package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// TestGoKer counts how many of the 103 bugs of the benchmark GoKer jostle test finds within 1,000
// runs with each of 10 seeds. JOSTLE_GOKER is a checkout of github.com/timmyyuan/gobench. It has no
// license, so no code of it is here. A blocking bug counts as found if the test fails or goleak finds
// a goroutine that it has left. The table also has what go test finds within 1,000 runs or 10 seconds:
//
//	JOSTLE_GOKER=/path/to/gobench go test -run '^TestGoKer$' -timeout 3h -v ./cmd/jostle
func TestGoKer(t *testing.T) {
	from := onRequest(t, "JOSTLE_GOKER")
	for _, kind := range []struct {
		name            string
		kernels, missed int // how many kernels there are, and how many jostle may miss
		race            []string
		check           string // the statement that checks for goroutines that are left
	}{
		{"blocking", 68, 2, nil, "defer goleak.VerifyNone(t)"},
		{"nonblocking", 35, 2, []string{"-race"}, "_ = goleak.VerifyNone"},
	} {
		t.Run(kind.name, func(t *testing.T) {
			dir := goker(t, filepath.Join(from, "gobench", "goker", kind.name), kind.check)
			names, ours := underControl(t, dir, packageResult, append(kind.race, "-timeout", "1m", "-run", "^TestChecked", "./...")...)
			table := fmt.Sprintf("%-36s %-8s %-8s %s\n", "kernel", "jostle", "go test", "with goleak, or -race")
			sum := [3]int{}
			for _, name := range names {
				at := filepath.Join(dir, filepath.FromSlash(name))
				plain := plainly(t, at, []string{"TestAlone.*"}, nil)["TestAlone.*"]
				other := plainly(t, at, []string{"TestChecked.*"}, kind.race)["TestChecked.*"]
				table += fmt.Sprintf("%-36s %2d of %d %-8s %s\n", name, ours[name], seeds, found(plain), found(other))
				sum = [3]int{sum[0] + count(ours[name] == seeds), sum[1] + count(plain), sum[2] + count(other)}
			}
			t.Logf("\n%s%-36s %-8d %-8d %d\n", table, fmt.Sprintf("%d %s", len(names), kind.name), sum[0], sum[1], sum[2])
			if len(names) != kind.kernels || sum[0] < kind.kernels-kind.missed {
				t.Errorf("of %d kernels, jostle finds %d with each seed", len(names), sum[0])
			}
		})
	}
}

// packageResult is like testResult for packages of the module goker. A test that ends its process has
// no line of its own.
var packageResult = regexp.MustCompile(`(?m)^(ok|FAIL)\s+goker/(\S+)\s`)

// goker returns a module with the kernels of a folder, each in its package. There TestAlone… is the
// test of the kernel, and TestChecked… does a check too. The kernels rely on loop variables
// that are shared by the iterations, as before Go 1.22.
func goker(t *testing.T, from, check string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*", "*", "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		m := regexp.MustCompile(`(?ms)^package (\w+)$.*^func Test(\w+)\(`).FindSubmatch(text)
		if err != nil || m == nil {
			t.Fatalf("%s has no test: %v", name, err)
		}
		own := fmt.Sprintf("package %[1]s\n\nimport (\n\t\"testing\"\n\n\t\"go.uber.org/goleak\"\n)\n\n"+
			"func TestAlone%[2]s(t *testing.T) { Test%[2]s(t) }\n\nfunc TestChecked%[2]s(t *testing.T) {\n\t%[3]s\n\tTest%[2]s(t)\n}\n", m[1], m[2], check)
		if err := os.WriteFile(filepath.Join(filepath.Dir(name), "jostle_test.go"), []byte(own), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	mustGo(t, dir, "mod", "init", "goker")
	mustGo(t, dir, "mod", "edit", "-go=1.21", "-require=go.uber.org/goleak@v1.3.0")
	mustGo(t, dir, "mod", "tidy")
	return dir
}
